"""A Postgres cluster for the tests, in its own folder, run by an unprivileged user."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import forks
import support

USER = "nobody"  # the server refuses to be run by root
FAST = ("fsync=off", "synchronous_commit=on")  # where no test kills it


@cache
def programs():
    """The folder of the programs of the newest installed Postgres."""
    initdb = shutil.which("initdb")
    places = [Path(initdb).resolve().parent] if initdb else []
    debian = Path("/usr/lib/postgresql")
    places += sorted(debian.glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


def lacking():
    """Why no cluster can run on this machine; None if one can."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "the psycopg package is missing"
    return "Postgres is not installed (Debian: postgresql)" if programs() is None else None


needed = pytest.mark.skipif(lacking() is not None, reason=lacking() or "")


class Cluster:
    """A server on a Unix socket and a loopback port; `settings` go to its configuration."""

    def __init__(self, folder, *settings):
        self.folder = folder
        self.data = folder / "data"
        self.port = free_port()
        self.settings = settings
        self.process = None
        self.shared = ""

    def url(self, database="postgres", host=None):
        place = (host or str(self.folder)).replace("/", "%2F")
        return f"postgres://postgres@{place}:{self.port}/{database}"

    def make(self):
        """A new cluster, not started."""
        allow(self.folder)
        self.run(*"initdb -U postgres -A trust -E UTF8 --locale=C --no-sync -D".split(), self.data)

    def start(self):
        words = [
            "-D", self.data, "-p", str(self.port), "-k", self.folder, "-c", "listen_addresses=127.0.0.1",
            "-c", "max_connections=200", "-c", "shared_buffers=32MB", "-c", "logging_collector=off",
        ]  # fmt: skip
        more = [word for setting in self.settings for word in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(programs() / "postgres"), *map(str, words), *more], **as_user(), stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, cwd=self.folder,
            )  # fmt: skip
        self.await_it()

    def await_it(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process is not None and self.process.poll() is not None:
                break
            if self.ready():
                return
            time.sleep(0.02)
        raise TimeoutError((self.folder / "log").read_text()[-2000:])

    def ready(self):
        import psycopg

        try:
            psycopg.connect(self.url(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self):
        """Kill all of the server's processes at once, like a power cut."""
        if self.process is not None:
            self.process.send_signal(signal.SIGSTOP)  # so that no child is begun that would outlive it
            children = children_of(self.process.pid)
            for pid in (self.process.pid, *children):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.wait()
            self.process = None
            (self.data / "postmaster.pid").unlink(missing_ok=True)
            for pid in children:
                while Path(f"/proc/{pid}").exists():
                    time.sleep(0.005)

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def run(self, program, *words):
        done = subprocess.run(
            [str(programs() / program), *map(str, words)],
            **as_user(),
            capture_output=True,
            check=False,
            cwd=self.folder,
        )
        assert done.returncode == 0, done.stderr.decode()

    def sql(self, statement, database="postgres"):
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def database(self, name):
        """Create a database with the tables by copying a template; return its URL."""
        from codeh_history.store.postgres import schema

        if not getattr(self, "made", False):
            self.sql("CREATE DATABASE made")
            schema.make(self.url("made"), "URL")
            self.made = True
        self.sql(f'CREATE DATABASE "{name}" TEMPLATE made')
        return self.url(name)

    def emptied(self):
        """The URL of a database with the tables that all tests share, without rows."""
        if not self.shared:
            self.shared = self.database("shared")
        self.sql("DELETE FROM codeh_sessions; DELETE FROM codeh_lines; DELETE FROM codeh_blocks", "shared")
        return self.shared


def as_user():
    """The user that runs the server: the current one, unless that is root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(USER)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def allow(folder):
    if os.geteuid() == 0:
        user = pwd.getpwnam(USER)
        os.chown(folder, user.pw_uid, user.pw_gid)


def children_of(pid):
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, check=False)
    return [int(word) for word in done.stdout.split()]


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def cluster(*settings):
    """A running cluster, removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="codeh-pg-", dir="/tmp"))  # a socket's address is short
    made = Cluster(folder, *settings)
    try:
        made.make()
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


SECRET = "pass-word-7f3a"  # which no message may hold


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Program:
    """Run the program in a new home."""

    def __init__(self, home, url):
        self.home = home
        self.url = url
        self._program = forks.shim(home.parent)

    def environ(self, **more):
        return {
            "CODEH_HOME": str(self.home),
            "CODEH_STORE": self.url,
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            **more,
        }

    def __call__(self, *argv, stdin="", **more):
        env = {"CODEH_STORE": self.url, **more}
        done = support.run(*argv, stdin=stdin.encode(), env=env, home=self.home)
        return Done(done.code, done.out.decode(), done.err.decode())
