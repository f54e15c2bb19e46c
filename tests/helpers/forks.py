"""Run the program by forking a process that has loaded it, in a fifth of the time of a start.

Each run is the program's `main` in a process of its own, with the client's files, directory, environment, umask
and signals. Only the interpreter's start and the imports are skipped; `pytest --processes` (`make test-all`)
skips nothing.

Run as a program, this file is the server: it listens at the given address until stdin ends. A client sends one
message (`Request`) with the files, the directory first, then each signal that it receives as a byte, and reads the
result: an exit code, negative for a signal, or `START` if a new process is needed.
"""

import array
import atexit
import gc
import importlib.util
import marshal
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import mirrored

CLI = Path(__file__).resolve().parents[2] / "cli"
AT_START = (b"PYTHON", b"LC_", b"LANG")  # what the interpreter reads once, as it starts
PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
START = b"start"
LATE = ("psycopg", "psycopg.conninfo") if importlib.util.find_spec("psycopg") else ()
MOST = 1 << 20  # bytes of a request
FILES = 64
SECONDS = 120
COUNTING = "-counting"  # ends the address of who has loaded the vocabularies, which makes a fork dearer
COUNT = {"compact", "stats", "status", "summarize", "--budget"}  # words of runs that count tokens

Request = tuple[list[str], dict[bytes, bytes], int, list[int], list[int]]
"""argv, environment, umask, the signals ignored, the numbers of the files."""

SHIM = """\
#!{python}
import sys
sys.path.insert(0, {cli!r})
sys.argv[0] = "codeh-history"
from codeh_history.main import program
program()
"""
CLIENT = """\
#!{python} -IS
import _signal, _socket, marshal, posix, sys
def start():
    posix.execv({shim!r}, [{shim!r}, *sys.argv[1:]])
def is_open(number):
    try:
        return posix.fstat(number)
    except OSError:
        return None
files = sorted(filter(is_open, map(int, posix.listdir("/proc/self/fd"))))
if files[:3] != [0, 1, 2]:
    start()
umask = posix.umask(0)
posix.umask(umask)
ignored = [number for number in {signals} if _signal.getsignal(number) == _signal.SIG_IGN]
place = posix.open(".", posix.O_RDONLY | posix.O_CLOEXEC)
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
try:
    server.connect({address!r} + {counting!r} * (not {count}.isdisjoint(sys.argv)))
    sent = b"".join(number.to_bytes(4, sys.byteorder) for number in [place, *files])
    request = marshal.dumps((sys.argv[1:], posix.environ, umask, ignored, files))
    server.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, sent)])
except OSError:
    start()
for number in set({signals}) - set(ignored):
    _signal.signal(number, lambda number, frame: server.send(bytes([number])))
answer = server.recv(16)
if answer == {start}:
    start()
code = int(answer)
if code < 0:
    _signal.signal(-code, _signal.SIG_DFL)
    posix.kill(posix.getpid(), -code)
posix._exit(code)
"""


def shim(directory):
    """Create a `codeh-history` script in this directory that runs this tree."""
    return script(directory, SHIM.format(python=sys.executable, cli=str(CLI)))


def script(directory, text):
    path = directory / "codeh-history"
    path.write_text(text)
    path.chmod(0o755)
    return path


@cache
def program():
    """A `codeh-history` script, alone in its directory, that asks this process's server; or a shim of the program."""
    if Forks.possible:
        return server().program()
    directory = Path(tempfile.mkdtemp(prefix="shim-"))
    atexit.register(shutil.rmtree, directory)
    return shim(directory)


@cache
def server():
    """The server of this process."""
    return Forks()


class Forks:
    """A server for runs whose interpreter variables (`PYTHON…`, `LC_…`) are those of this process."""

    possible = hasattr(os, "pidfd_open")  # on Linux; `pytest --processes` makes it False

    def __init__(self):
        self._directory = Path(tempfile.mkdtemp(prefix="forks-", dir="/tmp"))  # an address is short
        self._address = str(self._directory / "socket")
        self._process = subprocess.Popen(
            [sys.executable, __file__, self._address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(CLI)},
        )
        assert self._process.stdout
        assert self._process.stdout.readline() == b"ready\n"
        atexit.register(self.close)

    def close(self):
        self._process.communicate()
        shutil.rmtree(self._directory)

    def program(self):
        """A `codeh-history` script that asks the server, or starts the program if it must."""
        asking, starting = self._directory / "bin", self._directory / "start"
        asking.mkdir()
        starting.mkdir()
        values = {
            "python": sys.executable, "shim": str(shim(starting)), "signals": tuple(map(int, PASSED_ON)), "start": START,
            "counting": COUNTING, "count": COUNT,
        }  # fmt: skip
        return script(asking, CLIENT.format(address=self._address, **values))

    def run(self, argv, env, cwd, stdin):
        """The exit code, stdout and stderr; None if a new process is needed."""
        umask = os.umask(0)
        os.umask(umask)
        ignored = [int(each) for each in PASSED_ON if signal.getsignal(each) is signal.SIG_IGN]
        environ = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        request = (list(argv), environ, umask, ignored, [0, 1, 2])
        place = os.open(cwd or ".", os.O_RDONLY)
        reading, writing = os.pipe() if stdin else (os.open(os.devnull, os.O_RDONLY), -1)
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.settimeout(SECONDS)
            server.connect(self._address + COUNTING * (not COUNT.isdisjoint(argv)))
            files = [place, reading, out_end, err_end]
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]
            try:
                server.sendmsg([marshal.dumps(request)], rights)
            except OSError:  # longer than a message may be
                server.close()
            for fd in files:
                os.close(fd)
            outputs = {}
            work = [threading.Thread(target=drain, args=(fd, outputs)) for fd in (out, err)]
            if stdin:
                work.append(threading.Thread(target=pour, args=(writing, stdin)))
            for thread in work:
                thread.start()
            answer = server.recv(16) if server.fileno() != -1 else START
            for thread in work:
                thread.join()
        return None if answer == START else (int(answer), outputs[out], outputs[err])


def drain(fd, outputs):
    with open(fd, "rb") as file:
        outputs[fd] = file.read()


def pour(fd, data):
    try:
        with open(fd, "wb", buffering=0) as file:
            while data:
                data = data[file.write(data) :]
    except BrokenPipeError:
        pass


# -- the server -------------------------------------------------------------------------------------------


def load_all():
    """Import the modules that runs need, once for all."""
    import codeh_history

    for module in pkgutil.walk_packages(codeh_history.__path__, "codeh_history."):
        if not module.name.endswith(".__main__") and ".adapters." not in module.name:  # of other packages
            importlib.import_module(module.name)
    for name in ("subprocess", "tempfile", "sqlite3", "hashlib", "traceback", *LATE):
        importlib.import_module(name)


def serve(address):
    """Serve requests until stdin ends; a second process serves runs that count tokens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for those who ask
    os.fsync = os.fdatasync = lambda fd: None  # tests/faults, whose processes are their own, hold it
    sys.path[0] = str(CLI)
    ours = at_start(os.environb)
    load_all()
    gc.collect()
    gc.freeze()
    plain, counting = listening(address), listening(address + COUNTING)
    if os.fork() == 0:
        plain.close()
        if counting in select.select([counting, 0], [], [])[0]:
            load_vocabularies()
            answer_all(counting, ours)
        os._exit(0)
    counting.close()
    os.write(1, b"ready\n")
    answer_all(plain, ours)
    os.wait()


def listening(address):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(address)
    listener.listen(64)
    return listener


def load_vocabularies():
    from codeh_history.tokens import counter

    for name in counter.VOCABULARIES:
        counter.encoding(name)
    gc.freeze()


def answer_all(listener, ours):
    """Serve requests at this address until stdin ends."""
    poll = select.poll()
    poll.register(0)
    poll.register(listener, select.POLLIN)
    asking = {}  # by the descriptor of the connection
    running = {}  # that connection, by the descriptor of the process
    while True:
        for fd, _ in poll.poll():
            if fd == 0:
                return
            if fd == listener.fileno():
                connection, _ = listener.accept()
                pid = begin(connection, ours)
                if pid is None:
                    continue
                ends = os.pidfd_open(pid)
                asking[connection.fileno()] = connection, pid
                running[ends] = connection.fileno()
                poll.register(connection, select.POLLIN)
                poll.register(ends, select.POLLIN)
            elif fd in running:
                connection, pid = asking.pop(running.pop(fd))
                with suppress(KeyError):  # a client that is gone
                    poll.unregister(connection)
                poll.unregister(fd)
                os.close(fd)
                _, status = os.waitpid(pid, 0)
                with connection:
                    answer(connection, b"%d" % os.waitstatus_to_exitcode(status))
            elif fd in asking:
                connection, pid = asking[fd]
                message = hear(connection)
                os.kill(pid, message[0] if message else signal.SIGKILL)
                if not message:
                    poll.unregister(connection)


def at_start(environ):
    """The variables that the interpreter reads at startup, but for a PYTHONPATH that says where the program is."""
    ours = os.fsencode(CLI)
    return {name: value for name, value in environ.items() if name.startswith(AT_START) and value != ours}


def hear(connection):
    """Read a signal number; empty if the client is gone."""
    try:
        return connection.recv(1)
    except ConnectionError:
        return b""


def answer(connection, text):
    try:
        connection.send(text)
    except OSError:
        pass  # who asked is gone


def begin(connection, ours):
    """Start the process of a requested run; None if the request is incomplete or needs another server."""
    try:
        data, files, _, _ = socket.recv_fds(connection, MOST, FILES)
        request = marshal.loads(data)
    except (OSError, ValueError, EOFError):
        connection.close()
        return None
    try:
        if at_start(request[1]) != ours:
            answer(connection, START)
            connection.close()
            return None
        pid = os.fork()
        if pid == 0:
            try:
                become(request, files)
            except SystemExit as end:  # of Typer's completion
                sys.stdout.flush()
                os._exit(end.code or 0)
            except BaseException:  # noqa: BLE001 - what ends an interpreter with a traceback
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(1)
        return pid
    finally:
        for fd in files:
            os.close(fd)


def become(request, files):
    """Run the program as if started with these arguments in that environment."""
    argv, environ, umask, ignored, numbers = request
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    aside = max(1000, *numbers) + 1
    high = [aside + n for n in range(len(files))]
    for fd, far in zip(files, high, strict=True):
        os.dup2(fd, far)
    os.closerange(0, aside)
    os.fchdir(high[0])
    for far, number in zip(high[1:], numbers, strict=True):
        os.dup2(far, number)
    os.closerange(aside, aside + len(files))
    os.umask(umask)
    os.environ.clear()
    os.environb.update(environ)
    time.tzset()
    for name, fd, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        was = getattr(sys, name)
        stream = open(fd, mode, encoding=was.encoding, errors=was.errors, closefd=False)  # noqa: SIM115 - for good
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    from codeh_history.main import program

    sys.argv = ["codeh-history", *argv]
    if mirrored.VARIABLE in os.environ:
        mirror(program)
    program()


def mirror(program):
    """Run the program between one mirroring and the other; what ends it is what it would end with."""
    mirrored.into_the_database(os.environ)
    pid = os.fork()
    if pid == 0:
        program()
    for number in PASSED_ON:
        signal.signal(number, lambda number, _: os.kill(pid, number))
    devnull = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):  # whoever reads what the program writes sees its end
        os.dup2(devnull, fd)
    _, status = os.waitpid(pid, 0)
    mirrored.out_of_the_database(os.environ)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
