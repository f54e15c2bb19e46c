"""Messages as plain text for a pipe.

    :2 model 2026-01-02T03:04:05.000Z 1a2b3c4d gemini-2.5-pro
      ~ a thought, a line each
        text, four blanks before each line
      call grep c1 {"pattern":"sky"}
      [image/png, 8125 bytes, 640x480]

A line that begins with `:` is a message's heading: number, kind, time, id, then model and `pinned`,
`pending`, `aborted: REASON`. Two blanks and a word begin whatever is no text. A message ends with an
empty line. The system prompt comes first, under `system`, then summaries, under `summary`, references last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..base.escape import safe, visible
from ..base.words import some
from ..session.model import Message, Summary
from ..session.rules import NAME_OF_KIND
from . import parts
from .parts import Item


def heading(number: int | None, message: Message, id: str) -> str:
    """`:N KIND TIME ID`, the model, and what is special about the message."""
    words = [f":{number}" if number else ":-", NAME_OF_KIND[message.kind], message.ts or "-", id]
    words += [message.model] if message.model else []
    words += marks(message)
    return visible(" ".join(words))


def marks(message: Message) -> list[str]:
    """What is special about a message: pinned, pending, aborted."""
    words = ["pinned"] if message.pinned else []
    if message.pending is not None:
        words.append("pending")
        if "aborted" in message.fields:
            words.append(f"aborted: {message.fields['aborted']}")
    return words


def message(number: int | None, message: Message, id: str) -> str:
    """A message as its heading, its parts a line or more each, and an empty line."""
    return "\n".join([heading(number, message, id), *body(message)]) + "\n\n"


def body(message: Message) -> Iterator[str]:
    """The lines of what a message holds: committed content first, then what is pending."""
    if message.committed:
        for item in parts.items(message.parts, message):
            yield from lines(item)
    if message.pending is not None:
        if message.committed:
            yield "  pending:"
        for item in parts.items(message.pending, message):
            yield from lines(item)


def lines(item: Item) -> Iterator[str]:
    """The lines of one thing."""
    if item.what == "text":
        yield from _indented(item.body)
    elif item.what == "thought":
        yield from (f"  ~ {line}" for line in text_lines(item.body))
    elif item.what == "call":
        yield f"  call {visible(item.head)} {visible(item.body)}"
    elif item.what == "result":
        yield f"  result {visible(item.head)}"
        yield from (f"  | {line}" for line in text_lines(item.body))
    else:
        yield f"  [{visible(item.head)}]"


def _indented(text: str) -> Iterator[str]:
    return (f"    {line}" if line else "" for line in text_lines(text))


def text_lines(text: str) -> list[str]:
    """The lines of a text, made safe for a terminal."""
    return safe(text.replace("\r\n", "\n").removesuffix("\n")).split("\n") if text else []


def system(text: str) -> str:
    """The system prompt as a heading and its lines."""
    return "\n".join(["system", *_indented(text)]) + "\n\n"


def summary(summary: Summary) -> str:
    """A summary as a heading and its lines."""
    return "\n".join([summary_heading(summary), *_indented(summary.text)]) + "\n\n"


def summary_heading(summary: Summary) -> str:
    """`summary ID of N messages PERIOD`."""
    period = [str(summary.fields[key]) for key in ("periodStart", "periodEnd") if summary.fields.get(key)]
    words = ["summary", summary.id, f"of {some(len(summary.covers), 'message')}"]
    words += ["/".join(period)] if period else []
    return visible(" ".join(words))


def references(messages: Sequence[Message]) -> str:
    """The list of what the messages refer to; nothing where they refer to nothing."""
    found = parts.references(messages)
    lines = ["references", *(f"  {visible(parts.reference(entry))}" for entry in found)]
    return "\n".join(lines) + "\n" if found else ""
