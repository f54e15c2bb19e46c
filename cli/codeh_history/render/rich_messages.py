"""Messages for a terminal: roles and times, Markdown from the model, tool calls, media as one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

from ..base.escape import safe, visible
from ..session.model import Message, Summary
from . import parts, plain
from .parts import Item
from .terminal import printed

if TYPE_CHECKING:
    from rich.console import RenderableType

COLOURS = {
    "user": "bold green", "codeh": "bold cyan", "tool": "bold yellow",
    "error": "bold red", "info": "bold blue",
}  # fmt: skip
LINES = 12  # how much of a tool's result is shown
CHARACTERS = 400  # how much of a call's arguments


def document(
    summaries: Sequence[Summary],
    messages: Sequence[tuple[int | None, Message]],
    *,
    width: int,
    colour: bool,
) -> bytes:
    """Summaries, messages and the list of references."""
    shown: list[RenderableType] = []
    for summary in summaries:
        shown += _summary(summary)
    ids = parts.short_ids([message.id for _, message in messages])
    for number, message in messages:
        shown += _message(number, message, ids[message.id])
    references = plain.references([message for _, message in messages])
    if references:
        shown.append(Text(references.rstrip("\n"), style="dim"))
    return printed(*shown, width=width, colour=colour) if shown else b""


def heading(number: int | None, message: Message, id: str) -> Text:
    """Number, kind, time, id, model and marks on one line."""
    text = Text()
    text.append(f":{number} " if number else ":- ", style="dim")
    text.append(message.kind, style=COLOURS[message.kind])
    text.append(visible(f"  {message.ts or '-'}  {id}  {message.model or ''}"), style="dim")
    for mark in plain.marks(message):
        text.append(visible(f"  {mark}"), style="magenta")
    return text


def _message(number: int | None, message: Message, id: str) -> Iterator[RenderableType]:
    yield heading(number, message, id)
    if message.committed:
        for item in parts.items(message.parts, message):
            yield _indented(_item(item, markdown=message.role == "model"))
    if message.pending is not None:
        for item in parts.items(message.pending, message):
            body = _item(item, markdown=False)
            if isinstance(body, Text):
                body.stylize("dim italic")
            yield _indented(body)
    yield Text("")


def _item(item: Item, *, markdown: bool) -> RenderableType:
    if item.what == "text":
        text = "\n".join(plain.text_lines(item.body))
        return Markdown(text, hyperlinks=False) if markdown else Text(text)
    if item.what == "thought":
        return Text("\n".join(plain.text_lines(item.body)), style="dim italic")
    if item.what == "call":
        return _line("→", item.head, " " + _cut(visible(item.body)))
    if item.what == "result":
        lines = plain.text_lines(item.body)
        more = [f"… {len(lines) - LINES} more lines"] if len(lines) > LINES else []
        return _line("←", item.head, "".join(f"\n{line}" for line in [*map(_cut, lines[:LINES]), *more]))
    return Text(f"[{visible(item.head)}]", style="magenta")


def _line(arrow: str, head: str, rest: str) -> Text:
    text = Text()
    text.append(f"{arrow} {visible(head)}", style="yellow")
    text.append(rest, style="dim")
    return text


def _summary(summary: Summary) -> Iterator[RenderableType]:
    yield Text(safe(plain.summary_heading(summary)), style="bold magenta")
    yield _indented(Text("\n".join(plain.text_lines(summary.text)), style="dim"))
    yield Text("")


def _indented(inner: RenderableType) -> Padding:
    return Padding(inner, (0, 0, 0, 2))


def _cut(text: str) -> str:
    return text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}… ({len(text)} characters)"
