"""A request of `serve`: what it asks for, its worker, its output, and the clients of docs/examples."""

import base64
import os
import shutil
import signal
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.base.errors import HistoryError
from codeh_history.commands.serve import worker
from codeh_history.commands.serve.request import Request, read
from codeh_history.commands.serve.worker import Output, Worker
from length import not_short
from node import EXAMPLES, node, script
from strategies import json_values
from support import PROGRAM, ROOT, environ, run


def request(**fields):
    return read(orjson.dumps({"id": 1, "argv": ["list"], **fields}))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {}), ({"id": "x"}, {"id": "x"}), ({"stdin": "ü"}, {"stdin": "ü".encode()}), ({"stdin64": "/w=="}, {"stdin": b"\xff"}),
        ({"stdin": None, "stdin64": "YQ=="}, {"stdin": b"a"}), ({"stdin": ""}, {"stdin": b""}), ({"cwd": "/x"}, {"cwd": "/x"}),
        ({"env": {"A": "1", "B": None}}, {"environ": {"A": "1", "B": None}}), ({"stream": True}, {"stream": True}),
        ({"argv": ["append", "-m", ""]}, {"argv": ["append", "-m", ""]}),
    ],
    ids=str,
)  # fmt: skip
def test_a_request_is_parsed(fields, expected):
    line = orjson.dumps({"id": 1, "argv": ["list"], **fields})
    expected = Request(**{"id": 1, "argv": ["list"], **expected})
    assert read(line) == (expected.id, expected)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"argv": []}, "argv at least the verb"), ({"argv": "list"}, "argv: must be a list"), ({"argv": ["a", 1]}, "must contain strings"),
        ({"argv": None}, "argv at least the verb"), ({"argv": ["a\0"]}, "without NUL"), ({"cwd": 1}, "cwd: must be a string"), ({"cwd": "\0"}, "without NUL"),
        ({"stream": 1}, "stream: must be true or false"), ({"env": []}, "env: must be an object"), ({"env": {"A": 1}}, "must contain strings"),
        ({"env": {"": "x"}}, "env: invalid name"), ({"env": {"A=B": "x"}}, "env: invalid name"), ({"env": {"A": "\0"}}, "without NUL"),
        ({"stdin": 1}, "stdin: must be a string"), ({"stdin64": 1}, "stdin64: must be a string"), ({"stdin64": "?"}, "stdin64: not base64"),
        ({"stdin64": "YQ"}, "stdin64: not base64"), ({"stdin": "", "stdin64": ""}, "cannot be combined"), ({"argvs": 1}, "argvs: no such field; one of id, argv"),
        ({"later": 1}, "later: no such field"), ({"argv": ["chat"]}, "`serve` does not run chat"), ({"argv": ["serve", "x"]}, "`serve` does not run serve"),
        ({"argv": ["--", "serve"]}, "`serve` does not run serve"), ({"argv": ["--", "--", "chat", "-s", "x"]}, "does not run chat"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_an_invalid_request_is_refused_by_its_id(fields, why):
    id, error = request(**fields)
    assert (id, error.exit_code) == (1, 2 if "does not run" in why else 65)
    assert why in str(error)


@pytest.mark.parametrize("id", [None, True, 1.5, [], {}])
def test_an_id_is_a_string_or_an_integer(id):
    for line in ({"id": id, "argv": ["list"]}, {"cancel": id}):
        read_id, error = read(orjson.dumps(line))
        assert read_id is None
        assert str(error).endswith(": must be a string or an integer")


def test_a_request_is_cancelled_by_its_id_alone():
    assert read(b'{"cancel":"x"}') == ("x", None)
    assert (
        str(read(b'{"cancel":1,"id":2}')[1])
        == "cancel: no such field; one of id, argv, stdin, stdin64, cwd, env, stream"
    )


@pytest.mark.parametrize(
    "line", [b"", b"{", b"\xff", b"[]", b"7", b'"x"', b'{"argv":["last"]}', b'{"cancel":null}']
)
def test_a_line_without_an_object_or_an_id_gets_a_null_id(line):
    id, error = read(line)
    assert (id, error.exit_code) == (None, 65)


@given(json_values)
def test_no_line_is_a_bug(value):
    assert isinstance(read(orjson.dumps(value))[1], HistoryError)
    _, request = read(orjson.dumps({"id": 1, "argv": value, "env": value}))
    assert isinstance(request, Request | HistoryError)


class Loop:
    """An event loop that watches nothing."""

    def add_reader(self, *_):
        pass

    remove_reader = add_reader


@contextmanager
def output(*pieces, send=None):
    """An output that has read these pieces."""
    with closing(Output("stdout", send, Loop())) as read:
        for piece in pieces:
            write(read, piece)
        yield read


def write(output, piece):
    output.theirs.write(piece)
    output.read()


def test_output_is_kept_up_to_its_limit(monkeypatch):
    monkeypatch.setattr(worker, "MOST", 10)
    with output(b"12345", b"67890") as kept:
        assert (kept.lost, kept.end("more")) == (False, {"stdout": "1234567890more"})
        write(kept, b"1")
        write(kept, b"again")
        assert (kept.lost, kept.end("lost")) == (True, {"stdout": "lost"})


def test_invalid_utf_8_is_sent_as_base64():
    with output(b"\xff") as kept:
        assert kept.end() == {"stdout64": "/w=="}


@given(
    st.lists(st.one_of(st.binary(max_size=6), st.text(max_size=6).map(str.encode)), max_size=6), st.data()
)
def test_events_carry_the_output_with_no_character_split(pieces, data):
    events = []
    whole = left = b"".join(pieces)
    with output(send=events.append) as streamed:
        while left:
            cut = data.draw(st.integers(1, len(left)))
            write(streamed, left[:cut])
            left = left[cut:]
        assert streamed.end() == {"stdout": ""}
    streamed_bytes = b"".join(
        base64.b64decode(str(each["data64"])) if "data64" in each else str(each["data"]).encode()
        for each in events
    )
    assert streamed_bytes == whole
    try:
        whole.decode()
    except UnicodeDecodeError:
        return
    assert not [each for each in events if "data64" in each]


def test_a_signal_to_a_new_worker_stays_in_the_worker(home):
    """It is a fork of the server, whose own signals come through a pipe that both hold."""
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    fd = signal.set_wakeup_fd(wake)
    try:
        for _ in range(20):
            worker = Worker(Env({}))
            worker.signal(signal.SIGTERM)
            assert worker.end() == 143
        with pytest.raises(BlockingIOError):
            os.read(woken, 1)
    finally:
        signal.set_wakeup_fd(fd)
        signal.signal(signal.SIGTERM, before)
        for each in (woken, wake):
            os.close(each)


def test_serve_takes_no_command_as_argument(home):
    done = run("serve", "show")
    assert done.code == 2
    assert b"requests are read from stdin, a JSON line each" in done.err


def test_a_terminal_gets_a_hint_of_what_serve_waits_for(home):
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [*PROGRAM, "serve"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ({}, home)
    ) as process:  # fmt: skip
        assert process.stderr is not None
        hint = process.stderr.readline()
        os.write(ours, b"\x04")
        assert process.wait(30) == 0
    for fd in (ours, theirs):
        os.close(fd)
    assert b'{"id":1,"argv":["list"]}' in hint
    assert hint.endswith(b"end it with Ctrl-D\n")


@not_short
def test_in_typescript(home, tmp_path):
    done = subprocess.run(
        [node(), Path(__file__).with_name("client.mjs"), script("serve.ts", tmp_path), orjson.dumps(PROGRAM)],
        env=environ(home=home), capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert orjson.loads(done.stdout or b"0") == {
        "texts": ["- 3\n"] * 3, "missing": 3, "piped": 0, "streamed": "streamed\n", "cancelled": 143, "code": 0,
        "after": "serve has ended (0)",
    }, done.stderr  # fmt: skip


@not_short
def test_in_go(home, tmp_path):
    go = shutil.which("go")
    if go is None:
        pytest.skip("no go here (apt install golang-go)")
    env = environ({"CODEH_COMMAND": "\n".join(PROGRAM), "GOFLAGS": "-mod=mod", "GOPROXY": "off"}, home)
    env["GOCACHE"] = str(ROOT / ".go")  # kept: the first build takes seconds
    done = subprocess.run(
        [go, "test", "-count=1", "./..."], cwd=EXAMPLES / "go", env=env, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
