"""The gate: what a command may not put in place of history, and honest summaries that pass."""

import random
import re

import orjson
import pytest

from codeh_history.session.exchanges import exchanges
from codeh_history.summaries import faithful, gate
from codeh_history.summaries.faithful import problems as faithful_problems
from codeh_history.summaries.gate import contradicted as call_problems
from codeh_history.summaries.gate import problems
from codeh_history.summaries.request import nameable
from compact.short import tool_call
from histories import model, session, user
from recorded import coding, support, view_of
from support import ROOT, corpus

SOURCE = """\
The deploy of orders-api v2.3.1 to https://status.example.com/deploys/8841 failed on 2026-01-15.
Edited src/orders/retry.py and /etc/nginx/conf.d/orders.conf; PR #312 fixes ticket OPS-4471 (commit 9f3c2ab71d).
Latency fell from 1,250 ms to 85 ms; three retries; budget 48000 EUR; mail ops@example.com; host db-7.
Since Feb 20 rent is 12,400 a month for 1.204.553 rows; a login takes 0.981 s; pull/482 has +61 -4 lines.
"""
PROMPT = (
    f"Summarize the following 3 conversations between a user and an assistant.\n\nUser: hello\n{SOURCE}"
)


def quarters(texts):
    """A token is four characters."""
    return [len(text) // 4 for text in texts]


def reasons(text, source=SOURCE, prompt=PROMPT, **how):
    return "; ".join(problems(text, source, prompt, 400, quarters, **how))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "blank"),
        (" \n\t ", "blank"),
        (PROMPT, "echo"),
        (SOURCE, "echo"),
        ("Summarize the following 3 conversations between a user and an assistant. Yes.", "echo"),
        ("\x00\x01\x02 binary", "control characters"),
        ("The user\ufffd\ufffd asked", "control characters"),
    ],
)
def test_refused_even_without_the_check_of_names(text, reason):
    assert reason in reasons(text)
    assert reason in reasons(text, checked=False)


def test_a_summary_must_be_shorter_than_its_source():
    shorter = "it is not shorter than its source"
    assert problems("The user asked.", SOURCE, PROMPT, 3, quarters) == [f"{shorter} (3 of 3 tokens)"]


FAITHFUL = """
The deploy of orders-api v2.3.1 failed on 2026-01-15.
Version 2.3.1 failed on January 15, 2026; see https://status.example.com/deploys/8841.
Edited `src/orders/retry.py`, orders/retry.py and /etc/nginx/conf.d/orders.conf.
PR #312 fixes OPS-4471 (commit 9f3c2ab).
Latency fell from 1250 ms to 85ms, with 3 retries. Budget: 48,000 EUR.
1. The deploy failed\\n2. The latency fell\\n3. Two of 5 points are open
Contact ops@example.com, host db-7; the client/server parts and/or the UI.
Error handling was improved: retries now wait.
Rate limiting was discussed. The user prefers short answers, e.g. lists.
On 15/01/2026 3/4 of the retries went well.
Node.js was mentioned as an option for the deploy, i.e. not chosen.
**Files Modified/Created:** `src/orders/retry.py`; it failed on 15.01.2026.
Rent is 12.4k; latency fell by 1\u202f165 ms; 1.2 million rows; a login takes 981 ms, rounded 0.98 s; nearly 9,000 deploys.
Due 2026-02-20, the 20th of February, 20. Februar, 20 de feb, 20.2. and 2/20/2026; 65 lines changed in #482.
The deploy of v2.3.1 took 90 minutes, 12.5% more than planned, which is 25 miles off.
Step 3 may fail again in Q2. \u89c1https://status.example.com/deploys/8841\u3002
\u6708\u79df 12400\uff0c2\u670820\u65e5\u8d77\uff1bPR #482\u3002
"""
UNFAITHFUL = """
Edited src/orders/queue.py. | a path: src/orders/queue.py
Fixed 41/43 tests. | a path: 41/43
See /etc/passwd for more. | a path: /etc/passwd
The services/auth module failed. | a path: services/auth
Edited queue.py. | a file: queue.py
Write to bob@evil.example.net. | an address: bob@evil.example.net
Ask root@example.com. | an address: root@example.com
See https://evil.example.net/x. | a URL: https://evil.example.net/x
Latency fell to 42 ms. | a number: 42
Budget 48500 EUR. | a number: 48500
It rose by 12.5. | a number: 12.5
Rent is 14,200. | a number: 14,200
Rent is 124,000. | a number: 124,000
A login takes 918 ms. | a number: 918
It is rows 1.3 million. | a number: 1.3
Release v2.3.2 failed. | a number: 2.3.2
It is due on Feb 21. | a date: Feb 21
It is due on 20 March. | a date: 20 March
It is due on 2026-02-15. | a date: 2026-02-15
It is due on 2\u670821\u65e5. | a date: 2\u670821\u65e5
PR #428 is open. | an id: #428
Ticket OPS-4472 is open. | an id: OPS-4472
PR #313 fixes it. | an id: #313
Commit deadbeef99 fixes it. | an id: deadbeef99
Host db-8 is down. | an id: db-8
It failed on 2026-01-16. | a date: 2026-01-16
The user said "never push to main". | a quote: never push to main
It ran `make deploy all`. | a quote: make deploy all
"""


@pytest.mark.parametrize("text", FAITHFUL.strip().split("\n"))
def test_what_the_source_has_in_any_notation_is_accepted(text):
    assert reasons(text.replace("\\n", "\n")) == ""


@pytest.mark.parametrize("row", UNFAITHFUL.strip().split("\n"))
def test_what_the_source_does_not_have_is_refused(row):
    text, _, missing = row.partition(" | ")
    kind, _, name = missing.partition(": ")
    assert f"it names {kind} that its source does not have: {name}" in reasons(text)
    assert reasons(text, checked=False) == ""


def test_the_outline_of_a_real_session_is_faithful_and_its_mutants_are_not():
    """Every name of a faithful summary altered a little, one at a time: the share that is caught, printed."""
    chance = random.Random(7)
    caught = tried = 0
    for records in [coding(), *support()[::4]]:
        source = nameable(view_of(records).messages)
        paths = sorted(set(re.findall(r"(?:[\w.-]+/){2,}[\w-]+\.\w+", source)))
        ids = sorted(set(re.findall(r"\b[a-z]+_[a-z]+_\d{4}\b|\b[A-Z]{3}\d{3}\b", source)))
        numbers = sorted(set(re.findall(r"(?<![\w.,-])\d{3,4}(?![\w.,-])", source)))
        for names in (paths, ids, numbers):
            for name in chance.sample(names, min(3, len(names))):
                assert not faithful.problems(f"The user worked on {name} there.", source), name
                mutant = mutated(name, chance)
                if mutant in source:
                    continue
                tried += 1
                caught += bool(faithful.problems(f"The user worked on {mutant} there.", source))
    print(f"altered names caught: {caught}/{tried}")
    assert tried > 30
    assert caught >= 0.9 * tried  # a number may be a sum or difference


def mutated(name, chance):
    """The name with one letter or digit of its last part another one."""
    at = chance.choice([n for n, char in enumerate(name) if char.isalnum() and n >= len(name) // 2])
    pool = "3456789" if name[at].isdigit() else "qxzkvw"
    return name[:at] + chance.choice([c for c in pool if c != name[at]]) + name[at + 1 :]


@pytest.mark.parametrize(
    "text, prompt, expected",
    [
        ("The user likes tea.", "x " * 50 + "The user likes tea. " + "y " * 50, False),
        ("User: the person who asked\nTopic: tea", "User: hi there\n" * 20, False),
        ("a b c d", "a b c d e", True),
    ],
)
def test_echo(text, prompt, expected):
    assert gate.is_echo(text, prompt) == expected


MESSAGES = session([
    user("Please cancel W7 and W8, and refund W9. My sister cancelled K5 herself."),
    *tool_call("a", "get_orders", {"user": "Mia_1", "friend": "Mia"}, {"orders": ["W7", "W8", "W9", "K5"]}),
    *tool_call("b", "cancel_order", {"order_id": "W7", "reason": "late"}, {"status": "cancelled"}),
    *tool_call("c", "refundOrder", {"order_id": "W9"}, {"error": "Tool call refundOrder failed with error: too old"}),
    *tool_call("d", "get_order", {"order_id": "W8"}, {"status": "open"}),
    *tool_call("d2", "get_order", {"order_id": "K5"}, {"status": "open"}),
    *tool_call("e", "send_mail", {"to": "Anna", "about": "the order"}, {"output": "ok"}),
    *tool_call("f", "bash", {"command": "make test"}, {"output": "1 failed\nCommand exited with code 2"}),
    *tool_call("g", "bash", {"command": "make lint"}, {"output": "clean"}),
    *tool_call("h", "edit_file", {"path": "src/a.py"}, {"error": "old string not found"}),
    *tool_call("i", "edit_file", {"path": "src/b.py"}, {"output": "ok"}),
    *tool_call("i2", "edit_file", {"path": "src/c.py"}, {"error": "old string not found"}),
    *tool_call("i3", "bash", {"command": "sed -i s/a/b/ src/c.py"}, {"output": ""}),
    *tool_call("j", "deploy", {"to": "staging"}, {"error": "timeout"}),
    *tool_call("k", "book_room", {"room": "R12"}, {"status": "booked", "total": 1200}),
    model("W7 is cancelled. W9 was refunded. I cannot approve K5."),
]).messages  # fmt: skip


@pytest.mark.parametrize("text", [
    "W7 was cancelled, and W8 was cancelled too.", "The agent cancelled W7 and W8.", "W8 has been cancelled.",
    "W7 was cancelled, W8 was cancelled too.", "W7 was cancelled and W8 was cancelled.", "W8, W7 were cancelled.",
    "W8 and W7 were cancelled.", "The refund of W9 went well: W9 was refunded.", "W9 was refunded.", "`make test` passed.", "`make lint` failed.",
    "W7 was cancelled, W8 too.", "W7 was cancelled (and W8 too).", "- Cancelled W8\n- Nothing else", "It was deployed to staging.", "`src/a.py` was updated, and a.py was tested.",
    "The deployment succeeded.", "The deployment to staging was successful.", "The booking of R12 failed.", "The edit of b.py failed.", "All 48 tests pass.",
])  # fmt: skip
def test_claims_without_a_call_are_refused(text):
    (problem, *_) = call_problems(text, MESSAGES)
    assert problem.startswith("no call supports this claim: ")


@pytest.mark.parametrize("text", [
    "W7 was cancelled.", "The agent cancelled W7 because it was late.", "The user asked to have W7 and W8 cancelled.",
    "W8 was not cancelled.", "W8 still has to be cancelled.", "W9 could not be refunded.", "The refund of W9 failed.",
    "The user's sister cancelled K5 herself.", "A mail was sent to Anna about the order.", "W7 was cancelled; W8 remains open.",
    "`make lint` passed.", "`make test` failed.", "`make docs` passed.", "W8 was upgraded.", "The trip was cancelled.",
    "W7 was cancelled but W8 was not.", "W7 was cancelled, W8 has stayed open.", "W7 was cancelled and W8 was delivered.",
    "The agent cancelled W7, and the W8 is open.", "W7 was cancelled, W8 stays open.", "W7 was cancelled (W8 stays open).",
    "W7 was cancelled and W8 stayed open.", "W7 cancelled, W8 untouched.", "W7 was cancelled, leaving W8 open.",
    "`src/b.py` was updated.", "c.py was edited.", "The deployment failed.", "The room R12 was booked for 1,200.", "The edit of a.py failed.",
    "Nothing was deployed.", "The deployment was unsuccessful.", "The booking of R12 went through.", "The user deployed it by hand.", "W8 and K5 were ordered.", "Files: a.py (read), b.py (edited)", "48 tests pass, one fails.",
    "A mail about Mia was sent to Anna.", "The user asked whether W7 was shipped and W8 was cancelled.",
])  # fmt: skip
def test_what_calls_did_and_what_nobody_can_know_is_taken(text):
    assert call_problems(text, MESSAGES) == []


def test_tests_passed_if_only_a_later_step_of_their_command_failed():
    command, output = (
        {"command": "pytest && ruff check ."},
        {"output": "9 passed\nFound 1 error.", "exit_code": 1},
    )
    messages = session([user("Go"), *tool_call("a", "bash", command, output)]).messages
    assert call_problems("All tests passed.", messages) == []


def test_a_command_that_passed_later_failed_before():
    runs = [{"output": "1 failed", "exit_code": 1}, {"output": "8 passed", "exit_code": 0}]
    calls = [
        turn
        for n, run in enumerate(runs)
        for turn in tool_call(f"a{n}", "bash", {"command": "pytest"}, run)
    ]
    messages = session([user("Go"), *calls]).messages
    assert call_problems("`pytest` failed; then it was mended and `pytest` passed.", messages) == []


def test_tests_did_not_pass_if_the_last_run_names_failures_too():
    result = {"output": "1 failed, 7 passed in 2s", "exit_code": 1}
    messages = session([user("Go"), *tool_call("a", "bash", {"command": "pytest"}, result)]).messages
    assert call_problems("All tests passed.", messages) != []


def test_what_was_wanted_but_only_looked_at_was_not_done():
    looked = tool_call("a", "get_order", {"id": "W8"}, {"output": "open"})
    messages = session([user("Please cancel W8."), *looked, model("It is open.")]).messages
    assert call_problems("W8 was cancelled.", messages) != []
    assert call_problems("W8 was booked.", messages) == []


def test_without_calls_nothing_is_claimed():
    assert call_problems("W8 was cancelled.", ()) == []
    assert call_problems("W8 was cancelled.", session([user("Cancel W8."), model("Done.")]).messages) == []


HONEST = orjson.loads((ROOT / "tests/summaries/honest.json").read_bytes())


def batches():
    """Each honest summary with the messages that it is of."""
    talks, sessions = support(), exchanges(view_of(coding()).messages)
    made = []
    for entry in HONEST:
        kind, _, name = entry["of"].partition(" ")
        if kind == "meeting":
            turns = orjson.loads(corpus("meetings", f"{name}.json").read_bytes())["turns"]
            spoken = [f"{who}: {text}" for who, text in turns[entry["first"] : entry["last"]]]
            messages = view_of(
                {"kind": "user", "role": "user", "parts": [{"text": text}]} for text in spoken
            ).messages
        elif kind == "support":
            messages = view_of(talks[int(name)]).messages
        else:
            messages = [message for group in sessions[entry["first"] : entry["last"]] for message in group]
        made.append((entry["summary"], messages))
    return made


def test_honest_summaries_are_taken():
    """20 real batches, five of the summaries in German; calls are held to what they returned."""
    refused = []
    for summary, messages in batches():
        source = nameable(messages, [str(len(messages))])
        refused += gate.problems(summary, source, "x " * 9000, 9999, quarters, messages=messages)
    assert len(HONEST) == 20
    assert refused == []


RECORD = 'System: today is 2026-11-23. The user said "never push to main" and ran `make all`; he wants tea and cakes.'


@pytest.mark.parametrize(("text", "kind"), [
    ("The user said “never push to main”.", None), ("He ran `make all` on 2026-11-23.", None), ("He wants “tea”.", None),
    ("He said “never push …” and “he wants [some] tea”.", None), ("Der Nutzer will „niemals nach main“.", None),
    ("The user said “always push to main”.", "quote"), ("He ran `make clean all`.", "quote"), ("The user met Maria in Berlin.", None),
    ("Qwertz uiop asdf ghjkl yxcvb.", "none of"), ("User wants tea.", None),
])  # fmt: skip
def test_quotes_and_words_must_be_in_the_source(text, kind):
    problems = faithful_problems(text, RECORD)
    assert (kind in problems[0]) if kind else not problems
