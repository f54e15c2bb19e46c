"""The golden cases through one `serve`: the same stdout, stderr and exit code as of a process each.

`codeh-history` is then a script that asks the server for what its command line says and ends as the answer does.
"""

import base64
import itertools
import socket
import sys
import tempfile
import threading
from pathlib import Path

import orjson
import pytest

import cases
from cases import CASES, scratch
from forks import script
from length import by_length
from serving import Server

__all__ = ["scratch"]  # a fixture

ASKING = """\
#!{python} -IS
import sys
sys.path[:0] = {path}
import base64, json, os, socket, stat
mode = os.fstat(0).st_mode
data = None
if stat.S_ISFIFO(mode) or stat.S_ISREG(mode):
    data = b""
    while chunk := os.read(0, 1 << 20):
        data += chunk
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
request = dict(argv=sys.argv[1:], cwd=os.getcwd(), env=dict(os.environ))
server.sendall(json.dumps([request, None if data is None else data.hex()]).encode() + b"\\n")
answer = json.loads(b"".join(iter(lambda: server.recv(1 << 20), b"")))
for fd, name in ((1, "stdout64"), (2, "stderr64")):
    data = base64.b64decode(answer[name])
    while data:
        data = data[os.write(fd, data):]
os._exit(answer["code"])
"""
ENV = {"PATH": "/usr/bin:/bin"}
OTHERWISE = {  # words of cases that a server cannot be told of
    "chat ": "refused",
    "<(": "a descriptor of the shell",
    "/dev/fd": "a descriptor of the shell",
    "ulimit": "a limit of the shell",
    ">&-": "a descriptor that is closed",
    "<&-": "a descriptor that is closed",
    "/dev/full": "where the answer goes is not the command's",
    "&>": "one descriptor twice",
    "2>&1": "the order of stdout and stderr",
    "| head": "a reader that leaves leaves the script",
    "grep -q": "a reader that leaves leaves the script",
    "\\377": "no text, so no JSON",
    "rmdir": "a directory without a name",
    "\ncodeh-history | ": "no verb",
}
AS_A_FILE = {"append/jsonl-all-or-nothing", "import/stdin"}  # a file there is not what a pipe is
EACH = by_length(60, 20, 20)  # one of so many is tried each time, all of them with the slow ones


def through_a_server(case):
    text = (CASES / case / "cmd").read_text()
    return case not in AS_A_FILE and not any(word in text for word in OTHERWISE)


class Bridge:
    """A server and a program that sends it requests."""

    def __init__(self, folder):
        self.server = Server(folder, only=ENV)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "socket"))
        self.listener.listen(64)
        self.ids = itertools.count()
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()
        program = folder / "bin"
        program.mkdir()
        paths = [path for path in sys.path if "lib/python" in path and "site-packages" not in path]
        script(program, ASKING.format(python=sys.executable, path=paths, address=str(folder / "socket")))
        self.program = program

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as lines:
            request, stdin = orjson.loads(lines.readline())
            piped = {} if stdin is None else {"stdin64": base64.b64encode(bytes.fromhex(stdin)).decode()}
            id = next(self.ids)
            env = {**dict.fromkeys(ENV), **request["env"]}
            self.server.send(*request["argv"], id=id, cwd=request["cwd"], env=env, **piped)
            answer = self.server.answer(id)
            for name in {"stdout", "stderr"} & answer.keys():
                answer[f"{name}64"] = base64.b64encode(answer[name].encode()).decode()
            connection.sendall(orjson.dumps(answer))


@pytest.fixture(scope="module")
def bridge():
    with tempfile.TemporaryDirectory(prefix="serve-", dir="/tmp") as folder:
        bridge = Bridge(Path(folder))
        yield bridge
        assert bridge.server.end() == 0


def sampled():
    for number, case in enumerate(filter(through_a_server, cases.cases())):
        yield pytest.param(case, marks=[pytest.mark.slow] if number % EACH else [])


def test_there_are_many():
    assert len(list(sampled())) > 200


@pytest.mark.parametrize("case", list(sampled()))
def test_a_golden_case(case, scratch, bridge):
    actual = cases.outcome(CASES / case, scratch, program_dir=bridge.program)
    expected = {name: (CASES / case / name).read_bytes() for name in cases.OUTPUTS}
    assert actual == expected
