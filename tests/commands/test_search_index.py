"""`search --words`: ranked, from an index that is only a cache."""

import sqlite3
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import support
from codeh_history.base.env import Env
from codeh_history.commands.search.matches import Entry, find, matches_longer, query_of


class Files:
    """Sessions by name, each a list of texts; None is unreadable. `looked` lists those read."""

    def __init__(self, **texts):
        self.texts = texts
        self.looked = []

    def read(self, path):
        self.looked.append(path)
        texts = self.texts[path]
        if texts is None:
            return None
        return [Entry(path, f"m{n}", n, "user", text) for n, text in enumerate(texts, 1)]

    def find(self, env, words, *, stamp="1", of=""):
        stamps = {path: stamp for path in self.texts if path.startswith(of)}
        return {f"{entry.path}{entry.n}" for entry in find(env, stamps, self.read, words)}


@pytest.mark.parametrize(
    ("words", "query"),
    [
        ("kiwi", '"kiwi"*'), ("hi", '"hi"'), ("hi there", '"hi" "there"*'), ("don't", '"don" "t"'),
        ('a" OR "b', '"a" "OR" "b"'), ("NEAR(x)", '"NEAR"* "x"'), ("", None), (' -*" ', None),
        ("日本", '"日 本"*'), ("go日本x", '"go" "日 本"* "x"'), ("snake_case", '"snake_case"*'),
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
def test_a_message_matches_all_its_words_and_their_prefixes(env, words, hits):
    files = Files(a=["A green kiwi, high up"], b=["kiwis", "crème"], c=["これは日本語", "ไปมา"])
    assert files.find(env, words) == hits


def test_only_changes_are_reread_and_old_words_removed(env):
    files = Files(a=["kiwi"], b=["plum"])
    assert files.find(env, "kiwi") == {"a1"}
    assert sorted(files.looked) == ["a", "b"]
    files.looked.clear()
    assert files.find(env, "plum") == {"b1"}
    assert files.looked == []
    files.texts["a"] = ["pear", "pear"]
    assert files.find(env, "kiwi", stamp="2") == set()
    assert files.find(env, "pear", stamp="2") == {"a1", "a2"}
    assert files.find(env, "plum", stamp="2") == {"b1"}


def test_only_the_files_asked_about_are_found(env, tmp_path):
    """Sessions outside the query stay indexed while their files exist."""
    (tmp_path / "here").touch()
    present = str(tmp_path / "here")
    files = Files(**{present: ["kiwi"], "gone": ["kiwi"]})
    assert files.find(env, "kiwi") == {f"{present}1", "gone1"}
    assert files.find(env, "kiwi", of="none") == set()
    files.looked.clear()
    assert files.find(env, "kiwi") == {f"{present}1", "gone1"}
    assert files.looked == ["gone"]


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
def test_without_the_index_the_same_is_found(env, home, spoil):
    files = Files(a=["kiwi"], b=["plum kiwi"])
    assert files.find(env, "kiwi") == {"a1", "b1"}
    path = home / "cache" / "cache.sqlite"
    assert path.stat().st_mode & 0o777 == 0o600
    spoil(path)  # type: ignore[operator]
    for _ in range(2):
        assert files.find(env, "kiwi") == {"a1", "b1"}
    if spoil in (older, Path.unlink):
        files.looked.clear()
        assert files.find(env, "plum") == {"b1"}
        assert files.looked == []


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
    for number, first in enumerate(texts):  # of two files the first changes each time
        held = {"a": first, "b": texts[0]}
        kept = indexed(home, held, {"a": str(number), "b": "0"}, sought)
        assert kept == indexed(tmp_path_factory.mktemp("new"), held, {"a": "", "b": ""}, sought)


def indexed(home, held, stamps, sought):
    def read(path):
        return [Entry(path, None, number, "user", text) for number, text in enumerate(held[path])]

    return set(find(Env({"CODEH_HOME": str(home)}), stamps, read, sought))


def test_json_has_the_keys_of_search(talks):
    (hit,) = orjson.loads(support.run("search", "--words", "gates", "--json").out)
    assert hit == {"session": "paint", "id": None, "n": 0, "role": "title", "text": "Fences and gates"}


def test_a_match_in_a_call_shows_its_line(home):
    support.run("append", "-s", "demo", "-m", "go")
    args = '{"path":"a.py","text":"one\\nthe kiwi line\\nthree"}'
    support.run("append", "-s", "demo", "--role", "model", "--call", "edit", "--args", args)
    assert support.run("search", "--words", "kiwi").text == "demo:2:model: the kiwi line"
    assert support.run("search", "--words", "edit kiwi", "-c").text == "demo:1"
