"""The library and the commands leave the same bytes, whatever is done in whatever order."""

import tempfile
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history import HistoryError, Session
from in_process import run_in_process
from length import examples
from support import lines, session_path

FIXED = {"CODEH_ID_SEED": "law", "CODEH_NOW": "2026-01-02T03:04:05Z"}
ANSWER = orjson.dumps({"candidates": [{
    "content": {"role": "model", "parts": [{"text": "Yes."}, {"functionCall": {"name": "ls", "args": {"p": 1}}}]},
    "finishReason": "STOP"}], "responseId": "r"})  # fmt: skip
LINES = [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": [{"text": "y"}]}]
JSONL = b"".join(orjson.dumps(line) + b"\n" for line in LINES)


def _stream(session):
    with session.stream("model") as stream:
        stream.write("said")


DOINGS = {
    "prompt": (["append", "-m", "Why?"], b"", lambda s: s.append("Why?")),
    "answer": (["append", "--role", "model", "-m", "So."], b"", lambda s: s.append("So.", role="model")),
    "pinned": (["append", "-m", "p", "--pin", "--key", "k"], b"", lambda s: s.append("p", pin=True, key="k")),
    "other key": (["append", "-m", "q", "--key", "k"], b"", lambda s: s.append("q", key="k")),
    "call": (["append", "--call", "ls", "--args", '{"p":1}'], b"", lambda s: s.append(call="ls", args={"p": 1})),
    "result": (["append", "--result", "ls", "-m", "out"], b"", lambda s: s.append("out", result="ls")),
    "pending": (["append", "-m", "half", "--pending"], b"", lambda s: s.append("half", pending=True)),
    "most": (["append", "-m", "few", "--max-items", "3"], b"", lambda s: s.append("few", max_items=3)),
    "batch": (["append", "--jsonl"], JSONL, lambda s: s.extend(LINES)),
    "stream": (["append", "--role", "model", "--stream"], b"said", _stream),
    "response": (["append", "--from", "auto"], ANSWER, lambda s: s.append_response(ANSWER)),
    "ask": (["ask", "-m", "And?", "--to", "gemini", "--via", f"cat >/dev/null; echo '{ANSWER.decode()}'"], b"",
            lambda s: s.ask("And?", to="gemini", via=lambda _: ANSWER + b"\n")),
    "calls": (["calls", "--via", "cat"], b"", lambda s: s.calls(lambda call: call["args"])),
    "update": (["update", ":-1", "-m", "new"], b"", lambda s: s.update(":-1", "new")),
    "commit": (["commit"], b"", lambda s: s.commit()),
    "undo": (["undo"], b"", lambda s: s.undo()),
    "undo a turn": (["undo", "--turn"], b"", lambda s: s.undo(turn=True)),
    "clear": (["clear"], b"", lambda s: s.clear()),
    "set": (["set", "title=T", "tags=a,b", "curate.remove=x"], b"",
            lambda s: s.set({"title": "T", "tags": "a,b", "curate.remove": ["x"]})),
    "curate": (["curate", "-i", "--remove", "S"], b"", lambda s: s.curate(in_place=True, remove="S")),
    "compact": (["compact", "-i", "--max-items", "2"], b"", lambda s: s.compact(in_place=True, max_items=2)),
    "repair": (["repair", "-i", "--unanswered", "stub"], b"",
               lambda s: s.repair(in_place=True, unanswered="stub")),
    "summarize": (["summarize", "-i", "--max-conversations", "2", "--min-batch", "1"], b"",
                  lambda s: s.summarize(max_conversations=2, min_batch=1)),
    "fork": (["fork"], b"", lambda s: s.fork()),
}  # fmt: skip


def by_command(home, doing):
    argv, stdin, _ = doing
    code = run_in_process(*argv, "-s", "demo", stdin=stdin, home=home, env=FIXED).code
    return 0 if doing is DOINGS["calls"] else code  # 1: there was none


def by_library(session, doing):
    try:
        doing[2](session)
    except HistoryError as error:
        return error.code
    return 0


def reading(home, session):
    """What is read is the same too."""
    for flag, read in (("--jsonl", session.messages), ("--items", session.items)):
        assert read == run_in_process("show", "demo", flag, home=home, env=FIXED).lines
    small = ["--budget", "60", "--unanswered", "stub", "--prefill"]
    for flags, options in (([], {}), (small, {"budget": 60, "unanswered": "stub", "prefill": True})):
        sent = run_in_process("payload", "demo", "--to", "gemini", *flags, home=home, env=FIXED)
        assert payload(session, **options) == (sent.out or sent.code)
    assert session.calls() == run_in_process("calls", "demo", home=home, env=FIXED).lines
    assert session.export("contents") == run_in_process("export", "demo", home=home, env=FIXED).out
    assert session.curate().output == run_in_process("curate", "demo", home=home, env=FIXED).out


def payload(session, **options):
    try:
        return session.payload("gemini", **options)
    except HistoryError as error:
        return error.code


@settings(max_examples=examples(25))
@given(names=st.lists(st.sampled_from(list(DOINGS)), max_size=12))
def test_the_same_is_left(names):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        theirs, ours = Path(folder) / "theirs", Path(folder) / "ours"
        for name, value in FIXED.items():
            patch.setenv(name, value)
        session = Session.open("demo", create=True, home=ours)
        for name in ["prompt", *names]:
            assert by_library(session, DOINGS[name]) == by_command(theirs, DOINGS[name]), name
            logs = [session_path(each, "demo").read_bytes() for each in (ours, theirs)]
            assert logs[0] == logs[1], name
        reading(theirs, session)
        folders = (home / "sessions" for home in (ours, theirs))
        left, right = ({path.name: path.read_bytes() for path in each.iterdir()} for each in folders)
        assert left == right
        assert lines(session_path(ours, "demo"))
