"""The stages that keep every message: superseded and repeated content, stubs, thoughts, references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...base.lazy import Pattern
from ...session.exchanges import is_ide_context, is_thought
from ...session.model import Json, Message, Part
from ...session.pairing import Call
from ...session.records import dumps
from ...summaries.calls import paths_of, words_of
from . import stubs, words
from .draft import Change, Draft
from .units import Place

READS = frozenset("read view open cat show".split())  # words in the names of tools that read a file
WRITES = frozenset("write create save put".split())  # and of those that write a whole one
SMALL = 40  # tokens below which repeated content stays
RECENT = 40_000  # newest tool tokens that stay whole if possible
RECENT_SHARE = 0.4  # share of the budget for them otherwise
SMALLEST = 200  # least tokens of a stub, unless nothing else suffices
MARGIN = 1.05  # safety factor for estimated savings
TRIES = 4  # attempts to fill the room
UNFILLED = 0.01  # share of the target that stubs may leave empty
TURNS_WITH_MEDIA = 2  # the newest exchanges keep their files
FILES = frozenset(("inlineData", "fileData"))
RESULT, CALL = "functionResponse", "functionCall"
LISTS = ("sources", "references", "results", "chunks")  # keys of reference lists
NUMBERS = ("source_number", "number")
CITED = Pattern(r"(?i)\[source\s?(\d+)\]")
NONE_CITED = "The search did not produce any relevant information that could be cited."
DAMPED = 1.2  # from this overshoot on, 10 % less is reduced


# -- superseded, repeated -----------------------------------------------------------------------------


def superseded(draft: Draft) -> None:
    """Drop older IDE context, and the results of reads whose file was read or written again later."""
    layout, messages = draft.history.layout, draft.history.messages
    contexts = [number for number, message in enumerate(messages) if is_ide_context(message)]
    for number in contexts[:-1]:
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
            place, why = (answer.place, answer.part), f"{file[0]} was read or written again later"
            stale.append((place, draft.history.bare(place, why), why))
    draft.replace("superseded", reversed(stale))


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
    newest: dict[bytes, Message] = {}
    for number, message in reversed([*enumerate(history.messages)]):
        for place, part in enumerate(message.parts if number not in draft.gone else ()):
            comparable = part.keys() == {"text"} or RESULT in part or "inlineData" in part
            if not comparable or draft.size((number, place)) < SMALL or (number, place) in draft.new:
                continue
            result = part.get("functionResponse", {})
            content = part.get("text"), part.get("inlineData"), result.get("response"), result.get("parts")
            later = newest.setdefault(dumps(content), message)
            if later is not message and number not in history.layout.fixed:
                why = f"the same again in {later.id}"
                repeats.append(((number, place), history.bare((number, place), why), why))
    draft.replace("repeated", reversed(repeats))


# -- stubs ----------------------------------------------------------------------------------------------


def outputs(draft: Draft) -> None:
    """Shorten old files and large tool outputs to stubs, except the newest 40,000 tool tokens."""
    prompts, history = draft.history.layout.prompts, draft.history
    end = prompts[-TURNS_WITH_MEDIA] if len(prompts) >= TURNS_WITH_MEDIA else 0
    draft.replace("outputs", [
        (place, history.bare(place), "old media")
        for place in draft.free(end) if history.part(place).keys() & FILES
    ])  # fmt: skip
    shrink(draft, "outputs", candidates(draft, RESULT, RECENT), SMALLEST)


def arguments(draft: Draft) -> None:
    """Shorten large arguments of calls, except the newest 40,000 tool tokens; the JSON keys stay."""
    shrink(draft, "arguments", candidates(draft, CALL, RECENT), SMALLEST)


def recent(draft: Draft) -> None:
    """Shorten results and arguments among the newest 40,000 tool tokens, except a share of the budget."""
    for kind in (RESULT, CALL):
        shrink(draft, "recent", candidates(draft, kind, window(draft)), SMALLEST)


def last_unit(draft: Draft) -> None:
    """Cut results, answers and pastes of the last unit to one level, as a last resort."""
    shrink(draft, "last-unit", [*draft.history.least])


def shrink(draft: Draft, stage: str, places: Sequence[Place], least: int = 0, need: int = 0) -> None:
    """Cut the largest of these parts to the one level that saves `need` tokens (0: to fit).

    If none does, cut them to `least` tokens, or else to the least that is left as a last resort.
    """
    history, slack = draft.history, draft.target * UNFILLED
    need = need or draft.total - draft.target
    sizes = [draft.size(place) for place in places]
    level: float = words.water_level(sizes, sum(sizes) - need)
    changes = best = list[Change]()
    most = float("inf")  # unused tokens
    for _ in range(TRIES):
        level = max(level, least)
        changes = [
            (place, new, f"{size:,} tokens to a stub")
            for place, size in zip(places, sizes, strict=True)
            if size > level and (new := history.shortened(place, level / history.size(place))) is not None
        ]
        unused = sum(draft.savings(changes)) - need
        if 0 <= unused < most:
            best, most = changes, unused
        if 0 <= unused <= slack or (unused < 0 and level == least):
            break
        level += (unused - slack / 2) / max(1, len(changes))
    if not best and not least:
        changes = [(place, history.least[place], "nothing less suffices") for place in places]
    draft.replace(stage, best or changes)


def candidates(draft: Draft, kind: str, whole: int) -> list[Place]:
    """The oldest calls or results that suffice as stubs, without references and the newest tokens."""
    places, need = list[Place](), (draft.total - draft.target) * MARGIN
    for place in older(draft, whole):
        part, gain = draft.history.part(place), draft.size(place) - SMALLEST
        if kind in part and min(gain, need) > 0 and sources_of(part) is None:
            places.append(place)
            need -= gain
    return places


def older(draft: Draft, whole: int) -> list[Place]:
    """What stubs may touch: not the newest calls and results of `whole` tokens, but references in them."""
    history = draft.history
    of_tools = (
        place for place in reversed(history.special)
        if place[0] not in draft.gone and not {RESULT, CALL}.isdisjoint(history.part(place))
    )  # fmt: skip
    newest = set(words.upto(whole, of_tools, draft.size))
    return [place for place in draft.free() if place not in newest or sources_of(history.part(place))]


def window(draft: Draft) -> int:
    """How many of the newest tool tokens stay whole if stubs can suffice at all."""
    return min(RECENT, int(draft.target * RECENT_SHARE))


# -- thoughts and references ----------------------------------------------------------------------------


def thoughts(draft: Draft) -> None:
    """Drop thoughts before the last prompt: all of a message's or none."""
    history, old = draft.history, dict[int, list[Change]]()
    for place in draft.free(history.layout.prompt or 0):
        if is_thought(history.part(place)) and history.messages[place[0]].role == "model":
            old.setdefault(place[0], []).append((place, None, "old thoughts"))
    for number, changes in old.items():
        if draft.fits:
            return
        if len(changes) == len(history.messages[number].parts):
            draft.drop("thoughts", [number], "old thoughts")
        else:
            draft.replace("thoughts", changes, whole=True)


def references(draft: Draft, *, live: bool = False) -> None:
    """Drop references that no model text cites, then keep the first `max(1, n // d)` of each tool.

    `d` is the overshoot. Numbers do not change. After the last prompt references may still be cited. Fixed
    messages stay verbatim, except with `live` those of the last unit.
    """
    history, layout = draft.history, draft.history.layout
    cited = {
        int(number)
        for place, message in enumerate(history.messages)
        if message.role == "model" and place not in draft.gone
        for part in message.parts
        for number in CITED.findall(part.get("text", ""))
    }

    def fewer(places: Iterable[Place], overshoot: float | None = None) -> Iterator[Change]:
        for place in places:
            part = draft.new.get(place, history.part(place)) or {}
            key, items = sources_of(part) or ("", [])
            if overshoot is None:
                kept = [item for item in items if _number(item) in cited]
                why = f"{len(items) - len(kept)} of {len(items)} references are not cited"
            else:
                kept = items[: references_to_keep(len(items), overshoot)]
                why = f"{len(kept)} of {len(items)} references kept"
            if len(kept) < len(items):
                yield place, with_sources(part, key, kept), why

    draft.replace("references", fewer(draft.free(layout.prompt or 0)))
    fixed = layout.fixed.difference(layout.last if live and layout.yielding else ())
    places = [place for place in history.special if place[0] not in draft.gone | fixed]
    before = 0
    while not draft.fits and draft.total != before:
        before = draft.total
        draft.replace("references", fewer(places, before / max(1, draft.target)), whole=True)


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
