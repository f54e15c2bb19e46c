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
    conversation = prepared(view, "stub")
    options = Options(system=conversation.system, tools=conversation.tools)
    request = providers.load("openai-chat").request(conversation.messages, options, ())
    body = request.body
    opening: list[Json] = (
        [{"role": "user", "content": conversation.opening}] if conversation.opening else []
    )
    messages = body["messages"]
    first = 1 if conversation.system else 0
    value: Json = {"messages": [*messages[:first], *opening, *messages[first:]]}
    if "tools" in body:
        value["tools"] = body["tools"]
    conversation.left["unsupported part"] += sum(note.startswith("message ") for note in request.notes)
    conversation.left[THOUGHT] += thoughts(conversation.messages)
    conversation.left[FAILURE] += sum(map(_failed, conversation.messages))
    conversation.left[USAGE] += sum(bool(counts(message)) for message in conversation.messages)
    return Exported(lines([value]), conversation.left)


def _failed(message: Message) -> int:
    """Count the results of failed calls."""
    responses = (part["functionResponse"] for part in message.parts if "functionResponse" in part)
    return sum(answer(response.get("response"))[1] for response in responses)
