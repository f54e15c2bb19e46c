"""The stages that keep every message: superseded and repeated content, stubs, thoughts, references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...base.lazy import Pattern
from ...session.exchanges import is_ide_context, is_thought
from ...session.model import Json, Message, Part
from ...session.pairing import Call
from ...session.records import dumps
from ...summaries.calls import paths_of, words_of
from ...tokens.formula import parts_tokens
from . import stubs, words
from .draft import Change, Draft
from .units import Place

READS = frozenset("read view open cat show".split())  # words in the names of tools that read a file
WRITES = frozenset("write create save put".split())  # and of those that write a whole one
SMALL = 40  # tokens below which repeated content stays
RECENT = 40_000  # newest tool tokens that stay whole if possible
RECENT_SHARE = 0.4  # share of the budget for them otherwise
SMALLEST, ALONE = 200, 300  # least tokens of a stub; of an older output
SLACK = 24  # a stub must save more tokens than this
MARGIN = 1.05  # safety factor for estimated savings
TRIES = 5  # attempts to fill the room
UNFILLED = 0.01  # share of the target that stubs may leave empty
TURNS_WITH_MEDIA = 2  # the newest exchanges keep their files
FILES = frozenset(("inlineData", "fileData"))
RESULT, CALL = "functionResponse", "functionCall"
LISTS = ("sources", "references", "results", "chunks")  # keys of reference lists
NUMBERS = ("source_number", "number")
CITED = Pattern(r"(?i)\[source\s?(\d+)\]")
NONE_CITED = "The search did not produce any relevant information that could be cited."
ROUNDS = 20  # the last round leaves one reference per tool
DAMPED = 1.2  # from this overshoot on, 10 % less is reduced


# -- superseded, repeated -----------------------------------------------------------------------------


def superseded(draft: Draft) -> None:
    """Drop older IDE context, and the results of reads whose file was read or written again later."""
    layout, messages = draft.history.layout, draft.history.messages
    context = [
        n for n, message in enumerate(messages) if is_ide_context(message) and n not in layout.prompts
    ]
    for number in context[:-1]:
        if not draft.fits and number not in layout.fixed:
            draft.drop("superseded", layout.unit_of[number], "superseded by newer IDE context")
    covered: set[tuple[str, bytes]] = set()  # (path, other arguments) of later calls
    stale: list[Change] = []
    for call in reversed(layout.pairing.calls):
        file, answer = _file(call), call.answer
        if file is None or answer is None:
            continue
        part, writes = answer.message.parts[answer.part], not WRITES.isdisjoint(words_of(call.name))
        if "error" in stubs.content_of(part) and not writes:
            continue
        if {file, (file[0], b"")}.isdisjoint(covered) or answer.place in layout.fixed:
            covered.add(file)
        elif not writes:
            why = f"{file[0]} was read or written again later"
            stale.append(((answer.place, answer.part), _mark(part, why, answer.message.id), why))
    _replace_old(draft, "superseded", stale)


def _file(call: Call) -> tuple[str, bytes] | None:
    """Return the file that a call reads or writes, and for a read its other arguments, such as a range."""
    args, words = call.args if isinstance(call.args, dict) else {}, words_of(call.name)
    path = next(iter(paths_of(args)), None)
    if path is None or (READS | WRITES).isdisjoint(words):
        return None
    rest = {key: value for key, value in args.items() if value not in (path, None)}
    return path, dumps(rest) if rest and WRITES.isdisjoint(words) else b""


def repeated(draft: Draft) -> None:
    """Replace equal tool outputs, files and long texts by a reference to the newest."""
    history, repeats = draft.history, list[Change]()
    newest: dict[bytes | str, Message] = {}
    for number, message in reversed([*enumerate(history.messages)]):
        for place, part in enumerate(message.parts if number not in draft.gone else ()):
            content = _comparison_key(part) if history.tokens[number][place] >= SMALL else None
            if not content or (number, place) in draft.new:
                continue
            later = newest.setdefault(content, message)
            if later is not message and number not in history.layout.fixed:
                why = f"the same again in {later.id}"
                repeats.append(((number, place), _mark(part, why, message.id), why))
    _replace_old(draft, "repeated", repeats)


def _comparison_key(part: Part) -> bytes | str | None:
    """A key shared by equal parts; None for parts that are not compared (calls, thoughts, native items)."""
    if part.keys() == {"text"}:
        return part["text"]
    if RESULT in part:
        result = part["functionResponse"]
        return dumps([result.get("response"), result.get("parts")])
    return dumps(part["inlineData"]) if "inlineData" in part else None


def _mark(part: Part, why: str, id: str) -> Part:
    if RESULT in part:
        return stubs.bare(part, why, id)
    what = "text" if "text" in part else str(part["inlineData"].get("mimeType") or "data")
    return {"text": stubs.mark(f"{what} ({why})", id)}


def _replace_old(draft: Draft, stage: str, newest_first: Sequence[Change]) -> None:
    """Make these replacements, oldest first, except among the newest 40,000 tool tokens."""
    whole = newest(draft, RECENT)
    draft.replace_while_large(
        stage, [change for change in reversed(newest_first) if change[0] not in whole]
    )


# -- stubs ----------------------------------------------------------------------------------------------


def outputs(draft: Draft) -> None:
    """Shorten old files and large tool outputs to stubs, except the newest 40,000 tool tokens."""
    prompts, history = draft.history.layout.prompts, draft.history
    end = prompts[-TURNS_WITH_MEDIA] if len(prompts) >= TURNS_WITH_MEDIA else 0
    draft.replace_while_large("outputs", [
        (place, {"text": stubs.described(history.part(place), history.messages[place[0]].id)}, "old media")
        for place in draft.free(end) if history.part(place).keys() & FILES
    ])  # fmt: skip
    _shrink(draft, "outputs", RESULT, RECENT, ALONE)


def arguments(draft: Draft) -> None:
    """Shorten large arguments of calls, except the newest 40,000 tool tokens; the JSON keys stay."""
    _shrink(draft, "arguments", CALL, RECENT, SMALLEST)


def recent(draft: Draft) -> None:
    """Shorten results and arguments among the newest 40,000 tool tokens, except a share of the budget."""
    for kind in (RESULT, CALL):
        _shrink(draft, "recent", kind, _window(draft), SMALLEST)


def last_unit(draft: Draft) -> None:
    """Cut the results of the last unit to equal shares of the remaining room, as a last resort."""
    leaving = draft.gone | draft.to_summarize
    to_fit(draft, "last-unit", [place for place in draft.history.yielding if place[0] not in leaving])


def reducible(draft: Draft) -> list[Place]:
    """The parts that a stage may reduce: all but small or recent results and arguments."""
    whole = newest(draft, _window(draft))
    tools = {*candidates(draft, RESULT), *candidates(draft, CALL)}
    least = SMALLEST + SLACK
    return [p for p in draft.free() if p not in tools or (draft.size(p) > least and p not in whole)]


def _window(draft: Draft) -> int:
    """How many of the newest tool tokens stay whole when stubs alone do not suffice."""
    return min(RECENT, int(draft.target * RECENT_SHARE))


def _shrink(draft: Draft, stage: str, kind: str, whole: int, least: int) -> None:
    """Shorten the oldest parts of a kind, as many as needed, to `least` tokens or more."""
    recent = newest(draft, whole)
    need = (draft.total - draft.target) * MARGIN
    places: list[Place] = []
    for place in candidates(draft, kind):
        gain = draft.size(place) - least
        if need > 0 and gain > SLACK and place not in recent:
            places.append(place)
            need -= gain
    to_fit(draft, stage, places, least)


def to_fit(draft: Draft, stage: str, places: Sequence[Place], least: int = 0) -> None:
    """Cut these parts to the level that fits; if none does, to `least` tokens or to marks."""
    sizes = [draft.size(place) for place in places]
    level = words.water_level(sizes, draft.target - (draft.total - sum(sizes)))
    large = [place for place in places if draft.size(place) > level]
    changes = _filling(draft, large, level) if level >= (least or SMALLEST // 2) else []
    if not changes and least:
        changes = cut(draft, places, least)
    elif not changes:
        changes = [(place, draft.history.bare(place), "nothing less suffices") for place in places]
    draft.replace_while_large(stage, changes)


def _filling(draft: Draft, places: Sequence[Place], level: float) -> list[Change]:
    """The stubs that fill the room best; none if none fit."""
    best: list[Change] = []
    least = draft.target
    for _ in range(TRIES):
        changes = cut(draft, places, level)
        sizes = parts_tokens(draft.history.counter, [new for _, new, _ in changes if new is not None])
        saved = (max(0, draft.size(place) - size) for (place, *_), size in zip(changes, sizes, strict=True))
        unused = draft.target - draft.total + sum(saved)
        if 0 <= unused < least:
            best, least = changes, unused
        if 0 <= unused <= draft.target * UNFILLED:
            break
        level = max(0.0, level + (unused - draft.target * UNFILLED / 2) / max(1, len(places)))
    return best


def cut(draft: Draft, places: Iterable[Place], level: float) -> list[Change]:
    """Return stubs of these parts, with first and last lines and errors, of about `level` tokens each."""
    changes: list[Change] = []
    for place in places:
        size = draft.size(place)
        new = draft.history.shortened(place, level / max(1, size))
        if new is not None:
            changes.append((place, new, f"{size:,} tokens to a stub"))
    return changes


def candidates(draft: Draft, kind: str) -> list[Place]:
    """The calls or responses that may be changed, oldest first, except those with references."""
    parts = ((place, draft.history.part(place)) for place in draft.free())
    return [place for place, part in parts if kind in part and sources_of(part) is None]


def newest(draft: Draft, most: int) -> set[Place]:
    """The newest calls and responses with at most `most` tokens together."""
    of_tools = (
        place for place in reversed(draft.history.special)
        if place[0] not in draft.gone and not {RESULT, CALL}.isdisjoint(draft.history.part(place))
    )  # fmt: skip
    return set(words.upto(most, of_tools, draft.size))


# -- thoughts and references ----------------------------------------------------------------------------


def thoughts(draft: Draft) -> None:
    """Drop thoughts before the last prompt: all of a message's or none."""
    history = draft.history
    old = [p for p in draft.free(history.layout.prompt or 0) if is_thought(history.part(p))]
    for number, group in groupby(old, itemgetter(0)):
        message, places = history.messages[number], list(group)
        if draft.fits or message.role != "model":
            continue
        if len(places) == len(message.parts):
            draft.drop("thoughts", [number], "old thoughts")
        else:
            for place in places:
                draft.replace("thoughts", place, None, 0, "old thoughts")


def references(draft: Draft, *, live: bool = False) -> None:
    """Drop references that no model text cites, then keep the first `max(1, n // d)` of each tool.

    `d` is the overshoot. Numbers do not change. Fixed messages stay verbatim, except with `live` those of
    the last unit.
    """
    draft.replace_while_large("references", _uncited(draft))
    for round in range(ROUNDS):
        before = draft.total
        overshoot = before / max(1, draft.target) if round < ROUNDS - 1 else float(1 << 30)
        draft.replace_while_large("references", _fewer(draft, overshoot, live=live), whole=True)
        if draft.fits or draft.total >= before:
            return


def references_to_keep(count: int, overshoot: float) -> int:
    """How many of a tool's references stay."""
    damped = overshoot * 0.9
    return max(1, int(count // (damped if damped >= DAMPED else overshoot)))


def sources_of(part: Part) -> tuple[str, list[Json]] | None:
    """Return the key and the list of numbered references in a response, or None if it has none."""
    response: Any = part["functionResponse"].get("response") if RESULT in part else None
    for key in LISTS if isinstance(response, dict) else ():
        items = response.get(key)
        if isinstance(items, list) and items and all(_number(item) is not None for item in items):
            return key, items
    return None


def _number(item: object) -> int | None:
    value = next((item[key] for key in NUMBERS if key in item), None) if isinstance(item, dict) else None
    return value if type(value) is int else None


def with_sources(part: Part, key: str, items: list[Json]) -> Part:
    """Return the response with other references, or with a sentence if none are left."""
    result: Any = part["functionResponse"]
    response = {**result["response"], key: items or NONE_CITED}
    return {**part, "functionResponse": {**result, "response": response}}


def _uncited(draft: Draft) -> Iterator[Change]:
    """Yield references that no model text cites, before the last prompt: later ones may still be cited."""
    cited = {
        int(number)
        for place, message in enumerate(draft.history.messages)
        if message.role == "model" and place not in draft.gone
        for part in message.parts
        for number in CITED.findall(part.get("text", ""))
    }
    for place in draft.free(draft.history.layout.prompt or 0):
        key, items = sources_of(draft.history.part(place)) or ("", [])
        in_use = [item for item in items if _number(item) in cited]
        if len(in_use) < len(items):
            why = f"{len(items) - len(in_use)} of {len(items)} references are not cited"
            yield place, with_sources(draft.history.part(place), key, in_use), why


def _fewer(draft: Draft, overshoot: float, *, live: bool) -> Iterator[Change]:
    layout = draft.history.layout
    fixed = layout.fixed.difference(layout.last) if live and layout.yielding else layout.fixed
    for place in draft.history.special:
        part = draft.new.get(place, draft.history.part(place))
        if part is None or place[0] in draft.gone | draft.to_summarize | fixed:
            continue
        key, items = sources_of(part) or ("", [])
        first = items[: references_to_keep(len(items), overshoot)]
        if len(first) < len(items):
            yield place, with_sources(part, key, first), f"{len(first)} of {len(items)} references kept"
