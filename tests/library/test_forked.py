"""A program that appends and forks refuses nobody: not its own threads, its children, or other programs."""

import subprocess
import sys

import pytest

from codeh_history import Session
from support import environ

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
PROCESSES = """
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


def said(program, home, number):
    """Run a program; it prints how many messages are in its session."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program],
        env=environ(home=home), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    there = len(Session.open("demo", home=home).messages)
    assert int(done.stdout) == (there if number is None else number)


def test_twenty_forks_beside_threads_that_append(home):
    said(FORKS, home, None)


@pytest.mark.parametrize(("program", "number"), [(PROCESSES, 132), (PREFORK, 41), (IMPORTING, 2)])
def test_processes_that_are_forked_append_too(program, number, home):
    said(program, home, number)
