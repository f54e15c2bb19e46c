"""Exchanges as history entries: `{id, timestamp, userMessage, assistantResponse, toolsUsed, source?}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from ..session.exchanges import exchanges, is_prompt, text_of, tools_named
from ..session.model import BESIDE, SOURCES, Json, Message
from ..session.view import said


class _Always(TypedDict):
    id: str
    timestamp: str | None
    userMessage: str
    assistantResponse: str
    toolsUsed: list[str]


class Entry(_Always, total=False):
    """One exchange, as the persisted history has it."""

    source: str


def entries(messages: Sequence[Message]) -> list[Entry]:
    """An entry for each exchange, in order; `programs.forms.history.exchange` is the inverse."""
    return [entry(group) for group in exchanges(messages)]


def entry(group: Sequence[Message]) -> Entry:
    """The entry of one exchange: its prompt, what the model said in answer, the tools it called.

    Id, time and source are the prompt's (the first message's where there is none).
    """
    sent = [message for message in group if message.role is not None and message.committed]
    prompt = next((message for message in sent if is_prompt(message)), None)
    first = prompt or group[0]
    answers = [text for message in sent if message.role == "model" and (text := text_of(message))]
    result: Entry = {
        "id": first.id, "timestamp": first.ts, "userMessage": said(prompt) if prompt else "",
        "assistantResponse": "\n\n".join(answers), "toolsUsed": tools_used(sent),
    }  # fmt: skip
    if first.fields.get("source") in SOURCES:
        result["source"] = first.fields["source"]
    return result


def written(group: Sequence[Message]) -> Json:
    """The entry of one exchange with what an imported one said besides, as it said it."""
    made: Json = {**entry(group)}
    prompt = next((message for message in group if message.id == made["id"]), group[0])
    return {**made, **beside(prompt.fields)}


def beside(fields: Json) -> Json:
    """What an imported entry says besides the fields of its record."""
    kept = fields.get(BESIDE)
    return kept if isinstance(kept, dict) else {}


def tools_used(messages: Sequence[Message]) -> list[str]:
    """The names of the tools called, each once; where an imported entry named them, as it did."""
    names: list[str] = []
    for message in messages:
        given = tools_named(message)
        called = (part["functionCall"]["name"] for part in message.parts if "functionCall" in part)
        names += [name for name in dict.fromkeys(called) if name not in names] if given is None else given
    return names
