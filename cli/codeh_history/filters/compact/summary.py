"""The summary that stands for older messages: their own sentences and lines under headings.

What was asked, rules, decisions, files, what failed, what is open, what was said and done: each oldest
first, nothing invented. A later compaction takes an earlier summary in, section by section.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from math import ceil
from operator import attrgetter, itemgetter

from ...summaries.calls import Effects
from . import words
from .ledger import failed_before, failing
from .line import FACTORS, PROSE, Line
from .revised import EARLIER, USER, revised
from .worth import Words, Worth

ASKED, RULES, DECISIONS, DONE, FILES = "What was asked", "Rules", "Decisions", "Done", "Files"
NAMES, FAILED, OPEN, SAID = "Names in files", "What failed", "Open", "What was said and done"
SHOWN = "What files and commands showed"
HEADINGS = (ASKED, RULES, DECISIONS, DONE, FILES, NAMES, FAILED, OPEN, SAID, SHOWN)
TOPICS = {
    "rule": RULES,
    "decision": DECISIONS,
    "open": OPEN,
    "question": OPEN,
    "done": DONE,
    "failed": FAILED,
    "file": FILES,
    "name": NAMES,
}
STATES = ("created", "written", "deleted", "read")
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
LABEL = re.compile(r"\[([^\[\]]{1,80})\]")
PEOPLE = (USER, "Model", EARLIER)


def names(lines: Sequence[Line], vocabulary: Words) -> list[Line]:
    """The symbols in files and the paths of others, each with the file it was seen in first.

    Those that no file was seen to hold come with the tool that told of them.
    """
    owner: dict[str, str] = {}
    other: dict[str, str] = {}
    for line in lines:
        if line.kind in ("called", "gave") and line.label != PICTURE:
            of_file = "." in line.label and " " not in line.label
            label = (
                line.label if of_file else COMMANDS if line.label[:1] == "`" else line.label.split(" ")[0]
            )
            keys = () if of_file else (*_KEY.findall(line.text), label)
            for name in sorted(vocabulary.of(line) & vocabulary.names):
                if not name.endswith(line.label) and name not in keys:
                    (owner if of_file else other).setdefault(name, label)
    owner |= {name: label for name, label in other.items() if name not in owner and not name.isupper()}
    return [
        Line(name, "ledger", 0, label=file, topic="name")
        for name, file in owner.items()
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


def written(chosen: Sequence[Line], *, tools: bool) -> str:
    """The chosen lines under their headings, in order; without `tools` a talk stays in one piece."""
    sections: dict[str, list[Line]] = {heading: [] for heading in HEADINGS}
    plain = {"asked": ASKED, "called": SHOWN, "gave": SHOWN} if tools else {}
    for line in sorted(chosen, key=attrgetter("place")):
        sections[TOPICS.get(line.topic) or plain.get(line.kind, SAID)].append(line)
    out: list[str] = []
    for heading, some in sections.items():
        if some:
            out.append(f"{heading}:")
            said = _work if tools else _talk
            shape = {SAID: said, SHOWN: _shown, FILES: _files, NAMES: _names}.get(heading, _listed)
            out += shape(some)
    return "\n".join(out)


def _listed(lines: Sequence[Line]) -> Iterator[str]:
    """A point for each message; its further lines stand below."""
    for _, some in groupby(lines, attrgetter("number")):
        mark = "- "
        for (_, label), row in groupby(some, attrgetter("row", "label")):
            text = _row(list(row))
            yield f"{mark}{text}" if label in PEOPLE or not label else f"{mark}{label}: {text}"
            mark = "  "


def _row(lines: Sequence[Line]) -> str:
    """The sentences of a row, with a blank between them where their script has one."""
    text = lines[0].text if len(lines) == 1 else " ".join([line.text for line in lines])
    if text.isascii():
        return text
    return text.replace("。 ", "。").replace("！ ", "！").replace("？ ", "？")


def _files(lines: Sequence[Line]) -> Iterator[str]:
    for state in STATES:
        paths = [line.text for line in lines if line.label == state]
        if paths:
            yield f"- {state}: {', '.join(paths)}"


def _names(lines: Sequence[Line]) -> Iterator[str]:
    for file in dict.fromkeys(line.label for line in lines):
        yield f"- {file}: {', '.join(line.text for line in lines if line.label == file)}"


def _talk(lines: Sequence[Line]) -> Iterator[str]:
    """Who says it, then what; what else somebody says in the same breath stands below."""
    last = None
    for label, number, text in _rows(lines):
        yield f"{label}: {text}" if (label, number) != last else f"  {text}"
        last = (label, number)


def _work(lines: Sequence[Line]) -> Iterator[str]:
    """Who says it, on a line of its own, then what."""
    last = None
    for label, _, text in _rows(lines):
        if label != last:
            yield f"[{label}]"
        yield text
        last = label


def _shown(lines: Sequence[Line]) -> Iterator[str]:
    """The file or call that lines are of, on a line of its own, then the lines as they stood."""
    together: dict[tuple[str, int], list[str]] = {}
    for line in lines:
        run = line.number if line.label.startswith("`") else 0  # of a command, each run by itself
        together.setdefault((line.label, run), []).append(line.text)
    for (label, _), texts in together.items():
        yield f"[{label}]"
        yield from texts


def _rows(lines: Sequence[Line]) -> Iterator[tuple[str, int, str]]:
    """The rows of lines, each with its label and message; the sentences of a row stand together."""
    for (label, number, _), row in groupby(lines, attrgetter("label", "number", "row")):
        first, *more = row
        if first.kind not in PROSE:
            yield from ((label, number, line.text) for line in (first, *more))
        elif more or not first.text.isascii():
            yield label, number, _row([first, *more])
        else:  # as most are
            yield label, number, first.text


def is_ours(text: str) -> bool:
    """Whether a summary was written here."""
    return text.split("\n", 1)[0].removesuffix(":") in HEADINGS


def parsed(text: str, done: Effects, base: int) -> Iterator[Line]:
    """The lines of an earlier summary, numbered from `base`; its files and failures go to `done`."""
    ours = is_ours(text)
    heading = label = ""
    number, work = base, False
    for row, line in enumerate(text.split("\n"), base):
        plain = line.removesuffix(":")
        if ours and plain in HEADINGS:
            heading, label, work = plain, "", False
        elif heading == FILES:
            state, _, paths = line.removeprefix("- ").partition(": ")
            for path in paths.split(", "):
                done.touch(path, state, row)
        elif heading == NAMES:
            label, _, some = line.removeprefix("- ").partition(": ")
            for name in some.split(", "):
                yield Line(name, "ledger", row, label=label, topic="name")
        elif heading == FAILED:
            failed_before(line.removeprefix("- "), done, row)
        elif heading == DONE:
            done.actions.append((line.removeprefix("- "), row))
        elif heading in (SAID, SHOWN):
            if whose := LABEL.fullmatch(line):
                label, number, work = whose[1], row, True
                continue
            if not work and not line.startswith("  "):
                label, number = line.partition(": ")[0], row
                line = line[len(label) + 2 :]
            kind = "asked" if label == "User" else "gave" if work and label not in PEOPLE else "said"
            yield Line(line if work else line.strip(), kind, number, label=label, row=row)
        elif line.strip():
            number = number if line.startswith("  ") else row
            yield from _earlier(line.strip().removeprefix("- "), heading, number, row)


def _earlier(text: str, heading: str, number: int, row: int) -> Iterator[Line]:
    """The sentences of a point of an earlier summary, or of one that was written elsewhere."""
    from ...summaries import prose
    from .speech import about

    kind = "asked" if heading in (ASKED, RULES) else "said" if heading else "earlier"
    for place, sentence in enumerate(prose.split(text)):
        topic, factor = about(sentence, user=True)
        if heading:
            topic = next((name for name, its in TOPICS.items() if its == heading), "")
        first = heading == ASKED and number == row and not place
        yield Line(sentence, kind, number, label=EARLIER, row=row, topic=topic, factor=factor, first=first)
