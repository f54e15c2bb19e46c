"""One session in many threads and processes at once, forked ones too."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codeh_history import Session
from in_process import run_ok
from support import environ

HERE = Path(__file__).parent
THREADS, PROCESSES, EACH = 4, 2, 15
PROCESS = """
import sys
from concurrent.futures import ThreadPoolExecutor
sys.path[:0] = {folders!r}
from test_shared import talk
from codeh_history import Session
session = Session.open("demo", create=True)
with ThreadPoolExecutor({threads}) as pool:
    print(all(pool.map(lambda n: talk(session, f"{{sys.argv[1]}}.{{n}}"), range({threads}))))
"""


def talk(session, name):
    """Append in some ways, and look: what was there stays, in its order, and what is stored is there."""
    before = []
    for number in range(EACH):
        if number % 5 == 4:
            with session.stream("model") as stream:
                stream.write(f"{name}:")
                stream.write(str(number))
        else:
            session.append(f"{name}:{number}", role="user" if number % 2 else "model")
        now = [message["id"] for message in session.messages]
        assert now[: len(before)] == before
        texts = stored_texts(session)
        assert f"{name}:{number}" in texts
        before = now
        if number % 5 == 0:
            session.payload("gemini", prefill=True)
    return True


def stored_texts(session):
    return ["".join(part["text"] for part in message["parts"]) for message in session.messages]


def test_nothing_is_lost_doubled_or_out_of_order(home):
    program = PROCESS.format(folders=[str(HERE), str(HERE.parent / "helpers")], threads=THREADS)
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(n)], stdout=subprocess.PIPE, env=environ(home=home))
        for n in range(PROCESSES)
    ]  # fmt: skip
    session = Session.open("demo", create=True, home=home)
    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(lambda n: talk(session, f"here.{n}"), range(THREADS)))
    for process in processes:
        assert process.communicate()[0] == b"True\n"
        assert process.returncode == 0
    names = [f"{who}.{n}" for who in ("here", *map(str, range(PROCESSES))) for n in range(THREADS)]
    stored = stored_texts(session)
    assert sorted(stored) == sorted(f"{name}:{number}" for name in names for number in range(EACH))
    for name in names:
        mine = [text for text in stored if text.startswith(f"{name}:")]
        assert mine == [f"{name}:{number}" for number in range(EACH)]
    run_ok("verify", "demo")
    fresh = Session.open("demo", home=home)
    assert fresh.messages == session.messages


def test_a_process_that_is_forked_goes_on_by_itself(session):
    session.append("before")
    assert len(session.messages) == 1
    child = os.fork()
    if not child:
        code = 1
        try:
            session.append("in the child")
            code = 0 if len(session.messages) == 2 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    session.append("after")
    assert stored_texts(session) == ["before", "in the child", "after"]


def test_a_function_may_use_the_session_that_calls_it(session):
    def model(body):
        session.append("noted meanwhile")
        assert len(session.messages) == 2
        return "an answer"

    assert session.ask("hi", to="text", via=model).text == "an answer"
    assert stored_texts(session) == ["hi", "noted meanwhile", "an answer"]


def test_the_process_stays_as_it_is(session, monkeypatch):
    import gc

    def state():
        signals = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
        return signals, dict(os.environ), os.getcwd(), gc.isenabled(), os.umask(0o22)

    os.umask(0o22)
    gc.disable()
    try:
        before = state()
        session.append("hi", key="k")
        session.ask(to="text", via=lambda body: "an answer")
        session.ask("again", to="text", via="echo so")
        with session.stream() as stream:
            stream.write("x")
        session.payload("anthropic", model="m", budget="32k")
        session.compact(in_place=True, max_items=1)
        session.export("html")
        session.undo()
        assert state() == before
    finally:
        gc.enable()


FORKS = """
import os, signal, threading, time
from codeh_history import Session

session = Session.open("demo", create=True)
session.append("first")
done, failed, counts = threading.Event(), [], [0] * 6

def appends(thread):
    while not done.is_set():
        try:
            session.append(f"{thread}")
            counts[thread] += 1
        except Exception as error:
            failed.append(error)

threads = [threading.Thread(target=appends, args=(n,)) for n in range(6)]
for thread in threads:
    thread.start()
children = []
for number in range(20):
    child = os.fork()
    if not child:
        signal.pause()
        os._exit(0)
    children.append(child)
    time.sleep(0.01)
before = sum(counts)
time.sleep(0.3)
done.set()
for thread in threads:
    thread.join()
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
assert not failed, failed
assert sum(counts) > before, "the threads wait for a lock that a child keeps"
print(1 + sum(counts))
"""
WORKERS = """
import multiprocessing, threading
from codeh_history import Session

session = Session.open("demo", create=True)

def work(number):
    for n in range(10):
        session.append(f"{number}.{n}")
    with session.stream("model") as stream:
        stream.write(f"{number}.10")
    return True

if __name__ == "__main__":
    done = threading.Event()
    def appends():
        while not done.is_set():
            session.append("parent")
    thread = threading.Thread(target=appends)
    thread.start()
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert all(pool.map(work, range(12), chunksize=1))
    done.set()
    thread.join()
    print(sum(1 for m in session.messages if m["parts"][0]["text"] != "parent"))
"""
PREFORK = """
import os, signal, socket
from codeh_history import Session

session = Session.open("demo", create=True)
session.append("first", redact=False)
session.payload("text", budget="32k")  # which opens the cache of counts
listening = socket.create_server(("127.0.0.1", 0))
workers = []
for _ in range(4):
    pid = os.fork()
    if not pid:
        while True:
            client, _ = listening.accept()
            with client:
                text = client.recv(100).decode()
                try:
                    session.append(text)
                    session.payload("text", budget="32k")
                    client.sendall(b"ok")
                except Exception as error:
                    client.sendall(repr(error).encode())
    workers.append(pid)
answers = []
for number in range(40):
    with socket.create_connection(listening.getsockname()) as client:
        client.sendall(str(number).encode())
        answers.append(client.recv(1000))
for pid in workers:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
assert set(answers) == {b"ok"}, answers
print(len(session.messages))
"""
IMPORTING = """
import os, signal, sys, threading
from pathlib import Path
from codeh_history import Session

session = Session.open("demo", create=True)
session.append("first")
folder = Path(session.path).parent
folder.joinpath("slow.py").write_text("import threading; threading.began.set(); threading.finish.wait()")
sys.path.insert(0, str(folder))
threading.began, threading.finish = threading.Event(), threading.Event()
thread = threading.Thread(target=__import__, args=("slow",))
thread.start()
threading.began.wait()
child = os.fork()
if not child:
    threading.finish.set()
    signal.alarm(10)
    import slow
    session.append("second")
    os._exit(0)
status = os.waitpid(child, 0)[1]
threading.finish.set()
thread.join()
assert not status, "a child waits for an import of a thread that it does not have"
print(len(session.messages))
"""


def texts(program, home, number):
    """Run a program; it prints how many messages are in its session."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program],
        env=environ(home=home), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    count = len(Session.open("demo", home=home).messages)
    assert int(done.stdout) == (count if number is None else number)


def test_twenty_forks_beside_threads_that_append(home):
    texts(FORKS, home, None)


@pytest.mark.parametrize(("program", "number"), [(WORKERS, 132), (PREFORK, 41), (IMPORTING, 2)])
def test_processes_that_are_forked_append_too(program, number, home):
    texts(program, home, number)
