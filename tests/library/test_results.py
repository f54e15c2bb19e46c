"""An answer as a program gets it: its text, its calls, and that it may be awaited."""

import asyncio

from codeh_history.library.results import Answer
from strategies import view_of

SAID = [
    {"text": "Hmm", "thought": True}, {"text": "one"}, {"functionCall": {"id": "c1", "name": "ls", "args": {"a": 1}}}, {"text": "two"},
]  # fmt: skip


def test_it_says_what_the_model_said_and_called():
    view = view_of([{"type": "message", "id": "m", "kind": "codeh", "role": "model", "parts": SAID}])
    answer = Answer(view.messages[0])
    assert answer.id == "m"
    assert answer.calls == [{"id": "c1", "name": "ls", "args": {"a": 1}}]
    assert "Hmm" not in answer.text
    assert str(answer) == answer.text
    assert repr(answer) == f"Answer('m', {answer.text!r})"
    answer.calls[0]["name"] = "changed"
    assert view.messages[0].parts[2]["functionCall"]["name"] == "ls"


def test_it_is_there_when_it_is_awaited():
    answer = Answer(
        view_of([{"type": "message", "id": "m", "kind": "codeh", "role": "model", "parts": SAID}]).messages[
            0
        ]
    )

    async def waited():
        return await answer

    assert asyncio.run(waited()) is answer
