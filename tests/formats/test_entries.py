"""Exchanges as history entries."""

import pytest

from codeh_history.formats.entries import entries
from talks import call, result, talk, view


def test_an_exchange_as_an_entry():
    records = talk(1)
    context_text = {"role": "user", "parts": [{"text": "# IDE Context\nopen: a.py"}], "id": "ide"}
    records = [
        {**context_text, "type": "message"},
        records[0],
        call("c", "k"),
        result("r", "k"),
        call("d", "l"),
        records[1],
    ]
    records[1]["source"] = "websocket"
    assert entries(view(records).messages) == [
        {"id": "u0", "timestamp": "2026-01-01T12:00:00.000Z", "userMessage": "q0", "assistantResponse": "r0",
         "toolsUsed": ["f"], "source": "websocket"}
    ]  # fmt: skip


@pytest.mark.parametrize(
    "records, expected",
    [
        ([], []),
        ([{"role": "model", "parts": [{"text": "hello"}]}], [("", "hello")]),
        ([{"role": "user", "parts": [{"text": "q"}]}], [("q", "")]),
        (
            [
                {"role": "user", "parts": [{"text": "q"}]},
                {"role": "model", "parts": [{"text": "a", "thought": True}]},
            ],
            [("q", "")],
        ),
        (
            [
                {"role": "user", "parts": [{"text": "q"}]},
                *[{"role": "model", "parts": [{"text": x}]} for x in "ab"],
            ],
            [("q", "a\n\nb")],
        ),
        (
            [
                {"role": "user", "parts": [{"text": "q"}]},
                {"type": "message", "id": "e", "kind": "error", "parts": [{"text": "429"}]},
            ],
            [("q", "")],
        ),
    ],
)
def test_odd_exchanges(records, expected):
    assert [(e["userMessage"], e["assistantResponse"]) for e in entries(view(records).messages)] == expected
