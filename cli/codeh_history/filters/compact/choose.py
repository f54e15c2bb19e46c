"""Choose the lines of a summary: those that add most for their tokens, in an order set by the kind of
conversation.

A line adds words and names that no chosen line has. The value of a word is its rarity in general times how
often the conversation uses it (in work with tools, recently); it falls each time the word is chosen. In
work, a phrase that several messages have counts too, because it is what the work is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from itertools import groupby, zip_longest
from math import ceil, exp, log

from ...base.lazy import Pattern
from ...session.labels import PASTED
from ...summaries import cues, prose
from ...summaries.authorship import ROWS
from ...summaries.calls import PASSED, SHOWS
from .lines import Line
from .summary import KINDS
from .units import CHAT, PEOPLE, WORK
from .words import COMMON, is_name, phrases, rarity

UNIT = 1 << 20  # values are integers, so that sums do not depend on order
NAME, PHRASE = 5.0, 6.0  # in work, the value of a name or a repeated phrase in relation to a rare word
AGAIN, ALMOST_ONCE = 0.65, 0.03  # factors each time it is chosen: of a word; of a name or phrase
RECENT = 0.3  # in work: the share of the conversation after which a use of a word counts little
EXTRA = 2  # tokens of a line besides its text: its label, the line break
# Shares of a rule's words in a line that repeats it, revokes it, or may revoke it, so that both are listed.
SAME, REVOKES, MENTIONS = 0.8, 0.5, 0.01
CLOSES = 0.6  # share of the words of an open end in a line that closes it
FEW, ORDINARY = 2, 0.5  # an open end with no more than FEW words rarer than ORDINARY stays open
LEAST, SMALL = 80, 0.3  # least tokens of a share, unless that is more than this part of the room
SPARE = 1.5  # factor of the room to choose for, in case lines cost less than estimated
LAST = 8  # sentences that may say where things stand: of the last answer, and later ones
FIRST = 3  # sentences that begin each answer
# Shares of the room, in this order; the rest is chosen by gain.
ACTIONS, GOAL, NOW, RULES, FILES, FAILURES, COMMITS = 0.86, 0.05, 0.06, 0.4, 0.1, 0.04, 0.02
PROMPTS, DECISIONS, NAMES = 0.35, 0.1, 0.3  # in work
ASKED, BEGINNINGS = 0.9, 0.5  # of what is left in a chat
ELSEWHERE = "elsewhere"  # the label of names that no file shows
SYMBOL = Pattern(  # or a path; no `MUST`, no `e1e8`
    r"(?![A-Z]+s?$|[\da-f]{4,6}$|//)(?:(?=_*[^\W_])[^\W\d]\w{3,}|[\w.@-]*/[\w./@-]+\w)"
)


class Chooser:
    """Chooses lines; a chosen line lowers the value of its words."""

    def __init__(self, lines: Sequence[Line], shape: str, staying: AbstractSet[str] = frozenset()) -> None:
        """`staying`: the words of the messages that stay."""
        uses = _uses(lines, shape)
        weights = {word: _weight(word, shape) for word in uses}
        self._once = {word for word, weight in weights.items() if weight > 1}
        self._values = {word: int(UNIT * use * weights[word]) for word, use in uses.items()}
        self._use(self._values.keys() & staying)
        self._taken: set[int] = set()

    def _use(self, words: Iterable[str]) -> None:
        for word in words:
            self._values[word] = int(self._values[word] * (ALMOST_ONCE if word in self._once else AGAIN))

    def _gain(self, line: Line) -> float:
        """The value that a line adds per token."""
        return sum(map(self._values.__getitem__, line.words)) / (line.cost + EXTRA)

    def take(self, lines: Iterable[Line], room: float = float("inf")) -> list[Line]:
        """Take these lines in order, each if it fits."""
        chosen = []
        for line in lines:
            if line.cost <= room and line.place not in self._taken:
                self._taken.add(line.place)
                room -= line.cost
                chosen.append(line)
                self._use(line.words)
        return chosen

    def best(self, lines: Iterable[Line], room: float) -> list[Line]:
        """Take the lines that add most, best first, until the room is full; of equals the later one.

        A line's gain only falls as others are chosen, so it is recomputed when its turn comes.
        """
        by_place = {line.place: line for line in lines if line.place not in self._taken}
        heap = [(-self._gain(line), -place) for place, line in by_place.items()]
        heapify(heap)
        chosen: list[Line] = []
        while heap:
            _, place = heappop(heap)
            line = by_place[-place]
            if line.cost > room:
                continue
            now = self._gain(line)
            if heap and -now > heap[0][0]:
                heappush(heap, (-now, place))
            else:
                chosen += self.take([line])
                room -= line.cost
        return chosen


def _weight(word: str, shape: str) -> float:
    """The value of a word, name or phrase apart from its use."""
    if " " in word:
        return PHRASE
    return NAME if shape == WORK and is_name(word) else rarity(word) ** 1.5


def _uses(lines: Sequence[Line], shape: str) -> dict[str, float]:
    """Count how often lines use each word, on a log scale; in work, with less weight for older messages."""
    if shape != WORK:
        counts = Counter(word for line in lines for word in line.words)
        return {word: log(1 + count) for word, count in counts.items()}
    end = max([line.number for line in lines], default=0) + 1
    by_message: dict[int, Counter[str]] = {}
    for line in lines:
        by_message.setdefault(max(line.number, 0), Counter()).update(line.words)
    uses: dict[str, float] = {}
    for number, counts in by_message.items():
        weight = exp((number - end) / (end * RECENT))
        for word, count in counts.items():
            uses[word] = uses.get(word, 0.0) + log(1 + count) * weight
    return {word: use**0.2 for word, use in uses.items()}


def choose(lines: Sequence[Line], chooser: Chooser, shape: str, room: float) -> list[Line]:
    """Return the lines of a summary, most important first, with some to spare beyond `room` tokens."""
    by_kind: dict[str, list[Line]] = {kind: [] for kind in KINDS}
    for line in lines:
        by_kind[line.kind].append(line)
    done, files, failed = (sorted(by_kind[kind], key=_newest) for kind in ("done", "file", "failed"))
    users = [line for line in lines if line.spoken == "asked"]
    prompts = [line for line in users if not prose.is_filler(line.text)]

    def at_least(share: float) -> float:
        return max(room * share, min(LEAST, room * SMALL))

    def remaining(share: float) -> float:
        return room * share - _cost(chosen)

    chosen = chooser.take(by_kind["pinned"])
    acts = [line for line in done if line.text[:1] != "`"]
    chosen += chooser.take(acts, max(room * ACTIONS, min(LEAST, room)))
    chosen += chooser.take([line for line in prompts if line.id == prompts[0].id], at_least(GOAL))
    if shape != PEOPLE:
        now = chooser.take(_conclusions(lines, shape), at_least(NOW))
        for line in now:
            line.kind = "now"
        chosen += now
    chosen += chooser.best(by_kind["rule"], at_least(RULES))
    file_lines = chooser.take(files, at_least(FILES))
    failing = [line for line in failed if not line.text.endswith(PASSED)]
    failing = chooser.take(failing, at_least(FILES) - _cost(file_lines) + at_least(FAILURES))
    chosen += [*file_lines, *failing, *chooser.take(failed, at_least(FAILURES) - _cost(failing))]
    chosen += chooser.take(done, at_least(COMMITS))
    free = [line for line in lines if line.kind not in ("done", "name")]
    if shape == WORK:
        firsts = [line for line in prompts if line.first]
        step = max(1, ceil(_cost(firsts) / max(1, at_least(PROMPTS))))  # if not all fit, every n-th
        chosen += chooser.take(firsts[::-step], at_least(PROMPTS))
        chosen += chooser.best([*by_kind["decision"], *by_kind["open"]], at_least(DECISIONS))
        own = [line for line in free if line.spoken or (line.label == PASTED and line.row < ROWS)]
        chosen += chooser.best(own, remaining(1 - NAMES))
        chosen += chooser.best(free, remaining(1 - NAMES))
        chosen += chooser.best(by_kind["name"], room * NAMES)
    elif shape == CHAT:
        model = (line for line in lines if line.spoken == "said")
        answers = [list(answer) for _, answer in groupby(model, lambda line: line.id)]
        heads = [answer[row] for row in range(FIRST) for answer in answers if row < len(answer)]
        chosen += chooser.best(users, remaining(1) * ASKED)
        chosen += chooser.take(heads, remaining(1) * BEGINNINGS)
    return chosen + chooser.best(free, remaining(SPARE))


def _cost(lines: Iterable[Line]) -> float:
    return sum([line.cost for line in lines])


def _newest(line: Line) -> tuple[bool, bool, int]:
    """Sort key: newest first; files only read, failures that passed later and failed lookups go last."""
    if line.kind == "failed":
        return bool(SHOWS.match(line.text.removeprefix("`"))), line.text.endswith(PASSED), -line.place
    return line.kind == "file" and line.label == "read", False, -line.place


def _conclusions(lines: Sequence[Line], shape: str) -> list[Line]:
    """The first sentences of the model's last answer, without announcements; in work, alternating with its
    later sentences, newest first.
    """
    own = [
        line for line in lines
        if line.spoken == "said" and line.number >= 0
        and not (line.text.endswith(":") or prose.is_filler(line.text) or cues.announces(line.text))
    ]  # fmt: skip
    answers = [line for line in own if shape != WORK or not line.calls]
    answer = [line for line in answers if line.id == answers[-1].id]
    since = [line for line in own if not answer or line.number > answer[-1].number]
    both = zip_longest(since[::-1], answer)
    return [line for pair in both for line in pair if line is not None][:LAST]


def names(lines: Sequence[Line]) -> list[Line]:
    """Make a line of each symbol and path in tool output, labelled with the file in which it first appears;
    none if no file was read.
    """
    first: dict[str, Line] = {}
    shown = [line for line in lines if line.kind == "shown" and " " in line.text.strip()]  # no listings
    in_files = [line for line in shown if _is_file(line.label)]
    words = frozenset().union(*(line.words for line in shown if in_files))
    candidates = {word for word in words if SYMBOL.fullmatch(word) and is_name(word)}
    for line in [*in_files, *shown]:
        for name in sorted(line.words & candidates):
            if name not in first and f"{name}: " not in line.text and not name.endswith(line.label):
                label, cost = line.label if _is_file(line.label) else ELSEWHERE, len(name) / 3.5 + 1
                words = line.words & {name}
                first[name] = Line("name", label, name, line.id, cost, number=line.number, words=words)
    return [*first.values()]


def _is_file(label: str) -> bool:
    return "." in label and " " not in label


def add_phrases(lines: Sequence[Line]) -> None:
    """Add to the words of each line, except of tool output, the phrases that other messages have too."""
    of_lines = [phrases(line.text) for line in lines]
    first: dict[str, int] = {}  # phrase → message
    repeated = {
        phrase
        for line, own in zip(lines, of_lines, strict=True)
        for phrase in own
        if first.setdefault(phrase, line.number) != line.number
    }
    for line, own in zip(lines, of_lines, strict=True):
        if line.kind != "shown":
            line.words |= own & repeated


def settle(lines: Sequence[Line], later: Sequence[Line] = ()) -> None:
    """Turn rules that were repeated or revoked, and open ends that the model closed, into plain lines.

    `later`: lines of prompts that stay, which may revoke a rule.
    """
    spoken = [line for line in lines if line.spoken]
    users = [(at, line) for at, line in enumerate([*spoken, *later]) if line.spoken == "asked"]
    revoking = [(at, line) for at, line in users if line.rules and cues.revokes(line.text)]
    rules = [(at, line) for at, line in enumerate(spoken) if line.kind == "rule"]
    for number, (at, line) in enumerate(rules, 1):
        back = [other for place, other in revoking if place > at and _covers(other, line, MENTIONS)]
        revoked = any(_covers(other, line, REVOKES) for other in back)
        if revoked or any(_covers(other, line) and _covers(line, other) for _, other in rules[number:]):
            line.kind = line.spoken
        for other in back:
            other.kind = "rule"
    for at, line in enumerate(spoken):
        if line.kind == "open" and any(
            _covers(other, line, CLOSES) for other in spoken[at + 1 :] if other.kind == "said"
        ):
            line.kind = line.spoken


def _covers(other: Line, line: Line, share: float = SAME) -> bool:
    """Whether a line has most of the rare words of another."""
    few, least = (0, COMMON) if line.kind == "rule" else (FEW, ORDINARY)
    about = {word for word in line.words if rarity(word) > least}
    return len(about) > few and len(about & other.words) >= share * len(about)
