"""Format messages as lines: plain for a pipe, in colour for a terminal.

    :2 model 2026-01-02T03:04:05.000Z 1a2b3c4d gemini-2.5-pro
      ~ a thought, a line each
        text, indented by four spaces
      call grep c1 {"pattern":"sky"}
      [image/png, 8125 bytes, 640x480]

A line that begins with `:` is a message's heading: number, kind, time, id, then model and `pinned`,
`pending`, `aborted: REASON`. A line of content other than text begins with two spaces and a word. An empty
line ends a message. The system prompt comes first (heading `system`), then summaries (`summary …`), then
the messages, then references.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..base.env import Env
from ..base.escape import safe, visible
from ..base.times import clock
from ..base.words import plural, prefixes
from ..session.model import NAME_OF_KIND, Message, Summary
from . import parts
from .parts import Item

TEXT, MARKDOWN = "text", "markdown"  # kinds of lines: text of users and tools, text of a model
PREFIX = {
    TEXT: "    ", MARKDOWN: "    ", "thought": "  ~ ", "call": "  call ", "result": "  result ",
    "output": "  | ", "media": "  ", "pending": "  ", "reference": "  ",
}  # fmt: skip


class Line(NamedTuple):
    """A line of output: its kind and its text, safe for a terminal, without indentation.

    Kinds are those of `PREFIX`, `argument`, `head` for headings, a message's kind for its heading, and ""
    for the empty line after a message.
    """

    kind: str
    text: str


def document(
    env: Env,
    messages: Sequence[tuple[int | None, Message]],
    summaries: Sequence[Summary],
    system: str | None,
) -> bytes:
    """Format the system prompt, the summaries, the messages and the references."""
    rich = rich_wanted(env)
    ids = short_ids([message.id for _, message in messages])
    lines = [Line("head", "system"), *_texts(TEXT, system), Line("", "")] if system else []
    for summary in summaries:
        lines += [Line("head", summary_heading(summary)), *_texts(TEXT, summary.text), Line("", "")]
    for number, message in messages:
        lines.append(heading(number, message, ids[message.id], people=rich))
        lines += [*body(message, people=rich), Line("", "")]
    references = parts.references([message for _, message in messages])
    lines += [Line("head", "references")] if references else []
    lines += [Line("reference", visible(parts.reference(entry))) for _, entry in sorted(references.items())]
    text = plain(lines) + "\n" if lines else ""
    return drawn(env, lines) if rich else text.encode("utf-8", "backslashreplace")


def plain(lines: Iterable[Line]) -> str:
    """Return the lines as text, without a final newline."""
    return "\n".join(
        text if not text and kind in (TEXT, MARKDOWN) else PREFIX.get(kind, "") + text
        for kind, text in lines
    )


def drawn(env: Env, lines: Iterable[Line]) -> bytes:
    """Format the lines for a terminal."""
    from . import colours

    return colours.draw(lines, width=width(), colour=env.colour)


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Shorten message ids to unique prefixes of at least eight characters."""
    return prefixes(ids, least=8, whole=12)


def heading(number: int | None, message: Message, id: str, *, people: bool) -> Line:
    """Return `:N KIND TIME ID`, the model and the message's state; for `people`, the time is local.

    A sub-agent's messages are numbered `:N.1`, `:N.2`, … after the message `:N` that called it.
    """
    ts = clock(message.ts) if people else message.ts or "-"
    agent = message.fields.get("agent")
    within = f"{agent.get('under')}." if isinstance(agent, dict) else ""
    words = [f":{within}{number}" if number else ":-", NAME_OF_KIND[message.kind], ts, id]
    words += [message.model] if message.model else []
    words += ["agent", str(agent.get("name") or agent.get("session"))] if isinstance(agent, dict) else []
    words += ["pinned"] if message.pinned else []
    if message.pending is not None:
        words.append("pending")
        words += [f"aborted: {message.fields['aborted']}"] if "aborted" in message.fields else []
    return Line(message.kind, visible(" ".join(words)))


def summary_heading(summary: Summary) -> str:
    """Return `summary ID of N messages PERIOD`."""
    period = "/".join(str(at) for at in map(summary.fields.get, ("periodStart", "periodEnd")) if at)
    words = f"summary {summary.id} of {plural(len(summary.covers), 'message')} {period}"
    return visible(words.rstrip())


def body(message: Message, *, people: bool = False) -> Iterator[Line]:
    """Yield the lines of a message's content, committed before pending."""
    if message.committed:
        text = MARKDOWN if message.role == "model" else TEXT
        for item in parts.items(message.parts, message):
            yield from lines_of(item, text, people=people)
    if message.pending is not None:
        if message.committed:
            yield Line("pending", "pending:")
        for item in parts.items(message.pending, message):
            yield from lines_of(item, people=people)


def lines_of(item: Item, text: str = TEXT, *, people: bool = False) -> Iterator[Line]:
    """Yield the lines of an item; for `people`, each argument of a call has its own line."""
    if item.what in ("text", "thought"):
        yield from _texts(text if item.what == "text" else "thought", item.body)
    elif item.what == "call" and people and isinstance(item.value, dict):
        yield Line("call", visible(item.head))
        for name, value in item.value.items():
            first, *more = text_lines(value if isinstance(value, str) else parts.compact(value)) or [""]
            yield Line("argument", f"{visible(name)}: {first}" if not more else f"{visible(name)}:")
            yield from (Line("argument", f"  {line}") for line in ([first, *more] if more else ()))
    elif item.what == "call":
        yield Line("call", f"{visible(item.head)} {visible(item.body)}")
    elif item.what == "result":
        yield Line("result", visible(item.head))
        yield from _texts("output", item.body)
    else:
        yield Line("media", f"[{visible(item.head)}]")


def _texts(kind: str, text: str) -> list[Line]:
    return [Line(kind, line) for line in text_lines(text)]


def text_lines(text: str) -> list[str]:
    """Return the lines of a text, made safe for a terminal."""
    return safe(text.replace("\r\n", "\n").removesuffix("\n")).split("\n") if text else []


def rich_wanted(env: Env, fd: int | None = None) -> bool:
    """Whether stdout (or `fd`) is a terminal that supports formatting."""
    return env.terminal(env.stdout if fd is None else fd) and env.environ.get("TERM") != "dumb"


def width() -> int:
    import shutil

    return shutil.get_terminal_size().columns
