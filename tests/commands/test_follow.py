"""`show --follow` prints what arrives, in a real process beside those that write."""

import os
import select
import signal
import subprocess
import time

import orjson
import pytest

import support
from secret_examples import delta, opened

PATIENCE = 60.0  # how long anything may take before the test gives up


class Followed:
    """A running `show --follow` and what it has printed."""

    def __init__(self, *argv):
        self.process = support.start(
            "show", *argv, "--follow", stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.text = ""

    def until(self, ending):
        """What was printed since the last call, once it ends so."""
        assert self.process.stdout is not None
        found = ""
        deadline = time.monotonic() + PATIENCE
        while not found.endswith(ending):
            assert time.monotonic() < deadline, found
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                chunk = os.read(self.process.stdout.fileno(), 65536)
                assert chunk, found
                found += chunk.decode()
        return found

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def demo(home):
    said("one")
    return support.session_path(home, "demo")


def said(text, *more):
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
    said("two")
    assert following.until("two\n\n").startswith(":2 user ")
    said("three")
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
    said("next")
    assert following.until("next\n\n").startswith(":3 user ")


def test_two_streams_at_once(following, demo):
    write(
        demo,
        opened("a"),
        delta("a", "A"),
    )
    following.until("    A")
    write(
        demo,
        opened("b"),
        delta("b", "B"),
    )
    assert following.until("    B") == "\n\n:3 model - b pending\n    B"
    write(demo, delta("a", "1"), {"type": "commit", "of": "a"})
    assert following.until("A1\n\n") == "\n\n:2 model - a\n    A1\n\n"
    write(demo, {"type": "commit", "of": "b"})
    assert following.until("B\n\n") == ":3 model - b\n    B\n\n"


def test_an_aborted_stream(following, demo):
    write(
        demo,
        opened("a"),
        delta("a", "A"),
    )
    following.until("    A")
    write(demo, {"type": "abort", "of": "a", "reason": "cut\x1b"})
    assert following.until("]") == "\n  [aborted: cut^[]"


def test_an_update_is_printed_again(following, demo):
    support.run("update", "-s", "demo", ":1", "-m", "better")
    assert following.until("better\n\n").startswith(":1 user ")


def test_a_replaced_file_is_followed(following, demo):
    new = demo.with_suffix(".new")
    new.write_bytes(demo.read_bytes())
    write(new, {"type": "message", "id": "n", "kind": "user", "role": "user", "parts": [{"text": "new"}]})
    new.replace(demo)
    assert following.until("new\n\n") == ":2 user - n\n    new\n\n"


def test_a_removed_session_ends_it(following, demo):
    demo.unlink()
    assert following.process.wait(PATIENCE) == 3


def test_a_reader_that_goes_ends_it_silently(following):
    assert following.process.stdout is not None
    following.process.stdout.close()
    assert following.process.wait(PATIENCE) == 141
    assert following.process.stderr is not None
    assert following.process.stderr.read() == b""


def test_what_is_pending_is_told_as_it_grows(demo):
    followed = Followed("demo", "-n", "1", "--jsonl")
    followed.until("\n")
    told = []
    for record in (
        opened("m"),
        delta("m", "Ray"),
        {"type": "delta", "of": "m", "parts": [{"text": "leigh"}, {"functionCall": {"name": "f"}}]},
        {"type": "update", "id": "u", "of": "m", "parts": [{"text": "Mie"}]},
        {"type": "abort", "of": "m", "reason": "cut"},
        {"type": "commit", "of": "m"},
    ):
        write(demo, record)
        told += [orjson.loads(line) for line in followed.until("\n").splitlines()]
    assert [line.pop("event", "message") for line in told] == [
        "delta", "delta", "delta", "replace", "abort", "message",
    ]  # fmt: skip
    assert told[0] == {"id": "m", "n": 2, "kind": "codeh", "role": "model", "parts": []}
    assert [line["parts"] for line in told[1:4]] == [
        [{"text": "Ray"}], [{"text": "leigh"}, {"functionCall": {"name": "f"}}], [{"text": "Mie"}],
    ]  # fmt: skip
    assert told[4]["reason"] == "cut"
    assert told[5]["parts"] == [{"text": "Mie"}]
    assert followed.stop() == 130
