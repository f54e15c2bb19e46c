"""What a summary says that calls did, held against what they returned."""

import pytest

from codeh_history.summaries.gate.calls import problems
from histories import call, model, result, session, tool, user


def done(id, name, args, response):
    return [model(call(name, id, args)), tool(result(name, id, response))]


MESSAGES = session([
    user("Please cancel W7 and W8, and refund W9. My sister cancelled K5 herself."),
    *done("a", "get_orders", {"user": "Mia_1"}, {"orders": ["W7", "W8", "W9", "K5"]}),
    *done("b", "cancel_order", {"order_id": "W7", "reason": "late"}, {"status": "cancelled"}),
    *done("c", "refundOrder", {"order_id": "W9"}, {"error": "Tool call refundOrder failed with error: too old"}),
    *done("d", "get_order", {"order_id": "W8"}, {"status": "open"}),
    *done("d2", "get_order", {"order_id": "K5"}, {"status": "open"}),
    *done("e", "send_mail", {"to": "Anna", "about": "the order"}, {"output": "ok"}),
    *done("f", "bash", {"command": "make test"}, {"output": "1 failed\nCommand exited with code 2"}),
    *done("g", "bash", {"command": "make lint"}, {"output": "clean"}),
    model("W7 is cancelled."),
]).messages  # fmt: skip


@pytest.mark.parametrize("text", [
    "W7 was cancelled, and W8 was cancelled too.", "The agent cancelled W7 and W8.", "W8 has been cancelled.",
    "The refund of W9 went well: W9 was refunded.", "W9 was refunded.", "`make test` passed.", "`make lint` failed.",
    "- Cancelled W8\n- Nothing else",
])  # fmt: skip
def test_what_no_call_did_is_refused(text):
    (found, *_) = problems(text, MESSAGES)
    assert found.startswith("it says what no call returned: ")


@pytest.mark.parametrize("text", [
    "W7 was cancelled.", "The agent cancelled W7 because it was late.", "The user asked to have W7 and W8 cancelled.",
    "W8 was not cancelled.", "W8 still has to be cancelled.", "W9 could not be refunded.", "The refund of W9 failed.",
    "The user's sister cancelled K5 herself.", "A mail was sent to Anna about the order.", "W7 was cancelled; W8 remains open.",
    "`make lint` passed.", "`make test` failed.", "`make docs` passed.", "W8 was upgraded.", "The trip was cancelled.",
    "W7 was cancelled but W8 was not.",
])  # fmt: skip
def test_what_calls_did_and_what_nobody_can_know_is_taken(text):
    assert problems(text, MESSAGES) == []


def test_without_calls_nothing_is_claimed():
    assert problems("W8 was cancelled.", ()) == []
    assert problems("W8 was cancelled.", session([user("Cancel W8."), model("Done.")]).messages) == []
