"""What only the whole history tells of a line: that it is settled, a frame, or said among equals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from ...session.labels import EARLIER, USER
from .line import DULL, PROSE, Line
from .questions import ASKS, SUBSTANCE, telling, untaken
from .worth import Worth

ANSWERED = 0.7  # of what an open end tells, what a later sentence has to tell too
LEAST = 2  # words that tell something, of an open end that can be answered so
CHANGED = frozenset(("created", "written", "deleted"))
ENDS = frozenset(("open", "question"))
TOPICS = frozenset(("open", "decision"))  # whose lines have to tell something by themselves
EMPTY = 0.2  # what is left of a line that tells next to nothing
FIRST, LAST = 2, 3  # lines of an output among which its frame is
OFTEN, SHARE = 5, 0.1  # outputs, and the share of all, that a line frames which is a frame
EQUAL = 0.9  # a user's sentence beside the others', where all are named
NUMBERS = 2  # that may differ from one to the next; with more it tells something
_PERMITS = (  # takes back what was forbidden or demanded
    r"(?i)\b(?:you (?:may|can|are allowed to)(?! (?:not|only|never)\b|['\u2019])"
    r"|you don['\u2019]t (?:have|need) to|feel free to|(?:not|no longer) (?:necessary|needed|required)"
    r"|(?:is|are) (?:ok|okay|fine|allowed) (?:now|again|after all)"
    r"|it['\u2019]s (?:ok|okay|fine) to|forget (?:about )?(?:the|my) rule|i take (?:that|it) back"
    r"|(?:du darfst|ihr dürft)(?! (?:nicht|nur|kein))|doch (?:ok|erlaubt)|nicht mehr nötig)\b"
    r"|可以(?:改|动|用)了|不用再|不必再"
)
_DIGITS = re.compile(r"\d+")


def revised(lines: Sequence[Line], worth: Worth) -> list[Line]:
    """The lines, each at its place, as the others let them be seen."""
    return _equal(_unframed(_settled(_permitted(_asked(lines, worth), worth), worth)))


def _asked(lines: Sequence[Line], worth: Worth) -> list[Line]:
    """The lines, of which questions that nobody takes up have a topic."""
    open = untaken(lines, worth)
    return [line.changed(topic="question") if line.place in open else line for line in lines]


def _permitted(lines: Sequence[Line], worth: Worth) -> Sequence[Line]:
    """The lines, of which rules that a user took back later are none; what takes them back is one."""
    rules = [line for line in lines if line.topic == "rule"]
    if not rules:
        return lines
    told = {rule.place: telling(rule, worth) for rule in rules}
    words = frozenset().union(*told.values())
    gone: set[int] = set()
    last: set[int] = set()
    for line in lines:
        if line.kind != "asked" or line.number <= rules[0].number or line.text[-1:] in ASKS:
            continue
        if re.search(_PERMITS, line.text):
            said = words & worth.words(line)
            before = [rule for rule in rules if rule.number < line.number]
            back = {rule.place for rule in before if _covers(said, told[rule.place], worth)}
            gone |= back
            last |= {line.place} if back else set()
    return [
        line.changed(topic="", factor=line.factor * EMPTY)
        if line.place in gone
        else line.changed(topic="rule")
        if line.place in last
        else line
        for line in lines
    ]


def _settled(lines: Sequence[Line], worth: Worth) -> list[Line]:
    """The lines, of which those have no topic that tell nothing of it any more."""
    topical = [line for line in lines if line.topic in TOPICS]
    empty = {line.place for line in topical if worth.weight(telling(line, worth)) < SUBSTANCE}
    ends = [line for line in lines if line.topic in ENDS and line.place not in empty]
    closed = empty | _answered(ends, lines, worth)
    return [
        line.changed(topic="", factor=line.factor * (EMPTY if line.place in empty else 1))
        if line.place in closed
        else line
        for line in lines
    ]


def _answered(ends: Sequence[Line], lines: Sequence[Line], worth: Worth) -> set[int]:
    """The places of those that a later sentence, or a later change of their file, settles."""
    found: set[int] = set()
    told = {end.place: telling(end, worth) for end in ends}
    words = frozenset().union(*told.values())
    for line in lines if ends else ():
        if line.topic == "file" and line.label in CHANGED:
            name = line.text.rpartition("/")[2]
            found |= {end.place for end in ends if end.number < line.number and name in end.text}
        elif _says(line) and len(said := words & worth.words(line)) >= LEAST:
            before = [end for end in ends if end.number < line.number]
            found |= {end.place for end in before if _covers(said, told[end.place], worth)}
    return found


def _says(line: Line) -> bool:
    return line.kind in PROSE and line.topic != "open" and line.text[-1:] not in ASKS


def _covers(said: frozenset[str], words: frozenset[str], worth: Worth) -> bool:
    return len(words & said) >= LEAST and worth.weight(words & said) >= ANSWERED * worth.weight(words)


def _unframed(lines: Sequence[Line]) -> list[Line]:
    """The lines, of which those are dull that outputs begin or end with all the time: `Exit Code: 0`."""
    edges: list[tuple[int, str]] = []
    outputs = 0
    for _, some in groupby([line for line in lines if line.kind == "gave"], attrgetter("number", "label")):
        output = list(some)
        outputs += 1
        ends = output if len(output) <= FIRST + LAST else [*output[:FIRST], *output[-LAST:]]
        masked = [
            _DIGITS.sub("0", line.text) for line in ends if len(_DIGITS.findall(line.text)) <= NUMBERS
        ]
        once = {text for text, count in Counter(masked).items() if count == 1}
        edges += [(line.place, text) for line in ends if (text := _DIGITS.sub("0", line.text)) in once]
    counts = Counter(text for _, text in edges)
    least = max(OFTEN, outputs * SHARE)
    dull = {place for place, text in edges if counts[text] >= least}
    return [line.changed(factor=line.factor * DULL) if line.place in dull else line for line in lines]


def _equal(lines: list[Line]) -> list[Line]:
    """The lines; where most of what users say names a speaker, it is worth what the others say."""
    asked = [line for line in lines if line.kind == "asked"]
    if sum([line.label not in (USER, EARLIER) for line in asked]) * 2 <= len(asked):
        return lines
    return [
        line.changed(kind="said", factor=line.factor * EQUAL) if line.kind == "asked" else line
        for line in lines
    ]
