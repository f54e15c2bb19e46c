"""Which lines a summary is made of: each kind has its share, the rest is chosen by what a line adds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from math import ceil
from operator import attrgetter, itemgetter

from ...session.labels import EARLIER, MODEL, USER
from ...summaries.calls import Effects
from . import words
from .ledger import failed_before, failing
from .line import FACTORS, PROSE, Line
from .revised import revised
from .summary import SPEAKERS, Entry, entry, joined
from .worth import Words, Worth

# What may take how much of the room before everything else is chosen by worth.
SHARES = {
    "rule": 0.12, "file": 0.13, "failed": 0.1, "done": 0.07, "asked": 0.1, "open": 0.06, "decision": 0.1,
    "figure": 0.05, "changed": 0.01, "question": 0.04, "single": 0.11, "name": 0.135,
}  # fmt: skip
# The same where no tools are at work: of what files, failures and names would take others have a part.
TALK = SHARES | {"figure": 0.06, "question": 0.05, "single": 0.19}
AT_LEAST, SMALL = 80, 0.2  # tokens of what takes little, of such a share where there is not much room
ALONE, MOST_ALONE = 600, 0.19  # the same of what nothing else tells of
PROMPT = 12  # tokens that a prompt needs to be told of
PICTURE = "File"  # the label of media, whose line names nothing but the message to expand
COMMANDS = "commands"  # what names are listed under that only these told of
UNLIKE = 0.1  # of a token: how much of a line nothing else says, of one that is unlike the others
UNLIKE_SHARE = 0.6  # of the room of a heading: what those take first
SINGLE = 1.1  # the factor of a sentence that may be the only one to tell of what it tells
TELLS, RARE = 2, 0.9  # so many so rare words tell something in a user's sentence of no kind
FIGURE = (  # a number by itself: how much, how many or when; no colour, no part of a name
    r"(?<![\w#./:-])"
    r"(?:[€$£¥] ?\d[\d.,]*|\d{4}-\d\d-\d\d|\d+(?:[.,:]\d+)* ?(?:[%€$£¥]|st|nd|rd|th)|\d[\d.,:]+\d)"
    r"(?![\w/-]|[.:,]\w)"
)
NUMERALS = frozenset(
    """
eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
seventy eighty ninety hundred thousand million january february april june july august september october
november december
""".split()
)  # in words: of more than a few
CHANGED = (  # what somebody did to a file, in a sentence
    r"(?i)\b(?:added|changed|edited|fixed|renamed|removed|deleted|updated|created|replaced|corrected|patched"
    r"|moved|uploaded|wrote|rewrote|rewritten|written|adapted|extended|done|geändert|angepasst|ergänzt|gelöscht"
    r"|erstellt|umbenannt)\b|(?:修改|更新|创建|删除|新增|添加)了?"
)
WORD = re.compile(r"\b[^\W\d_]{2,}\b")
NO_SENTENCE = frozenset("`=|>→")  # a field, a line of code
SYMBOL = re.compile(r"(?=_*[^\W_])[^\W\d]\w{3,}|[\w.@-]*/[\w./@-]+\w")  # or the path of another file
_KEY = re.compile(r"(\w+): ")  # of a field
PEOPLE = (USER, MODEL, EARLIER)
LEDGER = ("file", "name", "failed", "done")  # kinds whose lines are not sentences
SPOKEN = ("asked", "rule", "said", "decision", "open", "question")  # kinds whose lines are
KIND_OF = {"called": "shown", "gave": "shown", "ledger": "shown"} | {k: k for k in (*PROSE, "pasted")}


def names(lines: Sequence[Line], vocabulary: Words) -> list[Line]:
    """The symbols in files and the paths of others, each with the file it was seen in first.

    Those that no file was seen to hold come with the tool that told of them.
    """
    owner: dict[str, tuple[str, int]] = {}
    other: dict[str, tuple[str, int]] = {}
    for line in lines:
        if line.kind in ("called", "gave") and line.label != PICTURE:
            of_file = "." in line.label and " " not in line.label
            label = (
                line.label if of_file else COMMANDS if line.label[:1] == "`" else line.label.split(" ")[0]
            )
            keys = () if of_file else (*_KEY.findall(line.text), label)
            for name in sorted(vocabulary.of(line) & vocabulary.names):
                if not name.endswith(line.label) and name not in keys:
                    (owner if of_file else other).setdefault(name, (label, line.number))
    owner |= {name: seen for name, seen in other.items() if name not in owner and not name.isupper()}
    return [
        Line(name, "ledger", number, label=file, topic="name")
        for name, (file, number) in owner.items()
        if SYMBOL.fullmatch(name)
    ]


def ranked(lines: Sequence[Line], worth: Worth, room: float) -> list[Line]:
    """The lines that a summary of about so many tokens holds, what is kept longest first."""
    lines = revised(lines, worth)
    shares = SHARES if any(line.kind in ("called", "gave", "ledger") for line in lines) else TALK
    chosen: list[Line] = []
    taken: set[int] = set()

    def left(some: Iterable[Line]) -> list[Line]:
        return [line for line in some if line.place not in taken]

    def add(some: Iterable[Line]) -> None:
        for line in some:
            taken.add(line.place)
            chosen.append(line)

    def best(topic: str) -> None:
        some = left(line for line in lines if line.topic == topic)
        anew = worth.anew(some)
        its, before = room * shares[topic], len(chosen)
        unlike = [line for line in anew if line.kind in PROSE and worth.alone(line) > UNLIKE]
        add(_while_room(_by_loss(unlike, worth), its * UNLIKE_SHARE, worth))
        add(worth.choose(left(anew), its - sum([line.cost for line in chosen[before:]])))
        taken.update({line.place for line in some}.difference([line.place for line in anew]))

    def least(share: str) -> float:
        return max(room * shares[share], min(AT_LEAST, room * SMALL))

    def newest(topic: str, later: Callable[[Line], bool | tuple[bool, bool]]) -> None:
        some = left(line for line in lines[::-1] if line.topic == topic)
        add(_while_room(sorted(some, key=later), least(topic), worth))

    best("rule")
    newest("file", lambda line: line.label == "read")  # what changed comes before
    newest("failed", failing)
    newest("done", lambda line: not line.text)
    add(_prompts(left(lines), room * shares["asked"], worth))
    newest("open", lambda line: line.kind != "asked")
    best("decision")
    questions = left(line for line in lines if line.topic == "question")
    add(_while_room(_of_worth(questions, worth), room * shares["question"], worth))
    said = left(line for line in lines if line.kind in PROSE)
    if shares is SHARES:
        add(_while_room(_changes(said, worth), room * shares["changed"], worth))
    add(_while_room(left(_figures(said, worth, talk=shares is TALK)), least("figure"), worth))
    alone = max(room * shares["single"], min(ALONE, room * MOST_ALONE))
    add(_while_room(_by_loss(left(_singles(lines, worth)), worth), alone, worth))
    best("name")
    free = left(line for line in lines if line.topic != "name")
    add(worth.choose(free, room - sum([line.cost for line in chosen])))
    return chosen


def _by_loss(lines: Sequence[Line], worth: Worth) -> list[Line]:
    """The line first without which most would be lost."""
    return sorted(lines, key=lambda line: worth.alone(line) * line.factor, reverse=True)


def _of_worth(lines: Sequence[Line], worth: Worth) -> list[Line]:
    """Those that say something that nothing chosen says, the one that says most first."""
    alone = [(worth.alone(line), line) for line in lines]
    alone.sort(key=itemgetter(0), reverse=True)
    return [line for much, line in alone if much]


def _changes(said: Sequence[Line], worth: Worth) -> list[Line]:
    """What users say they did to files themselves, which no call tells."""
    named = [line for line in said if line.kind == "asked" and worth.named(line)]
    return sorted([line for line in named if re.search(CHANGED, line.text)], key=worth.alone, reverse=True)


def _figures(said: Sequence[Line], worth: Worth, *, talk: bool) -> list[Line]:
    """What tells a number; in a talk also a file or a code, which are many where tools are at work."""
    some = [line for line in said if _tells_a_figure(line, worth) or (talk and worth.named(line))]
    return sorted(some, key=worth.alone, reverse=True)


def _singles(lines: Sequence[Line], worth: Worth) -> list[Line]:
    """The sentences that may be the only ones to tell of something; no questions."""
    prose = [line for line in lines if line.kind in PROSE and not line.text.endswith(("?", "？"))]
    return [line for line in prose if _may_be_single(line, worth)]


def _may_be_single(line: Line, worth: Worth) -> bool:
    """Whether a sentence may be the only one to tell of something: a user's own, or by its words."""
    if line.factor >= SINGLE * FACTORS[line.kind]:
        return True
    own = line.kind == "asked" and line.label in PEOPLE and line.factor >= FACTORS[line.kind]
    return own and len(worth.telling(line, RARE)) >= TELLS


def _tells_a_figure(line: Line, worth: Worth) -> bool:
    return is_figure(line.text) or not NUMERALS.isdisjoint(worth.words(line))


def is_figure(text: str) -> bool:
    """Whether a sentence tells a number: how much, how many, when."""
    if re.search(FIGURE, text) is None or not NO_SENTENCE.isdisjoint(text):
        return False
    return len([*islice(WORD.finditer(text), 3)]) == 3


def _while_room(lines: Iterable[Line], room: float, worth: Worth) -> Iterator[Line]:
    for line in lines:
        if line.cost <= room:
            room -= line.cost
            worth.take(line)
            yield line


def _prompts(lines: Sequence[Line], room: float, worth: Worth) -> list[Line]:
    """Each prompt as far as its equal share goes, its first sentence first; of too many the best."""
    asked = [line for line in lines if line.kind == "asked"]
    prompts = [list(some) for _, some in groupby(asked, lambda line: line.number)]
    prompts = [some for some in prompts if some[0].first and some[0].factor >= 1]  # no `continue`
    level = words.water_level([ceil(sum(line.cost for line in some)) for some in prompts], int(room))
    if level < PROMPT:
        return worth.choose([some[0] for some in prompts], room)
    found: list[Line] = []
    for first, *more in prompts:
        first = first if first.cost <= level else first.shorter()
        found.append(first)
        worth.take(first)
        found += _while_room([line for line in more if line.factor >= 1], level - first.cost, worth)
    return found


def entries(chosen: Sequence[Line], id_of: Callable[[int], str]) -> list[Entry]:
    """The chosen lines as those of a summary, in order; the sentences of a row stand together."""
    rows: dict[tuple[object, ...], list[Line]] = {}
    for place, line in enumerate(sorted(chosen, key=attrgetter("place"))):
        whole = () if line.kind in PROSE and line.topic not in LEDGER else (place,)
        rows.setdefault((line.number, line.row, line.label, line.kind, line.topic, *whole), []).append(line)
    made: list[Entry] = []
    for row in rows.values():
        line = row[0]
        kind = line.topic or KIND_OF[line.kind]
        label = SPEAKERS.get(kind, "") if line.label == EARLIER else line.label
        made.append(entry(kind, label, joined([one.text for one in row]), id_of(line.number)))
    return made


def earlier(lines: Iterable[Entry], done: Effects, base: int) -> Iterator[Line]:
    """The lines of an earlier summary, numbered from `base`; its files and failures go to `done`."""
    number, before = base, ""
    for row, (kind, label, text, id) in enumerate(lines, base):
        new = id != before
        number, before = row if new else number, id
        if kind == "file":
            done.touch(text, label, row)
        elif kind == "failed":
            failed_before(text, done, row)
        elif kind == "done":
            done.actions.append((text, row))
        elif kind == "name":
            yield Line(text, "ledger", number, label=label, topic=kind)
        elif kind in ("shown", "pasted"):
            yield Line(text, "gave" if kind == "shown" else kind, number, label=label, row=row)
        elif kind in SPOKEN:
            yield from _spoken(kind, label, text, number, row, new=new)
        else:
            yield Line(text, "earlier", number, label=EARLIER, row=row)


def _spoken(kind: str, label: str, text: str, number: int, row: int, *, new: bool) -> Iterator[Line]:
    """The sentences of a line of an earlier summary that somebody said; what they are is known."""
    from ...summaries import prose
    from .speech import about

    topic = "" if kind in ("asked", "said") else kind
    user = label == USER or kind in ("asked", "rule")
    label = EARLIER if kind == "asked" and label == USER else label  # its answer may stand nowhere
    for place, sentence in enumerate(prose.split(text)):
        factor = 1.0 if kind == "said" else about(sentence, user=user)[1]
        yield Line(sentence, "asked" if user else "said", number, label=label, row=row, topic=topic,
                   factor=factor, first=kind == "asked" and new and not place)  # fmt: skip
