"""The stages that put stubs in the place of large content: tool outputs and files, then call arguments.

How small a stub gets follows from what is needed: the outputs alone, outputs and arguments, or both of
the newest tool tokens too; the first of these that suffices, at its largest level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from ...session.exchanges import is_thought
from ...session.model import Part
from ...tokens import parts_tokens
from . import words
from .draft import Change, Draft
from .history import Place
from .references import sources_of

RECENT = 40_000  # the newest tool tokens that stay whole when they can
RECENT_SHARE = 0.4  # of the budget: what of them stays whole when more than stubs is needed
LARGEST, SMALLEST = 1600, 200
ALONE = 300
MARGIN = 1.05  # what estimated stubs save is this much less sure
LEAST_STUB = 20  # tokens: no stub has fewer
TRIES = 5
UNFILLED = 0.01  # of the target: what stubs may leave empty
SLACK = 24  # tokens that a stub must be able to save to be worth trying
TURNS_WITH_MEDIA = 2  # the newest exchanges keep their files
FILES = frozenset(("inlineData", "fileData"))

KINDS = {"outputs": "functionResponse", "arguments": "functionCall"}
TOOLS = frozenset(KINDS.values())


def outputs(draft: Draft) -> None:
    """Old files and big tool outputs, outside the newest 40,000 tool tokens."""
    files = [(place, draft.history.stub(place)) for place in _media(draft)]
    draft.replace_while_large(
        "outputs", [(place, stub.build(), "old media") for place, stub in files if stub]
    )
    _shrink(draft, "outputs", "outputs", RECENT)


def arguments(draft: Draft) -> None:
    """Big arguments of calls, outside the newest 40,000 tool tokens; the same keys, valid JSON."""
    _shrink(draft, "arguments", "arguments", RECENT)


def thoughts(draft: Draft) -> None:
    """Thoughts before the last real user message; all of a message's or none, never in the live loop."""
    end = draft.history.layout.prompt or 0
    some = [place for place in draft.free(end) if is_thought(draft.history.part(place))]
    for number in dict.fromkeys(number for number, _ in some):
        message = draft.history.messages[number]
        places = [place for place in some if place[0] == number]
        if draft.fits or message.role != "model":
            continue
        if len(places) == len(message.parts):
            draft.drop("thoughts", [number], "old thoughts")
        else:
            for place in places:
                draft.replace("thoughts", place, None, 0, "old thoughts")


def recent(draft: Draft) -> None:
    """The newest 40,000 tool tokens too, but for those that a share of the budget holds."""
    for kind in KINDS:
        _shrink(draft, "recent", kind, window(draft))


def window(draft: Draft) -> int:
    """How many of the newest tool tokens stay whole when it is tight."""
    return min(RECENT, int(draft.target * RECENT_SHARE))


def level(draft: Draft) -> int:
    """The tokens of a stub, on average, by which it will fit; the smallest where nothing suffices."""
    old, tight = newest(draft, RECENT), newest(draft, window(draft))
    places = {kind: candidates(draft, kind) for kind in KINDS}
    tried = (
        (ALONE, [p for p in places["outputs"] if p not in old]),
        (SMALLEST, [p for kind in KINDS for p in places[kind] if p not in old]),
        (SMALLEST, [p for kind in KINDS for p in places[kind] if p not in tight]),
    )
    for least, some in tried:
        sizes = [_size(draft, place) for place in some]
        found = words.water_level(sizes, sum(sizes) - int((draft.total - draft.target) * MARGIN))
        if found >= least:
            return min(found, LARGEST)
    return SMALLEST


def _shrink(draft: Draft, stage: str, kind: str, whole: int) -> None:
    """Stubs of `draft.level` tokens on average, oldest first, for as many as are needed."""
    level = draft.level
    kept = newest(draft, whole)
    places = [p for p in candidates(draft, kind) if p not in kept and _size(draft, p) > level + SLACK]
    while places and not draft.fits:
        need = draft.total - draft.target
        count = 0
        while count < len(places) and need > 0:
            need -= _size(draft, places[count]) - level
            count += 1
        changes = written(
            draft, places[:count], level
        )  # later stages make up for it, if it does not suffice
        if need <= 0:
            changes = filling(draft, places[:count], level - need / count) or written(
                draft, places[:count], SMALLEST
            )
        draft.replace_while_large(stage, changes)
        places = places[count:]


def written(draft: Draft, places: Iterable[Place], level: float, *, errors: bool = True) -> list[Change]:
    """The stubs of these parts: first and last lines and errors, in about so many tokens each."""
    found: list[Change] = []
    for place in places:
        stub = draft.history.stub(place)
        if stub is not None:
            size = _size(draft, place)
            room = level * sum(cut.size for cut in stub.cuts) / max(1, size)
            stub.keep(int(room), errors=errors)
            found.append((place, stub.build(), f"{size:,} tokens to a stub"))
    return found


def filling(draft: Draft, places: Sequence[Place], level: float) -> list[Change]:
    """The stubs that fill the room best, so that it fits; none where that was not to be had."""
    best: list[Change] = []
    least, errors = draft.target, True
    for _ in range(TRIES):
        changes = written(draft, places, level, errors=errors)
        left = draft.target - draft.total + _saved(draft, changes)
        if 0 <= left < least:
            best, least = changes, left
        if 0 <= left <= draft.target * UNFILLED:
            break
        errors = errors and left >= 0
        level = max(0.0, level + (left - draft.target * UNFILLED / 2) / max(1, len(places)))
    return best


def _saved(draft: Draft, changes: Sequence[Change]) -> int:
    """What these replacements save, those left out that would not."""
    sizes = iter(parts_tokens(draft.history.counter, [new for _, new, _ in changes if new is not None]))
    return sum(
        max(0, _size(draft, place) - (next(sizes) if new is not None else 0)) for place, new, _ in changes
    )


def last_unit(draft: Draft) -> None:
    """Results inside the last unit, to an equal share of what is left; only when nothing else helps."""
    to_fit(draft, "last-unit", draft.open(draft.history.yielding))


def to_fit(draft: Draft, stage: str, places: Sequence[Place]) -> None:
    """Cut these parts to the level that fits; to nothing but marks where none does."""
    sizes = [_size(draft, place) for place in places]
    level = words.water_level(sizes, draft.target - (draft.total - sum(sizes)))
    large = [place for place in places if _size(draft, place) > level]
    changes = filling(draft, large, level) if level >= SMALLEST // 2 else []
    draft.replace_while_large(stage, changes or _bare(draft, places), whole=True)


def _bare(draft: Draft, places: Sequence[Place]) -> list[Change]:
    return [(place, draft.history.bare(place), "nothing less suffices") for place in places]


def _size(draft: Draft, place: Place) -> int:
    return draft.tokens[place[0]][place[1]]


def candidates(draft: Draft, kind: str) -> list[Place]:
    """The calls or responses that may be changed, oldest first; references have a stage of their own."""
    places = [place for place in draft.free() if KINDS[kind] in draft.history.part(place)]
    return [place for place in places if sources_of(draft.history.part(place)) is None]


def newest(draft: Draft, most: int) -> set[Place]:
    """The newest calls and responses that together have at most so many tokens."""
    of_tools = (
        place for place in reversed(draft.history.special)
        if place[0] not in draft.gone and not TOOLS.isdisjoint(draft.history.part(place))
    )  # fmt: skip
    return set(words.upto(most, of_tools, partial(_size, draft)))


def _media(draft: Draft) -> list[Place]:
    """Inline and linked files older than the newest exchanges."""
    return [p for p in draft.free(_with_media(draft)) if draft.history.part(p).keys() & FILES]


def _with_media(draft: Draft) -> int:
    """Where the newest exchanges begin, which keep their files."""
    prompts = draft.history.layout.prompts
    return prompts[-TURNS_WITH_MEDIA] if len(prompts) >= TURNS_WITH_MEDIA else 0


def savings(draft: Draft) -> int:
    """The most that the stages before a summary can save: a bound, not an estimate."""
    whole = newest(draft, window(draft))
    media, prompt = _with_media(draft), draft.history.layout.prompt or 0
    saved = 0
    for place in draft.free():
        part, size = draft.history.part(place), _size(draft, place)
        if (_is_file(part) and place[0] < media) or (is_thought(part) and place[0] < prompt):
            saved += size
        elif not TOOLS.isdisjoint(part) and (place not in whole or sources_of(part) is not None):
            saved += max(0, size - LEAST_STUB)
    return saved


def _is_file(part: Part) -> bool:
    return not FILES.isdisjoint(part)
