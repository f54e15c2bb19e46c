"""What writers of programs' files share: which messages go, what a request of them holds, ids, lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from typing import Any

from .. import providers
from ..base.shared_options import beside
from ..base.words import some
from ..providers.anthropic.blocks import THINKING
from ..providers.base import Options
from ..providers.media import media
from ..providers.parts import objects
from ..providers.turns import described
from ..session.exchanges import is_thought
from ..session.model import MARK, SUMMARY_HEAD, Json, Message, Part, origin
from ..session.ops import shown_parts
from ..session.pairing import pair
from ..session.records import dumps
from ..session.view import View
from .fields import time_of as stored
from .protocol import About, Program, Written

THOUGHT = "thought"  # among what is left out
_NEXT: list[Part] = [{"text": "next"}]


# -- the messages ------------------------------------------------------------------------------------------


def prepared(view: View, program: str) -> tuple[View, Counter[str]]:
    """The view as a file of this program may hold it, and what it has besides, by kind.

    Its messages are those that are sent, each call with an id of its own. Only what the program itself
    thought goes back to it, signatures too. Programs have system prompts and tools of their own.
    """
    left = unsent(view.messages)
    system, tools = beside(view.meta)
    left |= {"system prompt": 1} if system else {}
    left |= {"tool declaration": len(tools)} if tools else {}
    messages = with_unique_call_ids([*filter(is_sent, view.messages)])
    own = origin(view.header).get("from") == program
    kept = (m if own and MARK in m.fields else _without_thinking(m, left) for m in messages)
    return view.with_messages([*kept]), left


def is_sent(message: Message) -> bool:
    """Whether a message goes: a committed one of a kind that models see."""
    return message.role is not None and message.committed


def unsent(messages: Iterable[Message]) -> Counter[str]:
    """How many do not, by what they are."""
    others = (message for message in messages if not is_sent(message))
    return Counter(f"{'pending' if other.role is not None else other.kind} message" for other in others)


def thoughts(messages: Iterable[Message]) -> int:
    """How many parts say how a model thought."""
    return sum(is_thought(part) for message in messages for part in message.parts)


def _without_thinking(message: Message, left: Counter[str]) -> Message:
    gone = [place for place, part in enumerate(message.parts) if is_thought(part)]
    left[THOUGHT] += len(gone)
    visible: list[Any] = [part for part in message.parts if not is_thought(part)]
    parts: list[Any] = [{key: part[key] for key in part if key != "thoughtSignature"} for part in visible]
    if parts == message.parts:
        return message
    made = message.derive(parts)
    shown = shown_parts(message)
    if len(shown) == len(message.parts):  # no list of attached files among them, which is none of its own
        made.replaced = {**(message.replaced or {}), **{shown[place]: None for place in gone}}
    return made


def without_unsent(view: View, program: Program) -> View:
    """The view without thinking that this program's file would not hold, and what is nothing else."""
    if not thoughts(view.messages):
        return view
    thinking = sent(view, program.spells).thinking() if program.keeps_thinking else ()
    kept = {message.id for message in thinking if message is not None}
    messages = (m if m.id in kept else _without_thinking(m, Counter()) for m in view.messages)
    return view.with_messages([message for message in messages if message.parts])


def with_unique_call_ids(messages: Sequence[Message]) -> list[Message]:
    """The messages with an id on each call, another one each, and the same on its result."""
    taken: set[str] = set()
    count: Counter[str] = Counter()
    changed: dict[int, dict[int, str]] = {}  # message → part → id
    for call in pair(messages).calls:
        id = call.id
        while id in taken:
            count[call.id] += 1
            id = f"{call.id}_{count[call.id] + 1}"
        taken.add(id)
        if id != call.id or not call.given:
            changed.setdefault(call.place, {})[call.part] = id
        if call.answer is not None and call.answer.id != id:
            changed.setdefault(call.answer.place, {})[call.answer.part] = id
    unique = list(messages)
    for place, ids in changed.items():
        parts: list[Any] = list(unique[place].parts)
        for number, id in ids.items():
            key = "functionCall" if "functionCall" in parts[number] else "functionResponse"
            parts[number] = {**parts[number], key: {**parts[number][key], "id": id}}
        unique[place] = unique[place].derive(parts)
    return unique


# -- what is sent of them ----------------------------------------------------------------------------------


def summary_of(view: View, program: str) -> str:
    """The texts of the summaries as one, "" for none; what the program itself wrote needs no heading."""
    texts = [summary.text for summary in view.summaries]
    own = all(summary.fields.get("by") == program for summary in view.summaries)
    headed = own or texts[0].startswith(SUMMARY_HEAD)
    return "\n\n".join(texts if headed else [SUMMARY_HEAD, *texts])


@dataclass(frozen=True)
class Sent:
    """The elements that a provider is sent of the messages, when the next prompt is asked.

    `sources[i][j]`: the message that part `j` of element `i` comes from; None for what no message says.
    """

    elements: list[Json]
    sources: list[list[Message | None]]
    notes: list[str]

    def __iter__(self) -> Iterator[tuple[Json, list[Message | None]]]:
        """Each element with its sources."""
        return zip(self.elements, self.sources, strict=True)

    def thinking(self) -> Iterator[Message | None]:
        """Of each thought that is sent the message."""
        for element, sources in self:
            held = objects(element.get("content") or element.get("parts"))
            blocks = [element] if element.get("type") == "reasoning" or not held else held
            for block, source in zip(blocks, sources, strict=False):
                if block.get("thought") or block.get("type") in (*THINKING, "reasoning"):
                    yield source


def sent(view: View, provider: str) -> Sent:
    """What this provider's request would hold, without the next prompt, and what summaries begin it with.

    The thinking of any of its models goes back.
    """
    format = providers.load(provider)
    prompt = Message("", "user", "user", None, {}, own=_NEXT, parts=_NEXT)
    messages = [message for message in view.messages if any(part != {"text": ""} for part in message.parts)]
    made = format.request([*messages, prompt], Options(trace=True), ())
    by_id = {message.id: message for message in messages}
    elements = made.body[format.package.FIELD][:-1]
    sources = [[by_id.get(id) for id in ids] for ids in made.sources[:-1]]
    if view.summaries and elements and not any(sources[0]):  # the provider's opening: a summary is one
        del elements[0], sources[0]
    return Sent(elements, sources, [note for note in made.notes if note.startswith("message ")])


def first(sources: Sequence[Message | None]) -> Message | None:
    """The first message that an element comes from."""
    return next((message for message in sources if message is not None), None)


def time_of(sources: Sequence[Message | None]) -> str | None:
    """When the first message that an element comes from was written."""
    return stored(next((message.ts for message in sources if message is not None), None))


def by_source(
    blocks: Sequence[Json], sources: Sequence[Message | None]
) -> Iterator[tuple[Message | None, list[Json]]]:
    """The blocks of an element, those of one message together."""
    for source, pairs in groupby(zip(sources, blocks, strict=True), key=itemgetter(0)):
        yield source, [block for _, block in pairs]


def words(block: Json, program: str) -> str | None:
    """A file in a block of Anthropic's as a text: what is in it, else what it is; None for other blocks."""
    from ..providers.anthropic.body import media_part

    part: Any = media_part(block)
    if part is None:
        return None
    return text_of(part) or described(part, f"{program} takes no such file")


def text_of(part: Part) -> str | None:
    """The text of a part that is a file of text."""
    file = media(part)
    return file.text() if file is not None and file.textual else None


def result_blocks(block: Json) -> list[Json]:
    """What a result of Anthropic's holds, as blocks."""
    content = block.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def without_place(sent: Sent) -> Counter[str]:
    """What elements of Anthropic's hold that has no place in a program's own spelling of them."""
    types = ("text", "tool_use", "tool_result", "image", "document", *THINKING)
    blocks = (block for element in sent.elements for block in element["content"])
    return Counter({"part that only Anthropic knows": sum(block["type"] not in types for block in blocks)})


class Writer:
    """How each thing is spelled in a program's files; its `write.File` is one.

    `ts`: the time of what is written. `RESUME`: what follows the program's command before the id of a
    session, or the path of a file where it `TAKES_FILES`.
    """

    RESUME: tuple[str, ...] = ()
    TAKES_FILES = False

    def __init__(self, program: Program, about: About, begun: str) -> None:
        self.program = program
        self.about = about
        self.begun = self.ts = begun
        self.lines: list[Json] = []
        self.begin()

    def begin(self) -> None:
        """What stands first in the file."""

    def summary(self, text: str) -> None:
        """What summaries stand for, which begins the file as the program's own compaction does."""
        raise NotImplementedError

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """An element of a request, and the messages that its parts come from."""
        raise NotImplementedError

    def name(self) -> str:
        """Where the program looks for the file, below its first place."""
        raise NotImplementedError

    def left(self, sent: Sent) -> Counter[str]:  # noqa: ARG002
        """What the file could not hold, thinking aside."""
        return Counter()

    def written(self, sent: Sent) -> Written:
        """The file."""
        resume = (self.program.command, *self.RESUME)
        taken = resume if self.TAKES_FILES else ()
        data = b"".join(dumps(line) + b"\n" for line in self.lines)
        return Written(data, self.name(), (*resume, self.about.id), self.left(sent), sent.notes, taken)


def write(program: Program, view: View, about: About) -> Written:
    """A file of a view that a program resumes."""
    view, left = prepared(view, program.name)
    elements = sent(view, program.spells)
    writer = import_module(program.writer).File(program, about, time_of(view.messages) or about.time)
    if summary := summary_of(view, program.name):
        writer.summary(summary)
    for element, sources in elements:
        writer.add(element, sources)
    written: Written = writer.written(elements)
    left[THOUGHT] += thoughts(view.messages)
    left[THOUGHT] -= sum(1 for _ in elements.thinking()) if program.keeps_thinking else 0
    return written._replace(left=left + written.left)


# -- ids and lines -----------------------------------------------------------------------------------------


def uuid(*of: object) -> str:
    """A UUID (of version 4, as programs make them) that is a function of these."""
    digits = sha256("\0".join(map(str, of)).encode("utf-8", "surrogatepass")).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def lines(values: Iterable[Json]) -> bytes:
    return b"".join(dumps(value) + b"\n" for value in values)


def described_counts(left: Counter[str]) -> str:
    """`3 error messages, 1 system prompt`, the most first."""
    return ", ".join(some(count, kind) for kind, count in left.most_common() if count)
