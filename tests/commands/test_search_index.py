"""What is said in all sessions, by word: what is found, in which script, and that the index is a cache only."""

import sqlite3
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.commands.search.index import Entry, find, matches_longer, query_of


@pytest.fixture
def env(home):
    return Env({"CODEH_HOME": str(home)})


class Files:
    """Sessions by name, each a list of texts; None is one that cannot be read. `looked`: which were read."""

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
        return {f"{said.path}{said.n}" for said in find(env, stamps, self.read, words)}


@pytest.mark.parametrize(
    ("words", "query"),
    [
        ("kiwi", '"kiwi"*'), ("hi", '"hi"'), ("hi there", '"hi" "there"*'), ("don't", '"don" "t"'),
        ('a" OR "b', '"a" "OR" "b"'), ("NEAR(x)", '"NEAR"* "x"'), ("", None), (' -*" ', None),
        ("日本", '"日 本"*'), ("go日本x", '"go" "日 本"* "x"'), ("snake_case", '"snake_case"*'),
    ],
)  # fmt: skip
def test_words_are_only_words_whatever_they_are_in_the_language_of_the_index(words, query):
    assert query_of(words) == query


@pytest.mark.parametrize(("term", "more"), [("abc", False), ("abcd", True), ("日", True), ("ü" * 3, False)])
def test_a_short_word_is_no_beginning_of_others(term, *, more):
    assert matches_longer(term) == more


@pytest.mark.parametrize(
    ("words", "hits"),
    [
        ("kiwi", {"a1", "b1"}), ("KIWI", {"a1", "b1"}), ("kiwis", {"b1"}), ("green kiwi", {"a1"}), ("gree", {"a1"}),
        ("hi", set()), ("creme", {"b2"}), ("日本", {"c1"}), ("本", {"c1"}), ("日語", set()), ("มา", {"c2"}),
        ("absent", set()), ("...", set()),
    ],
)  # fmt: skip
def test_a_message_is_found_by_all_its_words_and_their_beginnings(env, words, hits):
    files = Files(a=["A green kiwi, high up"], b=["kiwis", "crème"], c=["これは日本語", "ไปมา"])
    assert files.find(env, words) == hits


def test_what_is_found_is_what_was_said_and_the_best_is_first(env):
    files = Files(a=["one kiwi among many other words in a long text", "kiwi kiwi"], b=["日本 kiwi"])
    said = list(find(env, {"a": "1", "b": "1"}, files.read, "kiwi"))
    assert said[0] == Entry("a", "m2", 2, "user", "kiwi kiwi")
    assert Entry("b", "m1", 1, "user", "日本 kiwi") in said


def test_only_what_changed_is_read_again_and_old_words_are_forgotten(env):
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
    """What is not asked about stays known as long as it is there."""
    (tmp_path / "here").touch()
    here = str(tmp_path / "here")
    files = Files(**{here: ["kiwi"], "gone": ["kiwi"]})
    assert files.find(env, "kiwi") == {f"{here}1", "gone1"}
    assert files.find(env, "kiwi", of="none") == set()
    files.looked.clear()
    assert files.find(env, "kiwi") == {f"{here}1", "gone1"}
    assert files.looked == ["gone"]


def test_one_that_cannot_be_read_is_tried_each_time(env):
    files = Files(a=["kiwi"])
    assert files.find(env, "kiwi") == {"a1"}
    files.texts["a"] = None
    for _ in range(2):
        assert files.find(env, "kiwi", stamp="2") == set()
    assert files.looked == ["a"] * 3


def spoiled(path):
    path.write_bytes(b"no database at all, but long enough to be taken for one" * 100)


def older(path):
    with sqlite3.connect(path) as db:
        db.execute("update indexed set stamp = '0 1'")
    db.close()


def locked(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("spoil", [spoiled, older, locked, Path.unlink])
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
