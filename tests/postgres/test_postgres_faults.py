"""Sessions in Postgres through faults: what was acknowledged is there, nothing twice, nothing half.

`make test-postgres` tries all of it (FAULTS=long), `make test` a short profile.
"""

import random
import re
import select
import socket
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from itertools import count

import orjson
import psycopg
import pytest

import postgres_server
from codeh_history import Session
from codeh_history.library.env import OpenSession
from codeh_history.store import postgres
from faults.scenarios import message
from length import FAULTS, by_length
from postgres_server import Cluster, Done, Program
from support import ROOT


class Proxy:
    """Forwards connections to a port until `cut` says otherwise.

    It sees each chunk (`to` the server, `from` it); None: it passes, True: it passes and then all is cut,
    False: cut at once.
    """

    def __init__(self, port, cut=lambda _way, _data: None):
        self.target = port
        self.cut = cut
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            for way, source, target in (("to", client, server), ("from", server, client)):
                threading.Thread(target=self._forward, args=(way, source, target), daemon=True).start()

    def _forward(self, way, source, target):
        try:
            while data := source.recv(1 << 16):
                verdict = self.cut(way, data)
                if verdict is not False:
                    target.sendall(data)
                if verdict is not None:
                    break
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


pytestmark = postgres_server.needed
LONG = FAULTS == "long"
WRITER = (ROOT / "tests" / "helpers" / "worker.py", "spread")


LOG = b'{"type":"session","version":1,"id":"demo","created":"2026-01-02T03:04:05.000Z"}\n' + b"".join(
    message(f"u{n}", f"What is {n}? " * 60)
    + message(f"m{n}", f"It is {n}. AKIAJX7Q2M5NRFTWZKP{'ABCDEF'[n]} " * 60, "codeh")
    for n in range(6)
)


@pytest.fixture
def mortal_url(mortal):
    return mortal.database(f"a{random.getrandbits(60)}")


def through(url, port):
    """The same database by way of a proxy."""
    return (
        re.sub(r"@[^/]*/", f"@127.0.0.1:{port}/", url)
        + "?connect_timeout=5&sslmode=disable&gssencmode=disable"
    )


def whole(url, id="demo"):
    """A session's bytes, once its rows are known to be what its own row says."""
    with psycopg.connect(url) as connection:
        (session,) = connection.execute(
            "SELECT lines, bytes FROM codeh_sessions WHERE id = %s", [id]
        ).fetchall() or [(0, 0)]
        rows = connection.execute(
            "SELECT number, start, line FROM codeh_lines WHERE session = %s ORDER BY number", [id]
        ).fetchall()
    assert [number for number, _, _ in rows] == list(range(session[0]))
    lines = [line for _, _, line in rows]
    assert [start for _, start, _ in rows] == [sum(map(len, lines[:n])) for n in range(len(rows))]
    data = b"".join(lines)
    assert len(data) == session[1]
    return data


# -- a cut connection -----------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("begun", "key", "by"),
    [
        (False, (), b"COMMIT\0"),
        (True, (), b"UPDATE codeh_sessions"),  # a statement that is its own commit
        (True, ("--key", "k"), b"COMMIT\0"),
    ],
)
def test_connection_cut_at_the_commit(url, tmp_path, cluster, *, after, begun, key, by):
    committing = []
    if begun:
        Program(tmp_path / "home", url)("append", "-s", "demo", "-m", "First")

    def cut(way, data):
        if way == "to" and by in data:
            committing.append(True)
            return None if after else False
        return False if committing and way == "from" else None

    proxy = Proxy(cluster.port, cut)
    words = ("append", "-s", "demo", "-m", "Once", *key)
    lost = Program(tmp_path / "home", through(url, proxy.port))(*words)
    proxy.close()
    assert lost.code == 75
    assert "unknown: look with `last`" in lost.err
    run = Program(tmp_path / "home", url)
    stored = whole(url).count(b'"Once"')
    assert stored == (1 if after else 0)
    again = run(*words) if key else run(*re.search(r"`codeh-history (append.*?)`", lost.err)[1].split())
    assert again.code == 0, again
    assert whole(url).count(b'"Once"') == 1


def test_closed_connection_is_reopened(url, tmp_path, cluster):
    proxy = Proxy(cluster.port, lambda _, data: False if b"FATAL" in data else None)
    environ = Program(tmp_path / "home", through(url, proxy.port)).environ()
    opened = Session(OpenSession(environ, "demo", create=True))
    opened.append("First")
    ids = [opened.append(f"And {number}") for number in range(3)]
    connection = postgres.of(opened.path)[0]._server.connection()
    cluster.sql(f"SELECT pg_terminate_backend({connection.info.backend_pid})")
    assert select.select([connection], [], [], 60)[0]
    ids.append(opened.append("Last"))
    proxy.close()
    assert all(whole(url).count(id.encode()) == 1 for id in ids)


def test_connection_cut_during_a_read_is_exit_75(url, tmp_path, cluster):
    Program(tmp_path / "home", url)("append", "-s", "demo", "-m", "Hello")
    proxy = Proxy(cluster.port, lambda way, data: False if way == "to" and b"codeh_lines" in data else None)
    done = Program(tmp_path / "home", through(url, proxy.port))("show", "demo")
    proxy.close()
    assert done.code == 75
    assert done.err.startswith("codeh-history: postgres://")


# -- a killed server ------------------------------------------------------------------------------------

STEPS = {
    "append": ("append", "-s", "demo", "-m", "One more"),
    "compact": ("compact", "-s", "demo", "-i", "--budget", "2000", "--counter", "approx"),
    "redact": ("redact", "-s", "demo", "-i", "--yes"),
}
FIXED = {"CODEH_NOW": "2026-01-02T03:04:05.000Z", "CODEH_ID_SEED": "seed"}
POINTS = range(1, 40) if LONG else by_length((6,), (6, 8), (6, 8))


@pytest.mark.parametrize("verb", STEPS if LONG else ("append",))
def test_server_killed_at_each_step(verb, mortal, mortal_url, tmp_path):
    """It is killed when the program has sent, or the server answered, so many times."""
    words = STEPS[verb]
    postgres.Postgres(mortal_url, "URL").create("demo", LOG)
    expected = Program(tmp_path / "home", mortal_url)(*words, **FIXED)
    assert expected.code == 0, expected
    after = whole(mortal_url)
    assert after != LOG
    tries = 0
    for point in POINTS:
        if not killed_at(point, words, mortal, mortal_url, tmp_path, after if verb == "redact" else None):
            break
        tries += 1
    assert tries
    print(f"{verb}: {tries} tries, lost 0, doubled 0")


def killed_at(point, words, mortal, url, tmp_path, after):
    """Whether the server was killed before the program was done; what it left is what it may leave."""
    store = postgres.Postgres(url, "URL")
    with store.locked("demo") as row:
        row.replace(LOG)
    store._server.close()
    steps = count(1)
    reached, killed = threading.Event(), threading.Event()

    def cut(way, data):
        step = next(steps)
        if step == point:
            reached.set()
            mortal.kill()
            killed.set()
        return None if step < point else False

    proxy = Proxy(mortal.port, cut)
    done = Program(tmp_path / "home", through(url, proxy.port))(*words, **FIXED)
    proxy.close()
    if not reached.is_set():
        assert done.code == 0, done
        return False
    assert killed.wait(30)
    mortal.start()
    left = whole(url)
    assert done.code in {0, 75}, done
    if after is None:
        assert left.startswith(LOG)
        assert left.count(b"\n") - LOG.count(b"\n") <= 1
        assert left != LOG or done.code != 0
    else:
        assert left in {LOG, after}
        assert left == after or done.code != 0
    again = Program(tmp_path / "home", url)(*words)
    assert again.code == 0, again
    return True


# -- many writers ---------------------------------------------------------------------------------------

WRITERS, EACH = (64, 40) if LONG else (6, 8)


@pytest.mark.parametrize("sessions", [1, 1000 if LONG else 5])
def test_many_writers(tmp_path, cluster, sessions):
    """Each appends records that say who, and which; readers meanwhile see beginnings of the log that it becomes.

    Whatever the database's own isolation is.
    """
    name = f"writers{sessions}"
    url = cluster.database(name)
    cluster.sql(f"ALTER DATABASE {name} SET default_transaction_isolation = serializable")
    environ = Program(tmp_path / "home", url).environ(PYTHONPATH=str(ROOT / "cli"))
    argvs = [[sys.executable, *WRITER, str(number), str(EACH), str(sessions)] for number in range(WRITERS)]
    workers = [subprocess.Popen(argv, env=environ, stdout=-1) for argv in argvs]
    store = postgres.Postgres(url, "URL")
    seen = []
    while any(worker.poll() is None for worker in workers):
        if "s0" in store.stamps():
            seen.append(store.read("s0"))
    reported = Counter(line for worker in workers for line in worker.communicate()[0].split())
    assert all(worker.returncode == 0 for worker in workers)
    logs = {id: whole(url, id) for id in store.stamps()}
    records = [orjson.loads(line) for log in logs.values() for line in log.splitlines()]
    stored = Counter(record["id"].encode() for record in records if record["type"] == "message")
    assert reported == stored
    assert set(stored.values()) == {1}
    assert len(stored) == WRITERS * EACH
    assert all(logs["s0"].startswith(part) for part in seen)
    print(
        f"{WRITERS} writers, {sessions} sessions: {len(stored)} records, lost 0, doubled 0, {len(seen)} reads"
    )


# -- another server takes over --------------------------------------------------------------------------


@pytest.fixture
def standby(mortal):
    """One that follows the other; the other waits for it with each commit."""
    second = Cluster(mortal.folder / "standby")
    second.folder.mkdir()
    postgres_server.allow(second.folder)
    options = f"-U postgres -R -c fast --no-sync -h {mortal.folder} -p {mortal.port} -D {second.data}"
    mortal.run("pg_basebackup", *options.split())
    second.start()
    mortal.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
    mortal.sql("SELECT pg_reload_conf()")
    yield second
    second.stop()
    if not mortal.ready():
        mortal.start()
    mortal.sql("ALTER SYSTEM RESET synchronous_standby_names")
    mortal.sql("SELECT pg_reload_conf()")


@pytest.mark.slow
def test_acknowledged_records_survive_a_failover(mortal, mortal_url, standby, tmp_path):
    name = mortal_url.rpartition("/")[2]
    both = f"postgres://postgres@127.0.0.1:{mortal.port},127.0.0.1:{standby.port}/{name}?target_session_attrs=read-write"
    run = Program(tmp_path / "home", both)
    runs = [run("append", "-s", "demo", "-m", f"before {n}", "--key", f"k{n}") for n in range(10)]
    environ = run.environ(PYTHONPATH=str(ROOT / "cli"))
    writer = subprocess.Popen(
        [sys.executable, *WRITER, "0", "1000000", "1"], env=environ, stdout=-1, stderr=-3
    )
    ids = [writer.stdout.readline().strip() for _ in range(50)]
    mortal.kill()
    ids += writer.communicate()[0].split()  # it has ended: its connection is cut
    standby.run("pg_ctl", "promote", "-D", standby.data, "-w")
    runs += [run("append", "-s", "demo", "-m", f"after {n}") for n in range(3)]
    again = run("append", "-s", "demo", "-m", "before 0", "--key", "k0")
    assert [done.code for done in runs] == [0] * 13, runs[-1]
    data = whole(standby.url(name))
    assert all(data.count(done.out.strip().encode()) == 1 for done in runs)
    assert again == Done(0, runs[0].out, again.err)
    other = whole(standby.url(name), "s0")
    stored = Counter(orjson.loads(line).get("id").encode() for line in other.splitlines()[1:])
    assert set(ids) <= stored.keys()
    assert set(stored.values()) == {1}
    assert len(stored) <= len(ids) + 1  # the one that was not acknowledged
    print(f"failover: {len(ids) + len(runs)} acknowledged, lost 0, doubled 0")


# -- `serve`, with many requests in flight ------------------------------------------------------------------

SESSIONS, REQUESTS = 8, 64
KILLED_AFTER = 4  # answers


def request(number):
    words = ("append", "-s", f"s{number % SESSIONS}", "-m", f"text {number}", "--key", f"k{number}")
    return orjson.dumps({"id": number, "argv": words}) + b"\n"


def test_killed_database_loses_no_response_and_no_record(mortal, tmp_path):
    url = mortal.database(f"a{random.getrandbits(60)}")
    run = Program(tmp_path / "home", url)
    serving = subprocess.Popen([run._program, "serve"], env=run.environ(), stdin=-1, stdout=-1, stderr=-3)

    def answers(numbers, killed_after=None):
        serving.stdin.write(b"".join(map(request, numbers)))
        serving.stdin.flush()
        answered = {}
        while len(answered) < len(numbers):
            answer = orjson.loads(serving.stdout.readline())
            answered[answer["id"]] = answer
            if len(answered) == killed_after:
                mortal.kill()
        return answered

    first = answers([*range(REQUESTS)], KILLED_AFTER)
    assert {answer["code"] for answer in first.values()} <= {0, 75}
    lost = [number for number, answer in first.items() if answer["code"]]
    mortal.start()
    again = answers(sorted(lost))
    assert {answer["code"] for answer in again.values()} <= {0}, again
    print(f"{len(lost)} of {REQUESTS} were asked again")
    serving.stdin.close()
    assert serving.wait(60) == 0
    stored = defaultdict(list)
    store = postgres.named(url)
    for session in store.stamps():
        stored[session] = [orjson.loads(line) for line in store.read(session).splitlines()[1:]]
    assert [len(messages) for messages in stored.values()] == [REQUESTS // SESSIONS] * SESSIONS
    ids = {number: answer["stdout"].strip() for number, answer in (first | again).items()}
    for number in range(REQUESTS):
        messages = stored[f"s{number % SESSIONS}"]
        assert [m["id"] for m in messages if m["key"] == f"k{number}"] == [ids[number]]
