"""The session that a program opened, and the outside world of a call: no stdin, output for the caller, notes for the logger."""

import logging
import os

import pytest

from codeh_history.base.errors import BadData, InputOutput, NotFound
from codeh_history.library.env import Call, CallerError, Opened, own
from inside import lay


def test_what_is_printed_is_the_callers():
    with Call({}) as call:
        call.write(b"\x1b[31m")
        call.write(memoryview(b"a\n\n"))
    assert call.output == b"\x1b[31ma\n\n"
    assert call.text == "\x1b[31ma\n"
    assert not any((call.terminal(call.stdout), call.piped(), call.waiting(), call.colour))
    assert list(Call({}, b"given").arriving()) == [b"given"]


def test_notes_go_to_the_logger(caplog):
    with caplog.at_level(logging.INFO, "codeh_history"):
        call = Call({})
        call.note("heard")
        call.quiet = True
        call.note("not heard")
        call.report(b"{}")
    assert caplog.messages == ["heard"]
    assert call.reports == [b"{}"]


@pytest.mark.parametrize(
    ("raised", "seen", "why"),
    [
        (OSError(28, "No space left on device", "f"), InputOutput, "f: No space left on device"), (NotFound("x"), NotFound, "x"),
        (RecursionError("maximum recursion depth"), BadData, "nested deeper"), (TypeError("Recursion limit reached"), BadData, "nested deeper"),
        (TypeError("a bug"), TypeError, "a bug"), (KeyboardInterrupt("x"), KeyboardInterrupt, "x"), (CallerError(KeyError("mine")), KeyError, "mine"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_fails_is_an_error_of_ours_but_for_bugs_and_what_is_the_callers(raised, seen, why):
    with pytest.raises(seen, match=why), Call({}):
        raise raised


HEADER = b'{"type":"session","version":1,"id":"demo"}\n'


@pytest.fixture
def environ(home):
    lay(home, HEADER, "demo")
    return {"CODEH_HOME": str(home)}


def test_a_session_is_found_by_id_prefix_or_path_and_begun_where_that_is_wanted(environ, home):
    assert Opened(environ, "demo", create=False).path == str(home / "sessions" / "demo.jsonl")
    assert Opened(environ, "de", create=False).name == "demo"
    new = Opened(environ, "new", create=True)
    assert not new.exists
    assert new.look(new.call(), new.target).messages == []
    with pytest.raises(NotFound, match=r"none"):
        Opened(environ, "none", create=False)


def test_a_path_stays_the_same_file_wherever_the_program_goes(environ, tmp_path, monkeypatch):
    (tmp_path / "s.jsonl").write_bytes(HEADER)
    monkeypatch.chdir(tmp_path)
    found = Opened(environ, "./s.jsonl", create=False)
    os.chdir("/")
    assert found.path == str(tmp_path / "s.jsonl")
    assert found.exists
    assert found.look(found.call(), found.target).id == "demo"


def test_one_that_was_removed_is_not_found_unless_it_may_be_begun(environ):
    held, begun = Opened(environ, "demo", create=False), Opened(environ, "demo", create=True)
    os.unlink(held.path)
    with pytest.raises(NotFound, match=r"no such session"):
        held.call()
    begun.call()


def test_a_verb_says_in_the_call_what_it_would_print(environ):
    found = Opened(environ, "demo", create=False)
    assert found.run("append", {"message": ["hi"]}).text != ""
    assert found.run("last", {"role": "user"}, argument=None).output == b"hi\n"


def test_a_copy_is_the_callers_to_change():
    value = {"a": [1, {"b": 2}]}
    copy = own(value)
    copy["a"][1]["b"] = 3
    assert value == {"a": [1, {"b": 2}]}
