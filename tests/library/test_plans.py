"""A budget planned again and again in one process: the request is the one that a fresh process would make."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history import HistoryError, Session
from compact.long import line, output
from compact.planted import conversation
from compact.recorded import records
from in_process import run_in_process, run_ok, write_session
from length import examples
from support import session_path

BEGUN = b"".join(line(record) for record in records(conversation(Random(4), 4)))
BIG = output(7, 60)
ANSWER = b'{"candidates":[{"content":{"role":"model","parts":[{"text":"Yes."}]},"finishReason":"STOP"}]}'
CONTEXT = "# IDE Context\nfile %d is open\n" + BIG[:900]
BUDGETS = ("700", "1500", "4k", "1M")


def _read(session, id, path):
    session.append(call="read_file", args={"path": path}, call_id=id)
    session.append(BIG, result="read_file", call_id=id)


def _late(session):
    """A result that comes after something else was said."""
    session.append(call="bash", args={"command": "make"}, call_id="late")
    session.append("Go on.")
    session.append("error: " + BIG[:500], result="bash", call_id="late")


def _begin(session):
    session.clear()
    session.extend([{"role": "user", "parts": [{"text": f"{n} {BIG[: 99 * n]}"}]} for n in range(9)])


def _streamed(session):
    with session.stream("model") as stream:
        stream.write("So it is. " * 9)


DOINGS = (
    lambda session, n: session.append(f"What of {n}? " + "word " * n),
    lambda session, n: session.append("We decided to keep it. " * 9, role="model"),
    lambda session, n: _read(session, f"r{n}", f"src/{n % 3}.py"),
    lambda session, n: session.append(call="bash", args={"command": f"cat {BIG[:300]}"}, call_id=f"c{n}"),
    lambda session, n: session.append(f"tail {BIG}", result="bash"),
    lambda session, n: _late(session),
    lambda session, n: session.append(CONTEXT % n),
    lambda session, n: session.append("Never touch the parser.", pin=True),
    lambda session, n: session.append("half", pending=True),
    lambda session, n: _streamed(session),
    lambda session, n: session.commit(),
    lambda session, n: session.undo(turn=bool(n % 2)),
    lambda session, n: session.update(":-1", f"Something else {n}."),
    lambda session, n: session.curate(in_place=True, thoughts="old"),
    lambda session, n: session.compact("3k", in_place=True),
    lambda session, n: session.set({"compact.keep-last": n % 3, "system": f"Be {n}."}),
    lambda session, n: _begin(session),
)


def done(session, doing, number):
    try:
        doing(session, number)
    except HistoryError:
        pass  # there was nothing to do it to


def payload(session, budget, **flags):
    try:
        return session.payload("gemini", budget=budget, unanswered="stub", prefill=True, **flags)
    except HistoryError as error:
        return error.code, str(error)


def anew(home, budget, *flags):
    argv = ("--to", "gemini", "--budget", budget, "--unanswered", "stub", "--prefill", *flags)
    found = run_in_process("payload", "demo", *argv, home=home)
    told = found.err.decode().splitlines()[-1:] or [""]
    return (found.code, told[0].removeprefix("codeh-history: ")) if found.code else found.out


@settings(max_examples=examples(6))
@given(
    st.lists(
        st.tuples(st.sampled_from(DOINGS), st.integers(0, 40), st.sampled_from(BUDGETS)),
        min_size=4,
        max_size=12,
    )
)
def test_a_plan_is_that_of_a_fresh_process(doings):
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_session(home, BEGUN, "demo")
        session = Session.open("demo", home=home)
        assert payload(session, "2k") == anew(home, "2k")
        for doing, number, budget in doings:
            done(session, doing, number)
            assert payload(session, budget) == anew(home, budget)
            flags = {"max_chars": "5k"} if number % 2 else {"policy": "loop", "keep_last": 1}
            argv = ("--max-chars", "5k") if number % 2 else ("--policy", "loop", "--keep-last", "1")
            assert payload(session, budget, **flags) == anew(home, budget, *argv)


def test_what_is_sent_otherwise_is_planned_otherwise(home):
    """Passes change old messages for one request, and leave them for the next."""
    write_session(home, BEGUN, "demo")
    session = Session.open("demo", home=home)
    thought = {"text": f"Let me see. {BIG[:600]}", "thought": True}
    for number in range(2):
        session.extend([{"role": "user", "parts": [{"text": f"What of {number}? {BIG[:400]}"}]},
                        {"role": "model", "parts": [thought, {"text": f"So {number}. " * 40}]}])  # fmt: skip
        for thoughts in ("keep", "all", "keep", "old"):
            found = payload(session, "2k", thoughts=thoughts)
            assert found == anew(home, "2k", "--thoughts", thoughts)


def test_what_is_asked_is_what_is_sent_once_it_is_stored(home, tmp_path):
    write_session(home, BEGUN, "demo")
    session = Session.open("demo", home=home)
    sent = []

    def answered(body):
        sent.append(body)
        return ANSWER

    for number, budget in enumerate(BUDGETS):
        text = f"And {number}? " + "word " * 40
        write_session(tmp_path, session_path(home, "demo").read_bytes(), "demo")
        run_ok("append", "-s", "demo", "-m", text, home=tmp_path)
        session.ask(text, to="gemini", budget=budget, via=answered)
        assert sent[-1] == anew(tmp_path, budget)
    assert len(session.messages) == len(sent) * 2 + BEGUN.count(b'"type":"message"')


def test_threads_plan_at_once(home):
    write_session(home, BEGUN, "demo")
    session = Session.open("demo", home=home)
    for number in range(4):
        session.append(f"And {number}? " + "word " * 20)
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda budget: payload(session, budget), BUDGETS * 2))
        assert found == [anew(home, budget) for budget in BUDGETS] * 2
