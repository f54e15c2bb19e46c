"""Shared by the writers of programs' files: the messages to write, request elements, ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pkgutil import resolve_name
from typing import Any, NamedTuple

from .. import providers
from ..base.shared_options import system_and_tools
from ..base.words import plural
from ..providers.anthropic import NAME as ANTHROPIC
from ..providers.anthropic.blocks import THINKING
from ..providers.anthropic.body import media_part
from ..providers.gemini.fields import SKIP_SIGNATURE
from ..providers.media import media
from ..providers.names import CallIds
from ..providers.parts import blocks_of, objects
from ..providers.request import Options
from ..providers.turns import media_stub
from ..session.exchanges import is_thought
from ..session.model import MARK, SUMMARY_HEAD, Json, Message, Part, origin
from ..session.ops import shown_parts
from ..session.pairing import pair
from ..session.records import dumps
from ..session.view import View
from .fields import time_of as stored_time
from .protocol import Program, SessionInfo, Written

THOUGHT = "thought"  # a kind in `left_out`
_BLOCKS = ("text", "tool_use", "tool_result", "image", "document", *THINKING)  # blocks that files can hold
_NEXT_PROMPT: list[Part] = [{"text": "next"}]


# -- the messages ------------------------------------------------------------------------------------------


def prepare(view: View, program: str) -> tuple[View, Counter[str]]:
    """Reduce a view to what this program's file may hold, and count the rest, except thinking, by kind.

    Only sent messages remain, every call gets a unique id, and thinking and signatures stay only if they
    came from this program. System prompt and tools are removed, because the program supplies its own.
    """
    system, tools = system_and_tools(view.meta)
    left_out = unsent(view.messages)
    left_out += Counter({"system prompt": bool(system), "tool declaration": len(tools)})
    same_program = origin(view.header).get("from") == program
    messages = [
        message if same_program and MARK in message.fields else _without_thinking(message)
        for message in with_unique_call_ids(view.sent)
    ]
    return view.with_messages(messages), left_out


def unsent(messages: Iterable[Message]) -> Counter[str]:
    """Count the messages that are not sent, by kind."""
    others = (message for message in messages if not message.is_sent)
    return Counter(f"{'pending' if other.role is not None else other.kind} message" for other in others)


def thoughts(messages: Iterable[Message]) -> int:
    """Count the parts that are thinking."""
    return sum(is_thought(part) for message in messages for part in message.parts)


def _without_thinking(message: Message) -> Message:
    removed = [place for place, part in enumerate(message.parts) if is_thought(part)]
    visible: list[Any] = [part for part in message.parts if not is_thought(part)]
    parts: list[Any] = [{key: part[key] for key in part if key != "thoughtSignature"} for part in visible]
    if parts == message.parts:
        return message
    copy = message.derive(parts)
    shown = shown_parts(message)
    if len(shown) == len(message.parts):  # no list of attached files was added
        copy.replaced = {**(message.replaced or {}), **{shown[place]: None for place in removed}}
    return copy


def as_written(program: Program, view: View) -> View:
    """The view without the thinking that the program's file cannot hold."""
    view, _ = prepare(view, program.name)
    if not thoughts(view.messages):
        return view
    thinking = thinking_in(request_for(view, program.format)) if program.keeps_thinking else ()
    keep = {message.id for message in thinking if message is not None}
    messages = (m if m.id in keep else _without_thinking(m) for m in view.messages)
    return view.with_messages([message for message in messages if message.parts])


def with_unique_call_ids(messages: Sequence[Message]) -> list[Message]:
    """Give each call and its result an id that no other call has."""
    ids, unique = CallIds(str, faithful=False), list(messages)

    def rename(place: int, number: int, key: str, id: str) -> None:
        parts: list[Any] = list(unique[place].parts)
        parts[number] = {**parts[number], key: {**parts[number][key], "id": id}}
        unique[place] = unique[place].derive(parts)

    for call in pair(messages).calls:
        id = ids.new(call.id)
        if id != call.id or not call.has_id:
            rename(call.place, call.part, "functionCall", id)
        if call.answer is not None and call.answer.id != id:
            rename(call.answer.place, call.answer.part, "functionResponse", id)
    return unique


# -- request elements --------------------------------------------------------------------------------------


def summary_of(view: View, program: str) -> str:
    """Join the summaries' texts ("" if none), below our heading unless the program wrote them."""
    texts = [summary.text for summary in view.summaries]
    same_program = all(summary.fields.get("by") == program for summary in view.summaries)
    headed = same_program or texts[0].startswith(SUMMARY_HEAD)
    return "\n\n".join(texts if headed else [SUMMARY_HEAD, *texts])


class Sent(NamedTuple):
    """The elements of a provider's request, each with the source of each of its parts.

    A source is the message that contains the part; None for text that the format adds.
    """

    elements: list[tuple[Json, list[Message | None]]]
    notes: list[str]


def request_for(view: View, provider: str) -> Sent:
    """Build this provider's request for a view whose next prompt is still to come.

    It lacks the opening that introduces summaries, and includes the thinking of all the provider's models.
    """
    format = providers.Format(provider)
    prompt = Message("", "user", "user", None, {}, own=_NEXT_PROMPT, parts=_NEXT_PROMPT)
    messages = [message for message in view.messages if any(part != {"text": ""} for part in message.parts)]
    request = format.request([*messages, prompt], Options(trace=True), ())
    by_id = {message.id: message for message in messages}
    sources = [[by_id.get(id) for id in ids] for ids in request.sources]
    elements = [*zip(request.body[format.package.FIELD], sources, strict=True)][:-1]
    if view.summaries and elements and not any(elements[0][1]):
        del elements[0]  # the provider's opening, which a summary replaces
    return Sent(elements, [note for note in request.notes if note.startswith("message ")])


def thinking_in(sent: Sent) -> Iterator[Message | None]:
    """Yield the source of each thought in the elements."""
    for element, sources in sent.elements:
        blocks = objects(element.get("content") or element.get("parts"))
        blocks = [element] if element.get("type") == "reasoning" or not blocks else blocks
        for block, source in zip(blocks, sources, strict=False):
            if block.get("thought") or block.get("type") in (*THINKING, "reasoning"):
                yield source


def first_source(sources: Sequence[Message | None]) -> Message | None:
    """The first message among an element's sources."""
    return next((message for message in sources if message is not None), None)


def model_of(sources: Sequence[Message | None]) -> str | None:
    """The first model among an element's sources."""
    return next((source.model for source in sources if source and source.model), None)


def time_of(sources: Sequence[Message | None]) -> str | None:
    """The time of the first message among an element's sources."""
    first = first_source(sources)
    return stored_time(first.ts) if first is not None else None


def by_source(
    blocks: Sequence[Json], sources: Sequence[Message | None]
) -> Iterator[tuple[Message | None, list[Json]]]:
    """Group an element's blocks by source."""
    for source, pairs in groupby(zip(sources, blocks, strict=True), key=itemgetter(0)):
        yield source, [block for _, block in pairs]


def without_placeholders(parts: Sequence[Json]) -> list[Json]:
    """Remove our placeholder for a signature from Gemini's parts, because programs set their own."""
    placeholder = ("thoughtSignature", SKIP_SIGNATURE)
    return [{key: value for key, value in part.items() if (key, value) != placeholder} for part in parts]


def text_of(part: Part) -> str | None:
    """The content of a part that is a text file; None for other parts."""
    file = media(part)
    return file.text() if file is not None and file.textual else None


# -- writers -----------------------------------------------------------------------------------------------


class Writer:
    """Base class of each program's `File`, which formats the lines of a file.

    `ts`: the time of the line being written. `RESUME`: the arguments of the command that precede the
    session's id, or a file's path if it `TAKES_FILES`.
    """

    RESUME: tuple[str, ...] = ("--resume",)
    TAKES_FILES = False

    def __init__(self, program: Program, about: SessionInfo, begun: str) -> None:
        self.program = program
        self.about = about
        self.begun = self.ts = begun
        self.lines: list[Json] = []
        self.begin()

    def begin(self) -> None:
        """Write the header."""

    def summary(self, text: str) -> None:
        """Write a summary as the program's own compaction would."""
        raise NotImplementedError

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """Write one element of a request; `sources`: see `Sent`."""
        raise NotImplementedError

    def name(self) -> str:
        """The file's path below the program's first place."""
        raise NotImplementedError

    def uuid(self, *of: str) -> str:
        """A new id for the next line, or for `of` it."""
        return uuid(self.about.id, *of, len(self.lines))

    def finish(self, sent: Sent) -> Written:
        """Return the finished file; count the blocks, except thinking, that it cannot hold."""
        resume, left_out = (self.program.command, *self.RESUME), Counter[str]()
        if self.program.format == ANTHROPIC and not self.program.keeps_thinking:
            types = [block["type"] for element, _ in sent.elements for block in element["content"]]
            left_out["part that only Anthropic knows"] = sum(kind not in _BLOCKS for kind in types)
        taken = resume if self.TAKES_FILES else ()
        return Written(
            lines(self.lines), self.name(), (*resume, self.about.id), left_out, sent.notes, taken
        )


class BlockWriter(Writer):
    """Base class for programs with contents of their own, made of Anthropic's blocks.

    `answer` writes an answer, `result` a result with its contents, `prompt` a user's message. `call`
    and `file` make contents: of a call, and of an image or document (None: the program takes none such).
    """

    answer: Callable[[Sequence[Json], Sequence[Message | None]], None]
    result: Callable[[Json, list[Json], Message | None], None]
    prompt: Callable[[list[Json]], None]
    call: Callable[[Json], Json]
    file: Callable[[Json], Json | None]

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        if element["role"] == "assistant":
            self.answer(element["content"], sources)
            return
        for source, blocks in by_source(element["content"], sources):
            for block in (block for block in blocks if block["type"] == "tool_result"):
                self.result(block, self.contents(blocks_of(block.get("content") or [])), source)
            if contents := self.contents(block for block in blocks if block["type"] != "tool_result"):
                self.ts = time_of([source]) or self.ts
                self.prompt(contents)

    def contents(self, blocks: Iterable[Json]) -> list[Json]:
        """Convert blocks except thinking; other files become their text or a description."""
        contents: list[Json] = []
        for block in blocks:
            if block["type"] == "text":
                contents.append({"type": "text", "text": block["text"]})
            elif block["type"] == "tool_use":
                contents.append(self.call(block))
            elif file := self.file(block):
                contents.append(file)
            elif (part := media_part(block)) is not None:
                text = text_of(part) or media_stub(part, f"{self.program.title} takes no such file")
                contents.append({"type": "text", "text": text})
        return contents


def write(program: Program, view: View, about: SessionInfo) -> Written:
    """Make the file from which a program resumes a view."""
    prepared, left_out = prepare(view, program.name)
    request = request_for(prepared, program.format)
    writer = resolve_name(program.writer)(program, about, time_of(prepared.messages) or about.time)
    if summary := summary_of(prepared, program.name):
        writer.summary(summary)
    for element, sources in request.elements:
        writer.ts = time_of(sources) or writer.ts
        writer.add(element, sources)
    written: Written = writer.finish(request)
    count = sum(1 for _ in thinking_in(request)) if program.keeps_thinking else 0
    left_out[THOUGHT] = thoughts(view.sent) - count
    return written._replace(left_out=left_out + written.left_out)


# -- ids and lines -----------------------------------------------------------------------------------------


def uuid(*of: object) -> str:
    """A version 4 UUID that depends only on these values."""
    digits = sha256("\0".join(map(str, of)).encode("utf-8", "surrogatepass")).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def lines(values: Iterable[Json]) -> bytes:
    return b"".join(dumps(value) + b"\n" for value in values)


def format_counts(counts: Counter[str]) -> str:
    """Counts as text, largest first: `3 error messages, 1 system prompt`."""
    return ", ".join(plural(count, kind) for kind, count in counts.most_common() if count)
