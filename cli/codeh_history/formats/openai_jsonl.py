"""`openai-jsonl`: a conversation per line, `{messages, tools?}`, as in fine-tuning files."""

from __future__ import annotations

from .. import providers
from ..programs.writing import lines, thoughts
from ..providers.answers import answer
from ..providers.base import Options
from ..session.model import Json, Message
from ..session.view import View
from . import Exported
from .interchange import FAILURE, THOUGHT, USAGE, counts, prepared


def export(view: View) -> Exported:
    """Export the messages in the format of Chat Completions, which requires a result for each call."""
    talk = prepared(view, "stub")
    options = Options(system=talk.system, tools=talk.tools)
    request = providers.load("openai-chat").request(talk.messages, options, ())
    body = request.body
    opening: list[Json] = [{"role": "user", "content": talk.opening}] if talk.opening else []
    messages = body["messages"]
    first = 1 if talk.system else 0
    value: Json = {"messages": [*messages[:first], *opening, *messages[first:]]}
    if "tools" in body:
        value["tools"] = body["tools"]
    talk.left["unsupported part"] += sum(note.startswith("message ") for note in request.notes)
    talk.left[THOUGHT] += thoughts(talk.messages)
    talk.left[FAILURE] += sum(map(_failed, talk.messages))
    talk.left[USAGE] += sum(bool(counts(message)) for message in talk.messages)
    return Exported(lines([value]), talk.left)


def _failed(message: Message) -> int:
    """Count the results of failed calls."""
    responses = (part["functionResponse"] for part in message.parts if "functionResponse" in part)
    return sum(answer(response.get("response"))[1] for response in responses)
