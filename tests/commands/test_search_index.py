"""`search --words`: ranked, from an index that is only a cache."""

import sqlite3
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import support
from codeh_history.base.env import Env
from codeh_history.commands.search import matches
from codeh_history.commands.search.matches import Sessions, matches_longer, query_of
from codeh_history.store.resolve import Target, ids
from in_process import write_session
from secret_examples import user
from strategies import encode
from support import session_path


class Files:
    """Sessions by name, each a list of texts. `read` lists those read since it was cleared."""

    def __init__(self, home, monkeypatch=None, **texts):
        self.env, self.read = Env({"CODEH_HOME": str(home)}), []
        self.home = home
        for name, words in texts.items():
            self.write(name, *words)
        if monkeypatch:
            view_of = matches.view_of

            def counted(env, target, **more):
                self.read.append(target.id)
                return view_of(env, target, **more)

            monkeypatch.setattr(matches, "view_of", counted)

    def write(self, name, *texts):
        records = [user(f"{name}{n}", text) for n, text in enumerate(texts, 1)]
        write_session(self.home, encode([{"type": "session", "version": 1, "id": name}, *records]), name)

    def find(self, words, of=""):
        targets = {path: Target(path, "") for id, path in ids(self.env) if id.startswith(of)}
        return {row[1] for row in matches.find(Sessions(self.env, targets, False, None, []), words)}


@pytest.mark.parametrize(
    ("words", "query"),
    [
        ("kiwi", '"kiwi"*'), ("hi", '"hi"'), ("hi there", '"hi" "there"*'), ("don't", '"don" "t"'),
        ('a" OR "b', '"a" "OR" "b"'), ("NEAR(x)", '"NEAR"* "x"'), ("", ""), (' -*" ', ""),
        ("日本", '" 日  本 "*'), ("go日本x", '"go 日  本 x"*'), ("snake_case", '"snake_case"*'),
    ],
)  # fmt: skip
def test_words_with_query_syntax_are_plain_words(words, query):
    assert query_of(words) == query


@pytest.mark.parametrize(("term", "more"), [("abc", False), ("abcd", True), ("日", True), ("ü" * 3, False)])
def test_a_short_word_is_not_a_prefix(term, *, more):
    assert matches_longer(term) == more


@pytest.mark.parametrize(
    ("words", "hits"),
    [
        ("kiwi", {"a1", "b1"}), ("KIWI", {"a1", "b1"}), ("kiwis", {"b1"}), ("green kiwi", {"a1"}), ("gree", {"a1"}),
        ("hi", set()), ("creme", {"b2"}), ("日本", {"c1"}), ("本", {"c1"}), ("日語", set()), ("มา", {"c2"}),
        ("absent", set()), ("...", set()),
    ],
)  # fmt: skip
def test_a_message_matches_all_its_words_and_their_prefixes(home, words, hits):
    files = Files(home, a=["A green kiwi, high up"], b=["kiwis", "crème"], c=["これは日本語", "ไปมา"])
    assert files.find(words) == hits


def test_only_changes_are_reread_and_old_words_removed(home, monkeypatch):
    files = Files(home, monkeypatch, a=["kiwi"], b=["plum"])
    assert files.find("kiwi") == {"a1"}
    assert sorted(files.read) == ["a", "b"]
    files.read.clear()
    assert files.find("plum") == {"b1"}
    assert files.read == []
    files.write("a", "pear", "pear")
    assert files.find("kiwi") == set()
    assert files.find("pear") == {"a1", "a2"}
    assert files.find("plum") == {"b1"}
    assert files.read == ["a"]


def test_only_the_files_asked_about_are_found(home, monkeypatch):
    """Sessions outside the query stay indexed while their files exist."""
    files = Files(home, monkeypatch, a=["kiwi"], b=["kiwi"])
    assert files.find("kiwi") == {"a1", "b1"}
    assert files.find("kiwi", of="a") == {"a1"}
    files.read.clear()
    session_path(home, "b").unlink()
    assert files.find("kiwi", of="a") == {"a1"}
    files.write("b", "kiwi")
    assert files.find("kiwi") == {"a1", "b1"}
    assert files.read == ["b"]


def spoiled(path):
    path.write_bytes(b"no database at all, but long enough to be taken for one" * 100)


def older(path):
    with sqlite3.connect(path) as db:
        db.execute("update indexed set stamp = '0 1'")
    db.close()


def folder(path):
    path.unlink()
    path.mkdir()


def newer(path):
    with sqlite3.connect(path) as db:
        db.execute("pragma user_version=99")
    db.close()


def locked(path):
    """Keep it locked as long as its connection lives, on the function."""
    locked.by = sqlite3.connect(path, isolation_level=None)
    locked.by.execute("begin exclusive")


@pytest.mark.parametrize("spoil", [spoiled, older, newer, folder, locked, Path.unlink])
def test_without_the_index_the_same_is_found(home, monkeypatch, spoil):
    files = Files(home, monkeypatch, a=["kiwi"], b=["plum kiwi"])
    assert files.find("kiwi") == {"a1", "b1"}
    path = home / "cache" / "cache.sqlite"
    assert path.stat().st_mode & 0o777 == 0o600
    spoil(path)  # type: ignore[operator]
    for _ in range(2):
        assert files.find("kiwi") == {"a1", "b1"}
    if spoil in (older, Path.unlink):
        files.read.clear()
        assert files.find("plum") == {"b1"}
        assert files.read == []


@pytest.fixture
def talks(home):
    for session, texts in {
        "weather": ["Is the sky blue?", "Sky, blue sky."],
        "paint": ["Which fluorescent blue for the fence?", "Navy.\nOr a deployment of primer first."],
        "asia": ["天空为什么是蓝色的", "すみません、空は青いですか", "ทำไมท้องฟ้าเป็นสีฟ้า"],
        "café": ["Où est le café crème?"],
    }.items():
        id = session.replace("é", "e")
        for number, text in enumerate(texts):
            role = ["--role", "model"] if number % 2 else []
            support.run("append", "-s", id, *role, "-m", text)
    support.run("set", "-s", "paint", "title=Fences and gates")
    return home


def index_of(home):
    return home / "cache" / "cache.sqlite"


def search(words, *more):
    hits = support.run("search", "--words", words, "--jsonl", *more).lines
    return [f"{hit['session']}:{hit['n']}" for hit in hits]


def test_the_best_is_first(talks):
    assert search("sky blue", "weather") == ["weather:2", "weather:1"]
    shown = support.run("search", "--words", "primer navy").text
    assert shown == "paint:2:model: Navy."
    assert support.run("search", "--words", "blue", "-l").text.splitlines() == ["weather", "paint"]
    assert "weather:2\npaint:1" in support.run("search", "--words", "blue", "-c").text


def test_the_index_follows_every_change(talks):
    assert search("kiwi") == []
    support.run("append", "-s", "paint", "-m", "kiwi green?")
    assert search("kiwi") == ["paint:3"]
    support.run("undo", "-s", "paint")
    assert search("kiwi") == []
    assert search("fence") == ["paint:0", "paint:1"]
    support.run("rm", "weather")
    assert search("sky") == []
    db = sqlite3.connect(index_of(talks))
    assert db.execute("select count(*) from indexed").fetchone() == (3,)
    db.close()


def test_a_redacted_word_is_not_remembered(talks):
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    support.run("append", "-s", "paint", "-m", f"key {secret}")
    assert search("key") == ["paint:3"]
    assert secret.encode() in index_of(talks).read_bytes()
    assert support.run("redact", "-i", "--yes", "paint").code == 0
    assert not index_of(talks).exists()
    search("key")
    assert secret.encode() not in index_of(talks).read_bytes()


def test_an_unreadable_session_is_named_each_time(talks):
    (talks / "sessions" / "bad.jsonl").write_bytes(b"{}\n" + bytes([0xFF]) * 9)
    (talks / "sessions" / "dir.jsonl").mkdir()
    for _ in range(2):
        done = support.run("search", "--words", "sky")
        assert done.code == 65
        assert "dir: not searched" in done.err.decode()
        assert "weather:1" in done.text


WORDS = st.lists(
    st.sampled_from(["sky", "blue", "skyline", "x", "天空", "Blue,", "é", "'", "_a"]), max_size=4
).map(" ".join)


@given(texts=st.lists(st.lists(WORDS, max_size=3), min_size=1, max_size=4), sought=WORDS)
def test_an_updated_index_equals_a_new_one(texts, sought, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    for first in texts:  # of two files the first changes each time
        words = {"a": first, "b": texts[0]}
        assert Files(home, **words).find(sought) == Files(tmp_path_factory.mktemp("new"), **words).find(
            sought
        )


def test_json_has_the_keys_of_search(talks):
    (hit,) = orjson.loads(support.run("search", "--words", "gates", "--json").out)
    assert hit == {"session": "paint", "id": None, "n": 0, "role": "title", "text": "Fences and gates"}


def test_a_match_in_a_call_shows_its_line(home):
    support.run("append", "-s", "demo", "-m", "go")
    args = '{"path":"a.py","text":"one\\nthe kiwi line\\nthree"}'
    support.run("append", "-s", "demo", "--role", "model", "--call", "edit", "--args", args)
    assert support.run("search", "--words", "kiwi").text == "demo:2:model: the kiwi line"
    assert support.run("search", "--words", "edit kiwi", "-c").text == "demo:1"


def test_stdin_is_not_kept_in_the_index(talks):  # 2026-11-27
    done = support.run("search", "--words", "kiwi", "-", stdin=encode([user("u", "a kiwi, dear")]))
    assert done.text == "stdin:1:user: a kiwi, dear"
    assert search("sky")
    assert b"kiwi" not in index_of(talks).read_bytes()
