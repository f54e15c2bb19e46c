"""The stages that replace large content by stubs: tool outputs and files, then call arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...session.exchanges import is_thought
from ...session.model import Part
from ...tokens import parts_tokens
from . import stubs, words
from .draft import Change, Draft
from .references import sources_of
from .units import Place

RECENT = 40_000  # newest tool tokens that stay whole if possible
RECENT_SHARE = 0.4  # share of the budget that stays whole otherwise
SMALLEST, ALONE = 200, 300  # least tokens of a stub; of outputs if these suffice
SLACK = 24  # a stub must save more tokens than this
MARGIN = 1.05  # safety factor for estimated savings
TRIES = 5
UNFILLED = 0.01  # share of the target that stubs may leave empty
TURNS_WITH_MEDIA = 2  # the newest exchanges keep their files
FILES = frozenset(("inlineData", "fileData"))
KINDS = {"outputs": "functionResponse", "arguments": "functionCall"}
TOOLS = frozenset(KINDS.values())


def outputs(draft: Draft) -> None:
    """Old files and large tool outputs, except for the newest 40,000 tool tokens."""
    described: list[Change] = []
    for place in draft.free(_with_media(draft)):
        if draft.history.part(place).keys() & FILES:
            id = draft.history.messages[place[0]].id
            new: Part = {"text": stubs.described(draft.history.part(place), id)}
            described.append((place, new, "old media"))
    draft.replace_while_large("outputs", described)
    _shrink(draft, "outputs", "outputs", RECENT, ALONE)


def arguments(draft: Draft) -> None:
    """Large arguments of calls, except for the newest 40,000 tool tokens; keys stay, JSON stays valid."""
    _shrink(draft, "arguments", "arguments", RECENT, SMALLEST)


def thoughts(draft: Draft) -> None:
    """Thoughts before the last prompt: all of a message's or none, never in the live loop."""
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
    """Results and arguments within the newest 40,000 tool tokens, except for a share of the budget."""
    for kind in KINDS:
        _shrink(draft, "recent", kind, _window(draft), SMALLEST)


def last_unit(draft: Draft) -> None:
    """Results of the last unit, cut to equal shares of what is left; only if nothing else helps."""
    to_fit(draft, "last-unit", draft.open(draft.history.yielding))


def _window(draft: Draft) -> int:
    """How many of the newest tool tokens stay whole when stubs alone do not suffice."""
    return min(RECENT, int(draft.target * RECENT_SHARE))


def _shrink(draft: Draft, stage: str, kind: str, whole: int, least: int) -> None:
    """Stub the oldest, as many as needed, to `least` tokens or more."""
    kept = newest(draft, whole)
    need = (draft.total - draft.target) * MARGIN
    places: list[Place] = []
    for place in candidates(draft, kind):
        gain = draft.size(place) - least
        if need > 0 and gain > SLACK and place not in kept:
            places.append(place)
            need -= gain
    to_fit(draft, stage, places, least)


def to_fit(draft: Draft, stage: str, places: Sequence[Place], least: int = 0) -> None:
    """Cut these parts to the level that fits; if none does, to `least` tokens or to marks."""
    sizes = [draft.size(place) for place in places]
    level = words.water_level(sizes, draft.target - (draft.total - sum(sizes)))
    large = [place for place in places if draft.size(place) > level]
    changes = filling(draft, large, level) if level >= (least or SMALLEST // 2) else []
    if not changes and least:
        changes = written(draft, places, least)
    elif not changes:
        changes = [(place, draft.history.bare(place), "nothing less suffices") for place in places]
    draft.replace_while_large(stage, changes)


def written(draft: Draft, places: Iterable[Place], level: float) -> list[Change]:
    """Stubs of these parts with their first and last lines and errors, about `level` tokens each."""
    changes: list[Change] = []
    for place in places:
        size = draft.size(place)
        room = int(level * stubs.length(draft.history.part(place)) / max(1, size))
        new = draft.history.shortened(place, room)
        if new is not None:
            changes.append((place, new, f"{size:,} tokens to a stub"))
    return changes


def filling(draft: Draft, places: Sequence[Place], level: float) -> list[Change]:
    """The stubs that fill the room best; empty if none fit."""
    best: list[Change] = []
    least = draft.target
    for _ in range(TRIES):
        changes = written(draft, places, level)
        left = draft.target - draft.total + _saved(draft, changes)
        if 0 <= left < least:
            best, least = changes, left
        if 0 <= left <= draft.target * UNFILLED:
            break
        level = max(0.0, level + (left - draft.target * UNFILLED / 2) / max(1, len(places)))
    return best


def _saved(draft: Draft, changes: Sequence[Change]) -> int:
    """What these replacements save; those that are not smaller are not made."""
    sizes = parts_tokens(draft.history.counter, [new for _, new, _ in changes if new is not None])
    return sum(max(0, draft.size(place) - size) for (place, _, _), size in zip(changes, sizes, strict=True))


def candidates(draft: Draft, kind: str) -> list[Place]:
    """The calls or responses that may be changed, oldest first; references have their own stage."""
    places = [place for place in draft.free() if KINDS[kind] in draft.history.part(place)]
    return [place for place in places if sources_of(draft.history.part(place)) is None]


def newest(draft: Draft, most: int) -> set[Place]:
    """The newest calls and responses with at most `most` tokens together."""
    of_tools = (
        place for place in reversed(draft.history.special)
        if place[0] not in draft.gone and not TOOLS.isdisjoint(draft.history.part(place))
    )  # fmt: skip
    return set(words.upto(most, of_tools, draft.size))


def _with_media(draft: Draft) -> int:
    """The position from which exchanges keep their files."""
    prompts = draft.history.layout.prompts
    return prompts[-TURNS_WITH_MEDIA] if len(prompts) >= TURNS_WITH_MEDIA else 0
