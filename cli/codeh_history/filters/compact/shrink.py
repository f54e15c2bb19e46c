"""The stages that put stubs in the place of large content: tool outputs and files, then call arguments.

How small a stub gets follows from what is needed: the outputs alone, outputs and arguments, or both of
the newest tool tokens too; the first of these that suffices, at its largest level.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

from ...session.exchanges import is_thought
from ...session.model import Message
from ...tokens import parts_tokens
from . import stubs, words
from .draft import Change, Draft
from .history import Place
from .line import Line, dullness
from .small import sources_of
from .worth import Words, Worth

RECENT = 40_000  # the newest tool tokens that stay whole when they can
RECENT_SHARE = 0.4  # of the budget: what of them stays whole when more than stubs is needed
LARGEST, SMALLEST = 1600, 100  # tokens of a stub, on average
ALONE = 200  # the least to which outputs are cut before arguments are cut too
MARGIN = 1.05  # what estimated stubs save is this much less sure
EDGES = 0.35  # the share of a stub for its first and last lines; the rest is for what names most
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
        batch = Batch(draft, places[:count])
        changes = batch.write(level * count)  # later stages make up for it, if it does not suffice
        if need <= 0:
            changes = filling(draft, batch, level * count - need) or batch.write(SMALLEST * count)
        draft.replace_while_large(stage, changes)
        places = places[count:]


class Batch:
    """Parts that are shortened together: each keeps its ends and errors, jointly the lines of most worth.

    A part that says much gets more of the room than one that says little.
    """

    __slots__ = ("_draft", "_stubs", "_worth")

    def __init__(self, draft: Draft, places: Sequence[Place]) -> None:
        made = [(place, draft.history.stub(place)) for place in places]
        self._draft = draft
        self._stubs = [
            (place, stub, _size(draft, place) / max(1, sum(cut.size for cut in stub.cuts)))
            for place, stub in made
            if stub is not None
        ]

    def write(self, room: float, *, strict: bool = False) -> list[Change]:
        """The stubs in so many tokens; `strict`: errors that need more than half the room go too."""
        each = room / max(1, len(self._stubs))
        for _, stub, rate in self._stubs:
            stub.keep_ends(int(each / rate * EDGES))
            for cut in stub.cuts if strict else ():
                cut.limit_errors(int(each / rate) // (2 * len(stub.cuts)))
        cuts = [(cut, rate) for _, stub, rate in self._stubs for cut in stub.cuts]
        fill(self._draft.history.words, cuts, room)
        return self._built()

    def ends(self, most: float) -> list[Change]:
        """The stubs of nothing but first and last lines, in so many tokens each."""
        for _, stub, rate in self._stubs:
            stub.keep_ends(int(most / rate), errors=False)
        return self._built()

    def _built(self) -> list[Change]:
        why = "{:,} tokens to a stub"
        return [
            (place, stub.build(), why.format(_size(self._draft, place))) for place, stub, _ in self._stubs
        ]


def filling(draft: Draft, batch: Batch, room: float, *, strict: bool = False) -> list[Change]:
    """The stubs that fill the room best, so that it fits; none where that was not to be had."""
    best: list[Change] = []
    least = draft.target
    for _ in range(TRIES):
        changes = batch.write(room, strict=strict)
        left = draft.target - draft.total + _saved(draft, changes)
        if 0 <= left < least:
            best, least = changes, left
        if 0 <= left <= draft.target * UNFILLED:
            break
        room = max(0.0, room + left - draft.target * UNFILLED / 2)
    return best


def _saved(draft: Draft, changes: Sequence[Change]) -> int:
    """What these replacements save, those left out that would not."""
    sizes = iter(parts_tokens(draft.history.counter, [new for _, new, _ in changes if new is not None]))
    return sum(
        max(0, _size(draft, place) - (next(sizes) if new is not None else 0)) for place, new, _ in changes
    )


def fill(vocabulary: Words, cuts: Sequence[tuple[stubs.Cut, float]], room: float) -> None:
    """Spend the room, in tokens, on the lines of these texts that are worth most; then on the newest texts.

    Each text comes with what its characters cost.
    """
    lines = [
        [
            Line(line, "gave", number, rate=rate, factor=dullness(line))
            for number, line in enumerate(cut.lines)
        ]
        for cut, rate in cuts
    ]
    worth = Worth(vocabulary, [*chain.from_iterable(lines)])
    for (cut, rate), some in zip(cuts, lines, strict=True):
        worth.know(frozenset().union(*(vocabulary.of(some[number]) for number in cut.kept)))
        room -= sum([(len(cut.lines[number]) + 1) * rate for number in cut.kept])
    places = {
        id(line): cut
        for (cut, _), some in zip(cuts, lines, strict=True)
        for line in some
        if line.number not in cut.kept and len(line.text) > 3
    }
    free = [line for some in lines for line in some if id(line) in places]
    for line in worth.choose(free, room):
        places[id(line)].kept.add(line.number)
        room -= line.cost
    for cut, rate in reversed(cuts):
        for number, text in enumerate(cut.lines):
            cost = (len(text) + 1) * rate
            if cost <= room and number not in cut.kept:
                cut.kept.add(number)
                room -= cost


def last_unit(draft: Draft) -> None:
    """Results inside the last unit, to an equal share of what is left; only when nothing else helps."""
    to_fit(draft, "last-unit", draft.open(draft.history.yielding))


def to_fit(draft: Draft, stage: str, places: Sequence[Place]) -> None:
    """Cut these results to the level that fits; to nothing but marks where none does."""
    sizes = [_size(draft, place) for place in places]
    level = words.water_level(sizes, draft.target - (draft.total - sum(sizes)))
    large = [place for place in places if _size(draft, place) > level]
    changes: list[Change] = []
    if level >= SMALLEST // 2:
        batch = Batch(draft, large)
        room = level * len(large)
        changes = filling(draft, batch, room) or filling(draft, batch, room, strict=True)
    draft.replace_while_large(stage, changes or _bare(draft, places), whole=True)


def _bare(draft: Draft, places: Sequence[Place]) -> list[Change]:
    why = "nothing less suffices"
    return [
        (p, stubs.bare(draft.history.part(p), "", draft.history.messages[p[0]].id), why) for p in places
    ]


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
    out = draft.gone | draft.doomed | draft.history.layout.fixed
    saved = 0
    for number, large in enumerate(draft.history.past.each(_large)):
        for place, file, thought, kind in large if number not in out else ():
            size = draft.tokens[number][place]
            if (number, place) in draft.new:
                continue
            if (file and number < media) or (thought and number < prompt):
                saved += size
            elif size > LEAST_STUB and kind and (kind == SOURCES or (number, place) not in whole):
                saved += size - LEAST_STUB
    return saved


SOURCES, TOOL = "sources", "tool"
_ONE_OF_A_TOOL = ((0, False, False, TOOL),)


def _large(message: Message, _costs: Sequence[int]) -> Sequence[tuple[int, bool, bool, str]]:
    """The parts of a message that may shrink: whether each is a file, or a thought, and what of a tool."""
    if len(message.parts) == 1 and len(message.parts[0]) == 1:  # as most have
        (part,) = message.parts
        if "text" in part:
            return ()
        if "functionCall" in part or ("functionResponse" in part and sources_of(part) is None):
            return _ONE_OF_A_TOOL
    found = []
    for place, part in enumerate(message.parts):
        if len(part) == 1 and "text" in part:
            continue
        of_tool = TOOL if "functionResponse" in part or "functionCall" in part else ""
        kind = SOURCES if sources_of(part) is not None else of_tool
        file, thought = not FILES.isdisjoint(part), is_thought(part)
        if file or thought or kind:
            found.append((place, file, thought, kind))
    return found or ()
