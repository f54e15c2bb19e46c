"""Shared by the formats for other tools: the messages to export, and their parts by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import providers
from ..base.shared_options import system_and_tools
from ..filters.curate import passes
from ..filters.curate.passes import Settings
from ..programs.writing import summary_of, unsent, with_unique_call_ids
from ..providers.parts import answer, arguments, objects
from ..providers.request import Options
from ..session import sources
from ..session.model import Json, Message
from ..session.view import View

THOUGHT, USAGE, FAILURE = "thought", "usage record", "failure mark"  # kinds of omitted content


class Conversation(NamedTuple):
    """The messages to export, with unique call ids and results after their calls.

    `opening` is the text of the summaries, or ""; `tools` are in the format of Chat Completions; `model` is
    the newest message's that has one.
    """

    messages: list[Message]
    opening: str
    system: str | None
    tools: list[Json]
    model: str | None
    left_out: Counter[str]


def prepare(view: View, unanswered: str = "error") -> Conversation:
    """Prepare a view for other tools; open calls at its end stay open, or get an answer with `stub`."""
    whole, _, _ = passes.curate(sources.rendered(view), Settings(unanswered=unanswered), ("kinds", "pairs"))
    system, tools = system_and_tools(view.meta)
    messages = with_unique_call_ids(sources.listed(whole.sent))
    model = next((message.model for message in reversed(messages) if message.model), None)
    return Conversation(
        messages, summary_of(view, ""), system, _as_chat_tools(tools), model, unsent(view.messages)
    )


def _as_chat_tools(tools: Sequence[Json]) -> list[Json]:
    """Convert tools from any provider's format to that of Chat Completions."""
    if not tools:
        return []
    body = providers.Format("openai-chat").request([], Options(tools=tools), ()).body
    declared: list[Json] = body.get("tools", [])
    return declared


class Content:
    """A message's parts by kind; unsupported ones are counted in `left_out`.

    Calls are (id, name, arguments), results (id, name, text, failed).
    """

    def __init__(self, message: Message, left_out: Counter[str]) -> None:
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[tuple[str, str, Json]] = []
        self.results: list[tuple[Any, Any, str, bool]] = []
        self.media: list[Any] = []
        for part in message.parts:
            if "text" in part:
                (self.thoughts if part.get("thought") else self.texts).append(part["text"])
            elif "functionCall" in part:
                call: Any = part["functionCall"]
                self.calls.append((call["id"], call["name"], arguments(part)))
            elif "functionResponse" in part:
                result: Any = part["functionResponse"]
                self.results.append((result.get("id"), result.get("name"), *answer(result.get("response"))))
                left_out["result file"] += len(objects(result.get("parts")))
            elif "inlineData" in part or "fileData" in part:
                self.media.append(part)
            else:
                left_out["provider's own part"] += 1


def counts(message: Message) -> Json:
    """Return the numbers of the usage stored with a response, and its `raw`."""
    usage = message.fields.get("usage")
    numbers = usage.items() if isinstance(usage, dict) else ()
    return {name: value for name, value in numbers if name == "raw" or type(value) is int}


def renamed(usage: Json, names: dict[str, str]) -> Json:
    """Rename counts by `names`, without those that it lacks."""
    return {new: usage[name] for name, new in names.items() if name in usage}


def mime_of(part: Any) -> str:
    media = part.get("inlineData") or part.get("fileData") or {}
    return str(media.get("mimeType") or "application/octet-stream")


def modality_of(mime: str) -> str:
    kind = mime.partition("/")[0]
    return kind if kind in ("image", "video", "audio") else "document"
