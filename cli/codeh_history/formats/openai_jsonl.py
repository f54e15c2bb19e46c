"""`openai-jsonl`: a conversation per line, `{messages, tools?}`, as in fine-tuning files."""

from __future__ import annotations

from .. import providers
from ..programs.writing import lines, thoughts
from ..providers.parts import answer
from ..providers.request import Options
from ..session.model import Json
from ..session.view import View
from . import Exported
from .interchange import FAILURE, THOUGHT, USAGE, counts, prepare


def export(view: View) -> Exported:
    """Export the messages in the format of Chat Completions, with a result for each call."""
    messages, opening, system, tools, _, left_out = prepare(view, "stub")
    request = providers.Format("openai-chat").request(messages, Options(system=system, tools=tools), ())
    body, first = request.body, 1 if system else 0
    summary = [{"role": "user", "content": opening}] if opening else []
    written = body["messages"]
    value: Json = {"messages": [*written[:first], *summary, *written[first:]]}
    if "tools" in body:
        value["tools"] = body["tools"]
    responses = [
        part["functionResponse"] for m in messages for part in m.parts if "functionResponse" in part
    ]
    left_out["unsupported part"] += sum(note.startswith("message ") for note in request.notes)
    left_out[THOUGHT] += thoughts(messages)
    left_out[FAILURE] += sum(answer(response.get("response"))[1] for response in responses)
    left_out[USAGE] += sum(bool(counts(message)) for message in messages)
    return Exported(lines([value]), left_out)
