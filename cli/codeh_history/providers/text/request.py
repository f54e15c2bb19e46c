"""The conversation as a transcript, for a command that takes a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...session.labels import labelled, pattern
from ...session.model import SUMMARY_HEAD, Message, Part
from ..base import Options, Transcript
from ..media import media
from ..parts import json_text, result_media, result_text
from ..turns import Turn, media_stub, runs

HEAD = "The conversation so far. Write only what the assistant says next, without a label."
_OURS = pattern()
_WHO = {"user": "User", "model": "Assistant"}


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Transcript:
    """The transcript of these messages, curated and paired; a prompt that stands alone is sent as it is.

    A line of a message that looks like one of the labels is indented, so that it is not taken for one.
    Summaries come with such lines indented, but for those that we wrote.
    """
    notes: list[str] = []
    if options.tools:
        notes.append(f"plain text offers no tools: {len(options.tools)} left out")
    if options.max_tokens is not None:
        notes.append("plain text has no --max-tokens: left out")
    entries = [("System", options.system)] if options.system else []
    if summaries:
        entries.append(("Summary", "\n\n".join([SUMMARY_HEAD, *summaries])))
    for turn in runs(messages):
        entries += _entries(turn)
    if len(entries) == 1 and entries[0][0] == "User":
        return Transcript(text=f"{entries[0][1]}\n", notes=notes)
    labels = (  # a summary has headings and speakers of its own
        f"Summary: {text}" if who == "Summary" else labelled(who, text, _OURS) for who, text in entries
    )
    return Transcript(text="\n\n".join([HEAD, *labels]) + "\n", notes=notes)


def _entries(turn: Turn) -> list[tuple[str, str]]:
    """What a turn says, each with its label; thoughts and what only one provider knows are left out."""
    entries: list[tuple[str, str]] = []
    texts: list[str] = []
    for part in turn.parts:
        held: Any = part
        if "functionCall" in part:
            call = held["functionCall"]
            entries.append(("Tool call", f"{call.get('name')} {json_text(call.get('args') or {})}"))
        elif "functionResponse" in part:
            response = held["functionResponse"]
            text = result_text(response.get("response"))
            entries.append(("Tool result", f"{response.get('name')}: {text}"))
            entries += [("Tool result", _file(media)) for media in result_media(response)]
        elif "text" in part:
            texts.append("" if part.get("thought") else str(part["text"]))
        elif "native" not in part:
            texts.append(_file(part))
    if turn.role == "model":  # whose texts come in pieces; a user's were put together
        text = "".join(texts).strip("\n")
    else:
        text = "\n\n".join(piece.strip("\n") for piece in texts if piece).strip("\n")
    blank = any(texts) and [*map(len, turn.parts)] == [1] and not turn.item  # a message all the same
    return [(_WHO[turn.role], text), *entries] if text or blank else entries


def _file(part: Part) -> str:
    """A text file's text, named; any other file by its type and size."""
    held = media(part)
    text = held.text() if held is not None and held.textual and held.data is not None else None
    if held is None or text is None:
        return media_stub(part, "not sent as text")
    return f"[{held.name or held.mime}]\n{text}"
