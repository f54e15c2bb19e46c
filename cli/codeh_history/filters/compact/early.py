"""The first stages, which lose nothing: superseded IDE context and reads, and repeated content."""

from __future__ import annotations

from collections.abc import Iterator

from ...session.exchanges import is_ide_context
from ...session.model import Json, Message, Part
from ...session.records import dumps
from . import shrink, stubs
from .draft import Change, Draft

READS = (
    "read",
    "view",
    "open",
    "cat",
    "show",
    "get_file",
)  # a tool whose name begins or ends so reads a file
WRITES = ("write", "create", "save", "put_file")
PATHS = (
    "path",
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "absolute_path",
    "target_file",
    "uri",
)
SMALL = 40  # tokens below which a repetition is left alone


def superseded(draft: Draft) -> None:
    """Older IDE context goes, and what a file held when it was read or written again later."""
    prompts = set(draft.history.layout.prompts)
    context = [n for n, m in enumerate(draft.history.messages) if n not in prompts and is_ide_context(m)]
    for number in context[:-1]:
        if not draft.fits and number not in draft.history.layout.fixed:
            draft.drop(
                "superseded", draft.history.layout.unit_of[number], "superseded by newer IDE context"
            )
    whole = shrink.newest(draft, shrink.RECENT)
    draft.replace_while_large("superseded", (c for c in _stale_reads(draft) if c[0] not in whole))


def _stale_reads(draft: Draft) -> Iterator[Change]:
    """Reads of a file that a later read, or a later write, covers."""
    place = {message.id: number for number, message in enumerate(draft.history.messages)}
    covered: set[tuple[str, bytes]] = set()  # (path, the other arguments): what later calls show again
    found: list[Change] = []
    for call in reversed(draft.history.layout.pairing.calls):
        path, rest = _file(call.args)
        if path is None or call.answer is None:
            continue
        if _like(call.name, WRITES):
            covered.add((path, b""))
        elif _like(call.name, READS):
            number = place[call.answer.message.id]
            key = dumps(rest) if rest else b""
            if (
                (path, key) in covered or (path, b"") in covered
            ) and number not in draft.history.layout.fixed:
                if _failed(call.answer.message.parts[call.answer.part]):
                    continue
                why = f"{path} was read or written again later"
                found.append(
                    (
                        (number, call.answer.part),
                        stubs.bare(
                            call.answer.message.parts[call.answer.part], why, call.answer.message.id
                        ),
                        why,
                    )
                )
            elif not _failed(call.answer.message.parts[call.answer.part]):
                covered.add((path, key))
    yield from reversed(found)


def _file(args: object) -> tuple[str | None, Json]:
    """The file that a call's arguments name, and its other arguments (a range, say)."""
    if not isinstance(args, dict):
        return None, {}
    name = next((key for key in PATHS if isinstance(args.get(key), str)), None)
    if name is None:
        return None, {}
    return args[name], {key: value for key, value in args.items() if key != name and value is not None}


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
    newest: dict[bytes | str, Message] = {}
    found: list[Change] = []
    for number in range(len(draft.history.messages) - 1, -1, -1):
        message = draft.history.messages[number]
        for index, tokens in enumerate(draft.tokens[number]):
            if tokens < SMALL or (number, index) in draft.new or number in draft.gone:
                continue
            part = message.parts[index]
            key = _content(part)
            later = newest.setdefault(key, message) if key else message
            if later is not message and number not in draft.history.layout.fixed:
                why = f"the same again in {later.id}"
                new = (
                    stubs.bare(part, why, message.id)
                    if "functionResponse" in part
                    else _text(part, message, why)
                )
                found.append(((number, index), new, why))
    yield from reversed(found)


def _content(part: Part) -> bytes | str | None:
    """What makes two parts equal; None for what is never compared (calls, thoughts, native items)."""
    if len(part) == 1 and "text" in part:
        return part["text"]
    if "functionResponse" in part:
        response = part["functionResponse"]
        return dumps([response.get("response"), response.get("parts")])
    return dumps(part["inlineData"]) if "inlineData" in part else None


def _text(part: Part, message: Message, why: str) -> Part:
    what = "text" if "text" in part else str(part["inlineData"].get("mimeType") or "data")
    return {"text": stubs.mark(f"{what} ({why})", message.id)}
