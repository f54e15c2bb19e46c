"""Messages for a terminal: roles and times, the model's Markdown in colours, tool calls, media as one line.

Every visible character that is stored stands in it, texts and results whole: the pager is for what is long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.styled import Styled
from rich.text import Text

from ..base.escape import safe, visible
from ..base.times import clock
from ..session.model import Message, Summary
from ..session.rules import NAME_OF_KIND
from . import markdown, parts, plain
from .parts import Item
from .terminal import printed

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

COLOURS = {
    "user": "bold green", "codeh": "bold cyan", "tool": "bold yellow",
    "error": "bold red", "info": "bold blue",
}  # fmt: skip


def document(
    messages: Sequence[tuple[int | None, Message]],
    summaries: Sequence[Summary],
    system: str | None,
    *,
    width: int,
    colour: bool,
) -> bytes:
    """System prompt, summaries, messages and the list of references."""
    shown: list[RenderableType] = []
    if system:
        shown += [
            Text("system", style="bold magenta"),
            Indented(Text("\n".join(plain.text_lines(system)))),
            Text(""),
        ]
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
    return Text.assemble(
        (f":{number} " if number else ":- ", "dim"),
        (NAME_OF_KIND[message.kind], COLOURS[message.kind]),
        (visible(f"  {clock(message.ts)}  {id}  {message.model or ''}".rstrip()), "dim"),
        *((visible(f"  {mark}"), "magenta") for mark in plain.marks(message)),
    )


def _message(number: int | None, message: Message, id: str) -> Iterator[RenderableType]:
    yield heading(number, message, id)
    if message.committed:
        for item in parts.items(message.parts, message):
            yield from _item(item, from_model=message.role == "model")
    if message.pending is not None:
        for item in parts.items(message.pending, message):
            for line in _item(item, from_model=False):
                yield Styled(line, "dim italic") if item.what == "text" else line
    yield Text("")


def _item(item: Item, *, from_model: bool) -> Iterator[RenderableType]:
    if item.what == "text" and from_model:
        yield from map(Indented, markdown.lines(item.body))
    elif item.what in ("text", "thought"):
        style = "dim italic" if item.what == "thought" else ""
        yield Indented(Text("\n".join(plain.text_lines(item.body)), style=style))
    elif item.what == "call":
        yield Indented(_line("→", item.head, ""))
        yield from _arguments(item)
    elif item.what == "result":
        yield Indented(_line("←", item.head, "".join(f"\n{line}" for line in plain.text_lines(item.body))))
    else:
        yield Indented(Text(f"[{visible(item.head)}]", style="magenta"))


def _arguments(item: Item) -> Iterator[RenderableType]:
    """A call's arguments, a line each; texts of several lines as they are, below their name."""
    if not isinstance(item.value, dict):
        yield Indented(Text(visible(item.body), style="dim"), 4)
        return
    for name, value in item.value.items():
        text = value if isinstance(value, str) else parts.compact(value)
        lines = plain.text_lines(text)
        if len(lines) > 1:
            yield Indented(Text(f"{visible(name)}:", style="dim"), 4)
            yield Indented(Text("\n".join(lines), style="dim"), 6)
        else:
            yield Indented(Text(f"{visible(name)}: {safe(text)}", style="dim"), 4)


def _line(arrow: str, head: str, rest: str) -> Text:
    return Text.assemble((f"{arrow} {visible(head)}", "yellow"), (rest, "dim"))


def _summary(summary: Summary) -> Iterator[RenderableType]:
    yield Text(safe(plain.summary_heading(summary)), style="bold magenta")
    yield Indented(Text("\n".join(plain.text_lines(summary.text)), style="dim"))
    yield Text("")


class Indented:
    """A text behind so many blanks, in as many lines as it takes; `no_wrap` is left to the terminal."""

    def __init__(self, text: Text, by: int = 2) -> None:
        self.text, self.by = text, by
        self.no_wrap = text.no_wrap

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        room = max(options.max_width - self.by, 1)
        for line in [self.text] if self.no_wrap else self.text.wrap(console, room):
            yield Text.assemble(" " * self.by if line else "", line, no_wrap=self.no_wrap)
