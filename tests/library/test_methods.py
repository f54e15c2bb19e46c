"""`Session`: its methods, their options, and the environment of a call."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from codeh_history import BadData, InputOutput, NotFound, Session, Usage
from codeh_history.base.input import Text
from codeh_history.base.options import OptionSet, flag, option
from codeh_history.library.env import Call, CallerError, OpenSession, read
from in_process import run_in_process, write_session


def test_a_payload_is_what_the_command_prints(home, session):
    session.append("hi")
    tools = [{"name": "ls", "description": "Lists.", "parameters": {"type": "object"}}]
    flags = ["--model", "m", "--system", "Be brief.", "--budget", "32k", "--set", "temperature=0.5"]
    flags += ["--tools", orjson.dumps(tools).decode()]
    by_command = run_in_process("payload", "demo", "--to", "anthropic", *flags).out
    options = {"model": "m", "system": "Be brief.", "tools": tools, "set": {"temperature": 0.5}}
    assert session.payload("anthropic", budget=32_000, **options) == by_command


def test_a_text_is_no_file_whatever_it_begins_with(session, tmp_path):
    (tmp_path / "system.md").write_text("From a file.")
    session.append("hi")
    body = orjson.loads(session.payload("openai-chat", model="m", system="@" + str(tmp_path / "system.md")))
    assert body["messages"][0]["content"].startswith("@")
    body = orjson.loads(session.payload("openai-chat", model="m", system=tmp_path / "system.md"))
    assert body["messages"][0]["content"] == "From a file."


def test_extend_stores_all_or_nothing(session):
    good = {"role": "user", "parts": [{"text": "one"}]}
    assert len(session.extend([good, good])) == 2
    with pytest.raises(BadData):
        session.extend([good, {"role": "nobody", "parts": []}])
    assert len(session.messages) == 2


def test_what_a_caller_does_to_what_it_was_given_changes_nothing(session):
    session.append("hi")
    session.messages[0]["parts"][0]["text"] = "changed"
    assert session.messages[0]["parts"] == [{"text": "hi"}]


@pytest.mark.parametrize(
    "wrong, error, code",
    [
        (lambda s: s.append(), BadData, 65),
        (lambda s: s.append("x", role="nobody"), Usage, 2),
        (lambda s: s.append("x", max_items=0), Usage, 2),
        (lambda s: s.payload("gemini"), BadData, 65),
        (lambda s: s.payload("nobody"), Usage, 2),
        (lambda s: Session.open("other", home=f"{s.path}.none"), NotFound, 3),
        (lambda s: Session.open("-"), Usage, 2),
        (lambda s: Session.open("a/b"), Usage, 2),
    ],
)
def test_what_fails_has_the_code_of_the_command(session, wrong, error, code):
    session.append(role="model", message="ends so")
    with pytest.raises(error) as raised:
        wrong(session)  # type: ignore[operator]
    assert raised.value.code == code
    assert len(session.messages) == 1


@pytest.mark.parametrize("options", [{"rolle": "user"}, {"pin": 1}, {"from_": "auto"}, {"message": b"x"}])
def test_arguments_that_the_verb_has_not_are_type_errors(session, options):
    with pytest.raises(TypeError):
        session.append(**options)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_has_not_are_refused(session, number):
    session.append(call="plot", args={"at": None, "to": [1.5]})
    args = {"a": [{"b": (number,)}], "c": None}
    message = {"role": "model", "parts": [{"functionCall": {"name": "plot", "args": args}}]}
    for refused in (
        lambda: session.append(call="plot", args=args),
        lambda: session.extend([message]),
        lambda: session.calls(lambda _: {"a": number}),
        lambda: session.calls(lambda _: number),
    ):
        with pytest.raises(BadData, match="NaN and infinity"):
            refused()
    assert len(session.messages) == 1


def test_half_an_emoji_is_bad_data(session):
    half = "\U0001f600".encode("utf-16-le")[:2].decode("utf-16-le", "surrogatepass")
    message = {"role": "user", "parts": [{"text": half}]}
    for refused in (lambda: session.append(half), lambda: session.extend([message])):
        with pytest.raises(BadData, match="a text, argument or file name is not UTF-8"):
            refused()
    assert not session.messages


class Options(OptionSet):
    text: str | None = option("TEXT", "")
    texts: Sequence[str] = option("TEXT", "")
    system: str | None = option("TEXT|@FILE", "")
    tools: str | None = option("@FILE", "")
    file: str | None = option("FILE", "")
    plan: str | None = option("PLAN|-", "")
    var: Sequence[str] = option("K=V", "")
    count: int | None = option("N", "", least=1, most=9)
    share: float | None = option("S", "")
    on: bool = flag("")
    session: str | None = option("SESSION", "")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("text", "a", "a"), ("text", 7, "7"), ("text", {"a": 1}, '{"a":1}'), ("text", "@f", "@f"), ("texts", "a", ["a"]), ("texts", ["a", "b"], ["a", "b"]),
        ("texts", ("a",), ["a"]), ("system", "@f", "@f"), ("system", Path("/f"), "@/f"), ("tools", [{"name": "f"}], '[{"name":"f"}]'),
        ("file", Path("f"), "f"), ("file", {"a": 1}, '{"a":1}'), ("plan", {"ops": []}, '{"ops":[]}'), ("var", {"a": "x", "b": 1, "c": [1]}, ["a=x", "b=1", "c=[1]"]),
        ("var", ["a=b"], ["a=b"]), ("count", 1, 1), ("count", 9, 9), ("share", 1, 1), ("share", 0.5, 0.5), ("on", True, True),
    ],
    ids=str,
)  # fmt: skip
def test_options_take_python_values(name, value, expected):
    taken = getattr(read(Options, {name: value}), name)
    assert taken == expected
    text = (name, value) == ("system", "@f") or (
        name in ("tools", "file", "plan") and not isinstance(value, Path)
    )
    assert isinstance(taken, Text) == text  # which is never the name of a file


@pytest.mark.parametrize("value", [None, [], ()])
def test_what_says_nothing_was_not_given(value):
    assert read(Options, {"texts": value, "text": value}).specified() == []


@pytest.mark.parametrize(
    ("options", "fixed", "why"),
    [
        ({"unknown": 1}, {}, "no such option: unknown"), ({"session": "x"}, {}, "no such option: session"), ({"text": "x"}, {"text": "y"}, "no such option: text"),
        ({"on": 1}, {}, "on: expected True or False"), ({"on": "yes"}, {}, "on: expected True"), ({"count": "1"}, {}, "count: expected a number"), ({"count": True}, {}, "count: expected a number"),
        ({"count": 1.5}, {}, "count: expected a number"), ({"share": "1"}, {}, "share: expected a number"), ({"text": b"x"}, {}, "text: expected a string"), ({"text": True}, {}, "text: expected a string"),
        ({"texts": ["a", None]}, {}, "texts: expected a string"),
    ],
    ids=str,
)  # fmt: skip
def test_an_unknown_option_is_a_type_error(options, fixed, why):
    with pytest.raises(TypeError, match=why):
        read(Options, options, **fixed)


def test_what_is_printed_is_the_callers():
    with Call({}) as call:
        call.write(b"\x1b[31m")
        call.write(memoryview(b"a\n\n"))
    assert call.output == b"\x1b[31ma\n\n"
    assert call.text == "\x1b[31ma\n"
    assert not any((call.terminal(call.stdout), call.piped(), call.waiting(), call.colour))
    call = Call({})
    call.input = b"given"
    assert call.read_stdin() == b"given"


def test_notes_go_to_the_logger(caplog):
    with caplog.at_level(logging.INFO, "codeh_history"):
        call = Call({})
        call.note("echoed")
        call.quiet = True
        call.note("not echoed")
        call.report(b"{}")
    assert caplog.messages == ["echoed"]
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
    write_session(home, HEADER, "demo")
    return {"CODEH_HOME": str(home)}


def test_a_session_is_found_by_id_prefix_or_path_and_begun_where_that_is_wanted(environ, home):
    assert OpenSession(environ, "demo", create=False).path == str(home / "sessions" / "demo.jsonl")
    assert OpenSession(environ, "de", create=False).name == "demo"
    new = OpenSession(environ, "new", create=True)
    assert not new.exists
    assert new.view(new.call()).messages == []
    with pytest.raises(NotFound, match=r"none"):
        OpenSession(environ, "none", create=False)


def test_a_path_stays_the_same_file_wherever_the_program_goes(environ, tmp_path, monkeypatch):
    (tmp_path / "s.jsonl").write_bytes(HEADER)
    monkeypatch.chdir(tmp_path)
    opened = OpenSession(environ, "./s.jsonl", create=False)
    os.chdir("/")
    assert opened.path == str(tmp_path / "s.jsonl")
    assert opened.exists
    assert opened.view(opened.call()).id == "demo"


def test_one_that_was_removed_is_not_found_unless_it_may_be_begun(environ):
    held, begun = OpenSession(environ, "demo", create=False), OpenSession(environ, "demo", create=True)
    os.unlink(held.path)
    with pytest.raises(NotFound, match=r"no such session"):
        held.call()
    begun.call()
