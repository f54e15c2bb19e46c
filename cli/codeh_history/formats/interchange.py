"""What the forms for other tools share: which messages go, of what their parts are, what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .. import providers
from ..base.shared_options import beside
from ..filters.curate import passes
from ..filters.curate.passes import Settings
from ..programs.writing import is_sent, summary_of, told_apart, unsent
from ..providers.base import Options
from ..providers.parts import objects
from ..session import sources
from ..session.model import Json, Message, Part
from ..session.view import View

THOUGHT, USAGE, FAILURE = "thought", "usage record", "failure mark"  # among what is left out


class Talk(NamedTuple):
    """The messages that are sent, calls told apart by their ids and with results behind them.

    `opening`: the text of the summaries, "" for none; `tools`: as Chat Completions declares them.
    """

    messages: list[Message]
    opening: str
    system: str | None
    tools: list[Json]
    left: Counter[str]


def prepared(view: View, unanswered: str = "error") -> Talk:
    """A view for other tools; calls open at its end stay so, or with `stub` are answered."""
    whole, _, _ = passes.curate(sources.rendered(view), Settings(unanswered=unanswered), ("kinds", "pairs"))
    system, tools = beside(view.meta)
    messages = told_apart(sources.listed([*filter(is_sent, whole.messages)]))
    return Talk(messages, summary_of(view, ""), system, declared(tools), unsent(view.messages))


def declared(tools: Sequence[Json]) -> list[Json]:
    """Tools in any provider's shape as Chat Completions declares them."""
    if not tools:
        return []
    body = providers.load("openai-chat").request([], Options(tools=tools), ()).body
    found: list[Json] = body.get("tools", [])
    return found


class Content:
    """A message's parts, by what they are; the others are counted in `left`."""

    def __init__(self, message: Message, left: Counter[str]) -> None:
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[Any] = []
        self.results: list[Any] = []
        self.media: list[Any] = []
        for part in message.parts:
            self._add(part, left)

    def _add(self, part: Part, left: Counter[str]) -> None:
        if "text" in part:
            (self.thoughts if part.get("thought") else self.texts).append(part["text"])
        elif "functionCall" in part:
            self.calls.append(part)
        elif "functionResponse" in part:
            self.results.append(part["functionResponse"])
            left["result file"] += len(objects(part["functionResponse"].get("parts")))
        elif "inlineData" in part or "fileData" in part:
            self.media.append(part)
        else:
            left["provider's own part"] += 1


def counts(message: Message) -> Json:
    """What a response used, as it was stored; nothing that is no count."""
    usage = message.fields.get("usage")
    found = usage.items() if isinstance(usage, dict) else ()
    return {name: value for name, value in found if name == "raw" or type(value) is int}


def mime_of(part: Any) -> str:
    held = part.get("inlineData") or part.get("fileData") or {}
    return str(held.get("mimeType") or "application/octet-stream")


def modality_of(mime: str) -> str:
    kind = mime.partition("/")[0]
    return kind if kind in ("image", "video", "audio") else "document"


def models(messages: Sequence[Message]) -> Iterator[str]:
    """The models that answered, the newest first."""
    return (message.model for message in reversed(messages) if message.model)
