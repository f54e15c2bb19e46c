"""Another program's session as one here: copied, brought up to date, and never over what went another way."""

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.commands.import_.copy import Brought, bring
from codeh_history.programs.model import Entry, Piece, Session
from support import append_text

TS = "2026-01-01T00:00:00.000Z"


def source(*texts, id="abc"):
    """A session of a program: a prompt, an answer, a prompt, …, each with its text as its id."""
    session = Session("codex", id, created=TS)
    for number, text in enumerate(texts):
        kind = ("user", "codeh")[number % 2]
        session.items.append(Entry(f"i-{text}", kind, TS, [Piece(number + 1, [{"text": text}])]))
    return session


@pytest.fixture
def env(home):
    return Env({"CODEH_HOME": str(home)})


def path_of(home, id):
    return home / "sessions" / f"{id}.jsonl"


def lines(home, id):
    return [orjson.loads(line) for line in path_of(home, id).read_bytes().splitlines()]


def texts(home, id):
    return [line["parts"][0]["text"] for line in lines(home, id) if line["type"] == "message"]


def test_what_is_new_is_appended_and_nothing_new_writes_nothing(env, home):
    assert bring(env, source("a", "b"), "/src") == Brought("codex-abc", 2, created=True)
    header = lines(home, "codex-abc")[0]
    assert header["imported"] == {"from": "codex", "id": "abc", "path": "/src"}
    before = path_of(home, "codex-abc").read_bytes()
    assert bring(env, source("a", "b"), "/src") == Brought("codex-abc", 0, created=False)
    assert path_of(home, "codex-abc").read_bytes() == before
    assert bring(env, source("a", "b", "c"), "/src") == Brought("codex-abc", 1, created=False)
    assert path_of(home, "codex-abc").read_bytes().startswith(before)
    assert texts(home, "codex-abc") == ["a", "b", "c"]


def test_a_copy_that_was_continued_here_stays_and_the_source_goes_on_beside_it(env, home):
    bring(env, source("a", "b"), "/src")
    append_text(path_of(home, "codex-abc"), "mine")
    assert bring(env, source("a", "b"), "/src").id == "codex-abc"
    before = path_of(home, "codex-abc").read_bytes()
    done = bring(env, source("a", "b", "c"), "/src")
    assert (done.id, done.created) == ("codex-abc-2", True)
    assert done.apart
    assert path_of(home, "codex-abc").read_bytes() == before
    assert texts(home, "codex-abc-2") == ["a", "b", "c"]
    assert lines(home, "codex-abc-2")[0]["parent"] == {"session": "codex-abc", "at": "i-b"}
    assert bring(env, source("a", "b", "c", "d"), "/src") == Brought("codex-abc-2", 1, created=False)
    append_text(path_of(home, "codex-abc-2"), "mine too")
    third = bring(env, source("a", "b", "c", "d", "e"), "/src")
    assert (third.id, texts(home, "codex-abc-3")) == ("codex-abc-3", ["a", "b", "c", "d", "e"])


def test_another_session_of_that_name_is_never_written_to(env, home):
    bring(env, source("x", id="a b"), "/src")  # whose name is made of its id
    before = path_of(home, "codex-a-b").read_bytes()
    with pytest.raises(BadData, match=r"codex-a-b.jsonl: another session of that id; --into NEW "):
        bring(env, source("y", id="a/b"), "/src")
    path_of(home, "codex-own").write_bytes(b'{"type":"session","version":1,"id":"codex-own"}\n')
    with pytest.raises(BadData, match=r"another session of that id"):
        bring(env, source("y", id="own"), "/src")
    assert path_of(home, "codex-a-b").read_bytes() == before


def test_a_name_of_ones_own_is_a_new_session_or_its_copy(env, home):
    assert bring(env, source("a"), "/src", "mine") == Brought("mine", 1, created=True)
    assert lines(home, "mine")[0]["id"] == "mine"
    assert bring(env, source("a", "b"), "/src", "mine") == Brought("mine", 1, created=False)
    with pytest.raises(BadData, match=r"mine.jsonl: another session of that id; --into NEW"):
        bring(env, source("y", id="other"), "/src", "mine")
    append_text(path_of(home, "mine"), "said here")
    with pytest.raises(BadData, match=r"mine.jsonl: it was continued here .*; --into NEW"):
        bring(env, source("a", "b", "c"), "/src", "mine")


def test_what_could_not_be_read_back_is_not_stored(env, home):
    session = source("a")
    deep = "x"
    for _ in range(205):
        deep = [deep]
    session.items.append(
        Entry("deep", "codeh", TS, [Piece(2, [{"functionCall": {"name": "f", "args": {"a": deep}}}])])
    )
    with pytest.raises(BadData, match=r"^/src: deep: nested deeper than 200 levels$"):
        bring(env, session, "/src")
    assert not path_of(home, "codex-abc").exists()


def test_a_copy_whose_parts_went_to_blocks_is_still_the_same(env, home):
    from inside import inside

    bring(env, source("a", "b" * 9000), "/src")
    assert inside("persist", "codex-abc", "-i", "--all", home=home).code == 0
    assert bring(env, source("a", "b" * 9000), "/src") == Brought("codex-abc", 0, created=False)
    assert bring(env, source("a", "b" * 9000, "c"), "/src") == Brought("codex-abc", 1, created=False)
