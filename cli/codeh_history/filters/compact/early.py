"""The first stages, which lose nothing: superseded IDE context and reads, and repeated content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ...session.exchanges import is_ide_context
from ...session.model import Message, Part
from ...session.records import dumps
from . import shrink, stubs
from .draft import Change, Draft

READS = ("read", "view", "open", "cat", "show", "get_file")  # how a tool's name begins or ends that reads
WRITES = ("write", "create", "save", "put_file")
PATHS = (
    "path", "file_path", "filePath", "filepath", "file", "filename", "absolute_path", "target_file", "uri",
)  # fmt: skip
_LOOK = 40  # characters from either end that tell most contents apart
SMALL = 40  # tokens below which a repetition is left alone


def superseded(draft: Draft) -> None:
    """Older IDE context goes, and what a file held when it was read or written again later."""
    prompts = set(draft.history.layout.prompts)
    editors = draft.history.past.each(_is_of_an_editor)
    context = [number for number, found in enumerate(editors) if found and number not in prompts]
    for number in context[:-1]:
        if not draft.fits and number not in draft.history.layout.fixed:
            draft.drop(
                "superseded", draft.history.layout.unit_of[number], "superseded by newer IDE context"
            )
    whole = shrink.newest(draft, shrink.RECENT)
    draft.replace_while_large("superseded", (c for c in _stale_reads(draft) if c[0] not in whole))


def _is_of_an_editor(message: Message, _costs: Sequence[int]) -> bool:
    return is_ide_context(message)


def _stale_reads(draft: Draft) -> Iterator[Change]:
    """Reads of a file that a later read, or a later write, covers."""
    files = draft.history.past.each(_files)
    covered: set[tuple[str, bytes]] = set()  # (path, the other arguments): what later calls show again
    found: list[Change] = []
    for call in reversed(draft.history.layout.pairing.calls):
        file, answer = files[call.place].get(call.part), call.answer
        if file is None or answer is None:
            continue
        if file.written:
            covered.add((file.path, b""))
            continue
        part = answer.message.parts[answer.part]
        seen = (file.path, file.key) in covered or (file.path, b"") in covered
        if _failed(part):
            continue
        if seen and answer.place not in draft.history.layout.fixed:
            why = f"{file.path} was read or written again later"
            place = answer.place, answer.part
            found.append((place, draft.history.past.mark(place, why, _mark), why))
        else:
            covered.add((file.path, file.key))
    yield from reversed(found)


class _File(NamedTuple):
    """What a call read, or wrote: a file, and of it what the other arguments say (a range, say)."""

    path: str
    key: bytes
    written: bool


_NONE: Mapping[int, _File] = {}


def _files(message: Message, _costs: Sequence[int]) -> Mapping[int, _File]:
    """The files that the calls of a message read or write, by their places."""
    if message.role != "model":
        return _NONE
    return {
        place: file
        for place, part in enumerate(message.parts)
        if "functionCall" in part and (file := _file(part["functionCall"])) is not None
    } or _NONE


def _file(call: Any) -> _File | None:
    args = call.get("args")
    written = _like(call["name"], WRITES)
    if not isinstance(args, dict) or not (written or _like(call["name"], READS)):
        return None
    name = next((name for name in PATHS if isinstance(args.get(name), str)), None)
    if name is None:
        return None
    others = () if written else args.items()
    rest = {key: value for key, value in others if key != name and value is not None}
    return _File(args[name], dumps(rest) if rest else b"", written)


@lru_cache
def _like(name: str, verbs: tuple[str, ...]) -> bool:
    low = name.lower()
    return low.startswith(verbs) or low.endswith(verbs)


def _failed(part: Part) -> bool:
    return "error" in stubs.content_of(part)


def repeated(draft: Draft) -> None:
    """Of equal tool outputs, files and long texts only the newest stays; it outlives the older ones."""
    whole = shrink.newest(draft, shrink.RECENT)
    draft.replace_while_large("repeated", (c for c in _repetitions(draft) if c[0] not in whole))


def _repetitions(draft: Draft) -> Iterator[Change]:
    seen: dict[Glance, tuple[Content, Message]] = {}
    newest: dict[Content, Message] = {}  # of those that look like others, and are not the same
    found: list[Change] = []
    messages, fixed = draft.history.messages, draft.history.layout.fixed
    for number, contents in zip(
        range(len(messages) - 1, -1, -1), reversed(draft.history.past.each(_contents)), strict=True
    ):
        for index, content in contents if number not in draft.gone else ():
            if (number, index) in draft.new:
                continue
            message = messages[number]
            same, later = seen.setdefault(_glance(content), (content, message))
            if same != content:
                later = newest.setdefault(content, message)
            if later is not message and number not in fixed:
                why = f"the same again in {later.id}"
                new = draft.history.past.mark((number, index), why, _mark)
                found.append(((number, index), new, why))
    yield from reversed(found)


Content = bytes | str | tuple[str, str]
Glance = tuple[object, ...]


def _glance(content: Content) -> Glance:
    """What equal contents have in common, and few others: to hash all of a long one takes long."""
    name, text = content if type(content) is tuple else ("", content)
    return name, len(text), text[:_LOOK], text[-_LOOK:]


def _contents(message: Message, costs: Sequence[int]) -> Sequence[tuple[int, Content]]:
    """What makes each part of a message equal to another, but for those that are small."""
    if len(costs) == 1 and costs[0] < SMALL:  # as many are
        return ()
    return [
        (place, content)
        for place, (part, cost) in enumerate(zip(message.parts, costs, strict=False))
        if cost >= SMALL and (content := _content(part))
    ] or ()


def _content(part: Part) -> Content | None:
    """What makes two parts equal; None for what is never compared (calls, thoughts, native items)."""
    if len(part) == 1 and "text" in part:
        return part["text"]
    if "functionResponse" in part:
        given, inner = part["functionResponse"].get("response"), part["functionResponse"].get("parts")
        if inner is None and isinstance(given, dict) and len(given) == 1:  # as most say
            ((name, text),) = given.items()
            if type(text) is str:
                return name, text
        return dumps([given, inner])
    return dumps(part["inlineData"]) if "inlineData" in part else None


def _mark(part: Part, why: str, id: str) -> Part:
    if "functionResponse" in part:
        return stubs.bare(part, why, id)
    what = "text" if "text" in part else str(part["inlineData"].get("mimeType") or "data")
    return {"text": stubs.mark(f"{what} ({why})", id)}
