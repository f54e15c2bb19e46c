"""The first stages, which lose nothing: superseded IDE context and reads, repeated content."""

from __future__ import annotations

from ...session.exchanges import is_ide_context
from ...session.model import Message, Part
from ...session.pairing import Call
from ...session.records import dumps
from ...summaries.calls import paths_of, words_of
from . import shrink, stubs
from .draft import Change, Draft

READS = frozenset("read view open cat show".split())  # words in the names of tools that read a file
WRITES = frozenset("write create save put".split())  # and of those that write a whole one
SMALL = 40  # tokens below which repetitions stay


def superseded(draft: Draft) -> None:
    """Drop older IDE context, and the results of reads whose file was read or written again later."""
    layout, messages = draft.history.layout, draft.history.messages
    prompts = set(layout.prompts)
    context = [n for n, message in enumerate(messages) if n not in prompts and is_ide_context(message)]
    for number in context[:-1]:
        if not draft.fits and number not in layout.fixed:
            draft.drop("superseded", layout.unit_of[number], "superseded by newer IDE context")
    whole = shrink.newest(draft, shrink.RECENT)
    draft.replace_while_large("superseded", (c for c in _stale_reads(draft) if c[0] not in whole))


def _stale_reads(draft: Draft) -> list[Change]:
    """Results of reads that a later read or write of the file supersedes."""
    covered: set[tuple[str, bytes]] = set()  # (path, other arguments) of later calls
    stale: list[Change] = []
    for call in reversed(draft.history.layout.pairing.calls):
        file, answer = _file(call), call.answer
        if file is None or answer is None:
            continue
        part, writes = answer.message.parts[answer.part], not WRITES.isdisjoint(words_of(call.name))
        if "error" in stubs.content_of(part) and not writes:
            continue
        if {file, (file[0], b"")}.isdisjoint(covered) or answer.place in draft.history.layout.fixed:
            covered.add(file)
        elif not writes:
            why = f"{file[0]} was read or written again later"
            stale.append(((answer.place, answer.part), _mark(part, why, answer.message.id), why))
    return stale[::-1]


def _file(call: Call) -> tuple[str, bytes] | None:
    """Return the file that a call reads or writes, and for a read its other arguments (a range, for
    example).
    """
    args, words = call.args if isinstance(call.args, dict) else {}, words_of(call.name)
    path = next(iter(paths_of(args)), None)
    if path is None or (READS | WRITES).isdisjoint(words):
        return None
    rest = {key: value for key, value in args.items() if value not in (path, None)}
    return path, dumps(rest) if rest and WRITES.isdisjoint(words) else b""


def repeated(draft: Draft) -> None:
    """Replace equal tool outputs, files and long texts by a reference to the newest."""
    whole = shrink.newest(draft, shrink.RECENT)
    draft.replace_while_large("repeated", (c for c in _repetitions(draft) if c[0] not in whole))


def _repetitions(draft: Draft) -> list[Change]:
    newest: dict[bytes | str, Message] = {}
    repeats: list[Change] = []
    history = draft.history
    for number in range(len(history.messages) - 1, -1, -1):
        message = history.messages[number]
        for place, part in enumerate(message.parts if number not in draft.gone else ()):
            content = _content(part) if history.tokens[number][place] >= SMALL else None
            if not content or (number, place) in draft.new:
                continue
            later = newest.setdefault(content, message)
            if later is not message and number not in history.layout.fixed:
                why = f"the same again in {later.id}"
                repeats.append(((number, place), _mark(part, why, message.id), why))
    return repeats[::-1]


def _content(part: Part) -> bytes | str | None:
    """A key for comparing parts; None for parts that are never compared (calls, thoughts, native items)."""
    if part.keys() == {"text"}:
        return part["text"]
    if "functionResponse" in part:
        result = part["functionResponse"]
        return dumps([result.get("response"), result.get("parts")])
    return dumps(part["inlineData"]) if "inlineData" in part else None


def _mark(part: Part, why: str, id: str) -> Part:
    if "functionResponse" in part:
        return stubs.bare(part, why, id)
    what = "text" if "text" in part else str(part["inlineData"].get("mimeType") or "data")
    return {"text": stubs.mark(f"{what} ({why})", id)}
