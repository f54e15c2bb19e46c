"""One session in many threads and processes at once, which read and append."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from codeh_history import Session
from inside import inside
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
        texts = said(session)
        assert f"{name}:{number}" in texts
        before = now
        if number % 5 == 0:
            session.payload("gemini", prefill=True)
    return True


def said(session):
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
    found = said(session)
    assert sorted(found) == sorted(f"{name}:{number}" for name in names for number in range(EACH))
    for name in names:
        mine = [text for text in found if text.startswith(f"{name}:")]
        assert mine == [f"{name}:{number}" for number in range(EACH)]
    assert inside("verify", "demo", home=home).code == 0
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
    assert said(session) == ["before", "in the child", "after"]


def test_a_function_may_use_the_session_that_calls_it(session):
    def model(body):
        session.append("noted meanwhile")
        assert len(session.messages) == 2
        return "an answer"

    assert session.ask("hi", to="text", via=model).text == "an answer"
    assert said(session) == ["hi", "noted meanwhile", "an answer"]


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
