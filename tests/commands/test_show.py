"""`show` and `last`: the end of a large log, a message's text, and `--follow` while others write."""

import os
import select
import signal
import subprocess
import time
from unittest import mock

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
import support
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.commands import show
from codeh_history.commands.show import Changes, added
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from codeh_history.store.resolve import Target
from in_process import run_in_process, run_ok, write_session
from plain_logs import plain_files
from secret_examples import delta, opened
from strategies import files_of


def text(text, **more):
    return {"text": text, **more}


@pytest.mark.parametrize(
    ("before", "now", "more"),
    [
        ([], [text("a")], [text("a")]), ([], [], []), ([text("a")], [text("a")], []), ([text("a")], [text("ab")], [text("b")]),
        ([text("a")], [text("a"), text("b", thought=True)], [text("b", thought=True)]),
        ([text("a")], [text("ab"), {"functionCall": {}}], [text("b"), {"functionCall": {}}]), ([text("ab")], [text("a")], None),
        ([text("a")], [text("b")], None), ([text("a")], [], None), ([text("a"), text("b")], [text("x"), text("b")], None),
        ([text("a", thought=True)], [text("ab", thought=True)], [text("b", thought=True)]), ([text("a")], [text("ab", thought=True)], None),
        ([{"functionCall": {"name": "f"}}], [{"functionCall": {"name": "g"}}], None),
        ([text("a"), text("b")], [text("a"), text("bc")], [text("c")]), ([text("a")], [text("a", signed=1)], None),
    ],
)  # fmt: skip
def test_appended_content_is_a_delta_and_any_other_change_a_replacement(before, now, more):
    assert added(before, now) == more


def grown(before, more):
    """Append parts as a reader of events does: the first may continue the last text."""
    if not before or not more or "text" not in before[-1] or "text" not in more[0]:
        return before + more
    rest = [{key: value for key, value in part.items() if key != "text"} for part in (before[-1], more[0])]
    if rest[0] != rest[1]:
        return before + more
    return [*before[:-1], {**rest[0], "text": before[-1]["text"] + more[0]["text"]}, *more[1:]]


@given(data=files_of(torn=False), cuts=st.sets(st.integers(1, 30), max_size=4))
def test_events_alone_give_the_pending_content(data, cuts):
    lines = list(lines_of(data))
    places = sorted({*(cut for cut in cuts if cut < len(lines)), len(lines)})
    datas = [b"".join(lines[:place]) for place in places]
    pending = {}
    committed = {}
    changes = Changes()
    views = (fold(parse(data)) for data in datas)
    events = (event for view in views for _, event in changes.update(list(enumerate(view.messages, 1))))
    for line in events:
        if "event" not in line:
            committed[line["id"]] = line["parts"]
            pending[line["id"]] = line.get("pending", [])
        elif line["event"] == "replace":
            pending[line["id"]] = line["parts"]
        elif line["event"] == "delta":
            pending[line["id"]] = grown(pending.get(line["id"], []), line["parts"])
    view = fold(parse(data))
    for message in view.messages:
        if not message.committed and message.pending:
            assert pending[message.id] == message.pending
    assert {m.id for m in view.messages if m.committed} <= committed.keys()


QUIET = Env(stderr=99)


@given(data=some.files_of() | plain_files(), last=st.integers(1, 5))
def test_the_end_of_a_big_log(data, last, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    target = Target(str(path), "")
    small = show.read(QUIET, target, show.Options(last=last), {})[0]
    with mock.patch.object(show, "BIG", 0):
        big = show.read(QUIET, target, show.Options(last=last), {})[0]
    as_json = show.message_json
    assert [as_json(*message) for message in big] == [as_json(*message) for message in small]
    everything = show.read(QUIET, target, show.Options(), {})[0]
    assert [as_json(*message) for message in small] == [as_json(*message) for message in everything[-last:]]


def test_damage_of_a_big_log_is_reported(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text('{"role":"user","parts":[]}\nno json\n{"role":"user","parts":[]}\n')
    with mock.patch.object(show, "BIG", 0), pytest.raises(BadData, match=r"line 2, byte 27"):
        show.read(QUIET, Target(str(path), ""), show.Options(last=1, strict=True), {})


def test_a_curated_view_follows_the_settings_of_the_session(home):
    for text in ("System: be kind", "# IDE Context", "# IDE Context", "hi"):
        run_ok("append", "-s", "demo", "-m", text)
    run_ok("append", "-s", "demo", "--role", "model", "-m", "yes<x>no</x>")
    run_ok("set", "-s", "demo", "curate.skip=ide", "curate.keep-system=kind", "curate.remove=<x>.*</x>")
    shown = run_ok("show", "demo", "--curated", "--jsonl").lines
    exported = run_ok("curate", "demo").lines
    texts = [line["parts"][0]["text"] for line in shown]
    assert texts == ["System: be kind", "# IDE Context", "# IDE Context", "hi", "yes"]
    assert texts == [line["parts"][0]["text"] for line in exported if line["type"] == "message"]


def test_a_file_without_records_is_not_a_session(tmp_path):
    path = tmp_path / "s.jsonl"
    target = Target(str(path), "")
    path.write_text("no json\n7\n")
    with pytest.raises(
        BadData, match=r"s\.jsonl: not a session: none of its lines is a record \(line 1, byte 0: "
    ):
        show.read(QUIET, target, show.Options(), {})
    path.write_text('{"type":"sess')  # a header that was being written
    assert show.read(QUIET, target, show.Options(), {})[0] == []


TEXTS = ["Look at this:", "<file a.txt>\nA\n</file>\n", "", "\nand that"]


def session(kind):
    parts = [{"text": "hm", "thought": True}, *({"text": text} for text in TEXTS)]
    return orjson.dumps({"type": "message", "id": "a", "kind": kind, "parts": parts}) + b"\n"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("user", "Look at this:\n\n<file a.txt>\nA\n</file>\n\nand that\n"),
        ("codeh", "Look at this:<file a.txt>\nA\n</file>\n\nand that\n"),  # pieces of one text
    ],
)
def test_2026_11_23_a_prompt_and_its_files_stay_apart(kind, expected, tmp_path):
    write_session(tmp_path, session(kind))
    assert run_in_process("last", "s", home=tmp_path).out.decode() == expected
    line = orjson.loads(run_in_process("last", "s", "--json", home=tmp_path).out)
    assert line["text"] == expected.removesuffix("\n")
    if kind == "user":
        (exchange,) = orjson.loads(run_in_process("export", "s", "--to", "exchanges", home=tmp_path).out)
        assert exchange["userMessage"] == line["text"]


# -- --follow, in a real process beside those that write ---------------------------------------------------


PATIENCE = 60.0  # how long anything may take before the test gives up


class Followed:
    """A running `show --follow` and what it has printed."""

    def __init__(self, *argv):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = support.start("show", *argv, "--follow", **pipes)
        self.text = ""

    def until(self, ending):
        """The output since the last call, once it ends with this."""
        assert self.process.stdout is not None
        printed = ""
        deadline = time.monotonic() + PATIENCE
        while not printed.endswith(ending):
            assert time.monotonic() < deadline, printed
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                chunk = os.read(self.process.stdout.fileno(), 65536)
                assert chunk, printed
                printed += chunk.decode()
        return printed

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def demo(home):
    append("one")
    return support.session_path(home, "demo")


def append(text, *more):
    return support.run("append", "-s", "demo", "-m", text, *more).text


def write(path, *records):
    with path.open("ab") as file:
        file.write(b"".join(orjson.dumps(record) + b"\n" for record in records))


@pytest.fixture
def following(demo):
    followed = Followed("demo", "-n", "1")
    followed.until("one\n\n")
    yield followed
    followed.process.kill()
    followed.process.wait()


def test_new_messages(following):
    append("two")
    assert following.until("two\n\n").startswith(":2 user ")
    append("three")
    assert following.until("three\n\n").startswith(":3 user ")
    assert following.stop() == 130
    assert following.process.stderr is not None
    assert following.process.stderr.read() == b""


def test_a_stream_as_it_grows(following, demo):
    write(demo, opened("m"))
    following.until(":2 model - m pending")
    write(demo, delta("m", "Hel"))
    following.until("\n    Hel")
    write(demo, delta("m", "lo\nyou"))
    assert following.until("you") == "lo\n    you"
    write(demo, {"type": "commit", "of": "m", "parts": [{"text": "Hello\nyou!"}]})
    assert following.until("\n\n") == "!\n\n"
    append("next")
    assert following.until("next\n\n").startswith(":3 user ")


def test_two_streams_at_once(following, demo):
    write(demo, opened("a"), delta("a", "A"))
    following.until("    A")
    write(demo, opened("b"), delta("b", "B"))
    assert following.until("    B") == "\n\n:3 model - b pending\n    B"
    write(demo, delta("a", "1"), {"type": "commit", "of": "a"})
    assert following.until("A1\n\n") == "\n\n:2 model - a\n    A1\n\n"
    write(demo, {"type": "commit", "of": "b"})
    assert following.until("B\n\n") == ":3 model - b\n    B\n\n"


def test_an_aborted_stream(following, demo):
    write(demo, opened("a"), delta("a", "A"))
    following.until("    A")
    write(demo, {"type": "abort", "of": "a", "reason": "cut\x1b"})
    assert following.until("]") == "\n  [aborted: cut^[]"


def test_an_update_is_printed_again(following, demo):
    support.run("update", "-s", "demo", ":1", "-m", "better")
    assert following.until("better\n\n").startswith(":1 user ")


def test_a_replaced_file_is_followed_and_a_removed_one_ends_it(following, demo):
    new = demo.with_suffix(".new")
    new.write_bytes(demo.read_bytes())
    write(new, {"type": "message", "id": "n", "kind": "user", "role": "user", "parts": [{"text": "new"}]})
    new.replace(demo)
    assert following.until("new\n\n") == ":2 user - n\n    new\n\n"
    demo.unlink()
    assert following.process.wait(PATIENCE) == 3


def test_a_closed_reader_ends_it_silently(following):
    assert following.process.stdout is not None
    following.process.stdout.close()
    assert following.process.wait(PATIENCE) == 141
    assert following.process.stderr is not None
    assert following.process.stderr.read() == b""


def test_pending_content_is_reported_as_it_grows(demo):
    followed = Followed("demo", "-n", "1", "--jsonl")
    followed.until("\n")
    events = []
    for record in (
        opened("m"),
        delta("m", "Ray"),
        {"type": "delta", "of": "m", "parts": [{"text": "leigh"}, {"functionCall": {"name": "f"}}]},
        {"type": "update", "id": "u", "of": "m", "parts": [{"text": "Mie"}]},
        {"type": "abort", "of": "m", "reason": "cut"},
        {"type": "commit", "of": "m"},
    ):
        write(demo, record)
        events += [orjson.loads(line) for line in followed.until("\n").splitlines()]
    assert [line.pop("event", "message") for line in events] == [
        "delta", "delta", "delta", "replace", "abort", "message",
    ]  # fmt: skip
    assert events[0] == {"id": "m", "n": 2, "kind": "codeh", "role": "model", "parts": []}
    assert [line["parts"] for line in events[1:4]] == [
        [{"text": "Ray"}], [{"text": "leigh"}, {"functionCall": {"name": "f"}}], [{"text": "Mie"}],
    ]  # fmt: skip
    assert events[4]["reason"] == "cut"
    assert events[5]["parts"] == [{"text": "Mie"}]
    assert followed.stop() == 130
