"""What somebody said, as sentences, each with the kind of thing that it says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...session.labels import PASTED, is_ours
from ...summaries import cues, leanings, prose
from . import words
from .line import Line, dullness

RULE, DECISION, OPEN, FILLER = 3.0, 1.6, 1.3, 0.2  # times that
FEW = 4  # words of a sentence that tells something without the one before: not `Gorgeous!`
RULE_LENGTH = 240  # characters of a rule
LONGEST = 480  # and of what has a topic: who talks longer tells something
WEIGHT = 0.15  # more of a sentence, for each kind of words in it that rules and decisions are made of
LONG = 2000  # characters of a prompt beyond which it is what somebody pasted
TYPED = 400  # characters of a line that somebody typed
_PICTURE = re.compile(  # the path of one, as it is dropped on a terminal
    r"['\"<\[(]*(?:file:/|[A-Za-z]:\\|~|\.{0,2})?[/\\].{0,300}"
    r"\.(?:png|jpe?g|gif|webp|heic|bmp|tiff?|svg|mov|mp4|webm)['\">\])]*",
    re.IGNORECASE,
)
_NAME = r"[^\W\d_a-z][\w.'-]*"
_SPEAKER = re.compile(rf"({_NAME}(?: {_NAME}){{0,3}})(?:: +|：)(?=\S)")
_NO_SPEAKER = frozenset(
    """
answer beschluss cause change conclusion constraint context decided decision done error example fix fixed
fixme fyi goal hint idea important info later measured missing next note notes open option outcome output
pending plan problem question reason remaining remember requirement resolution result results rule status
step summary task tbd tip todo update verdict warning word antwort aufgabe beispiel entscheidung ergebnis
fehlt frage grund hinweis idee offen problem regel ursache wichtig 待办 决定 规则 注意 问题 结论 原因 要求
""".split()
)  # what stands before a colon and says what kind of thing follows
_POINTS_BACK = re.compile(
    r"(?:so |and |but |then )?(?:that|this|it|these|das|dies)\b|[这那]", re.IGNORECASE
)
_LASTING = re.compile(  # what holds for all that follows, by how a sentence says it
    r"(?:please,? )?(?:i prefer\b|i(?:['\u2019]d| would) rather (?:have|see|keep|use)\b|call me\b"
    r"|i (?:want|need|expect) (?:all|every|each|any|no|nothing)\w*\b|from here on\b|we (?:use|only)\b"
    r"|(?:always )?(?:remember that|(?:keep|bear) in mind)\b|(?:it|this|that|everything) has to\b"
    r"|(?:limit|restrict|confine) yourself\b|nothing (?:may|can|should|leaves|goes)\b"
    r"|no [a-z-]+(?: [a-z-]+)?[.!]$(?<!idea\.)(?<!problem\.)(?<!worries\.)|explain (?:things|everything)\b"
    r"|(?:answer|reply|respond|speak|talk)(?: to me)? (?:in|with|without|only|as)\b"
    r"|(?:toujours|jamais|siempre|nunca|sempre|nooit|altijd)\b)"
    r"|.*(?:: (?:every|each|all|no) |\blimit is\b|\bn['\u2019e ]+\w+ (?:jamais|pas|plus)\b|\bjamais\b)",
    re.IGNORECASE,
)
REASON_LENGTH = 60  # characters of a sentence that is the reason of the one before
_POINTS_ON = re.compile(  # `It is unclear whether the parser …`
    r"it(?:['\u2019]s| is| was| remains)\b.* (?:whether|who|why|how|if|that) ", re.IGNORECASE
)


def below_pictures(text: str) -> str:
    """What a prompt says below the pictures that it begins with; all of it where it says nothing."""
    rest = text
    while rest:
        first, _, below = rest.partition("\n")
        if first.strip() and not _PICTURE.fullmatch(first.strip()):
            return rest
        rest = below
    return text


def typed(text: str, number: int, *, user: bool, rate: float) -> Iterator[Line]:
    """The sentences of what somebody said; of a line that names its speaker, under that name."""
    kind, label = ("asked", "User") if user else ("said", "Model")
    first = user
    seen = 0
    fence = ""
    for row, line in enumerate(text.split("\n")):
        seen += len(line)
        line = line.strip()
        if not line or (user and is_command(line)):
            continue
        fenced, fence = fence, prose.fence_after(line, fence)
        if user and (fenced or fence or line[0] == ">"):
            for piece in words.lines_of(line):
                yield Line(
                    piece, "pasted", number, label=PASTED, row=row, rate=rate, factor=dullness(piece)
                )
            continue
        if user and _PICTURE.fullmatch(line):
            yield Line(line, "pasted", number, label=PASTED, row=row, rate=rate, factor=FILLER)
            continue
        if user and (seen > LONG or len(line) > LONG or dullness(line) < 1 or not prose.is_prose(line)):
            for piece in words.lines_of(line):
                whose, by = ("pasted", PASTED) if seen > TYPED else (kind, label)
                yield Line(piece, whose, number, label=by, row=row, rate=rate,
                           factor=dullness(piece), first=first)  # fmt: skip
                first = False
            continue
        who = _SPEAKER.match(line)
        if who and (who[1].split()[-1].lower() in _NO_SPEAKER or is_ours(who[1])):
            who = None
        speaker = who[1] if who else label
        rest = line[who.end() :] if who else line
        for sentence, topic, factor in _sentences(rest, user=user, named=bool(who)):
            yield Line(
                sentence, kind, number,
                label=speaker, row=row, rate=rate, topic=topic, factor=factor, first=first,
            )  # fmt: skip
            first = False


def is_command(line: str) -> bool:
    """Whether a line is nothing but a command of the program that it is typed in: `/theme`."""
    return line[0] == "/" and line[1:].isalpha()


def _sentences(text: str, *, user: bool, named: bool) -> list[tuple[str, str, float]]:
    """The sentences of a line, with what they say; `So that is decided` goes with the one before.

    So does the one behind a decision without a reason: of `We take rubber. Wood splinters.` the second.
    """
    found: list[tuple[str, str, float]] = []
    said = prose.split(text)
    for sentence in said:
        topic, factor = about(sentence, user=user)
        if (named or not user) and not topic and sentence.isascii() and sentence.count(" ") < FEW - 1:
            factor = FILLER
        asked = topic == "open" and found and found[-1][0][-1:] in "?？"  # `Does it scale? Nobody knows.`
        back = _POINTS_BACK.match(sentence) and not _POINTS_ON.match(sentence)
        if topic in ("decision", "open") and (asked or back):
            if found:
                sentence = f"{found.pop()[0]} {sentence}"
            else:
                topic = ""
        if len(said) == 2 and found and not topic and factor >= 1 and _gives_reason(sentence, found[-1]):
            before, topic, factor = found.pop()
            sentence = f"{before} {sentence}"
        found.append((sentence, topic, factor))
    return found


def _gives_reason(sentence: str, before: tuple[str, str, float]) -> bool:
    """Whether it stands behind a decision that gives none, and is short enough to be no more than that."""
    if before[1] != "decision" or len(sentence) > REASON_LENGTH or sentence[-1] in "?？":
        return False
    return not leanings.reasons(before[0])


def about(sentence: str, *, user: bool) -> tuple[str, float]:
    """What kind of thing a sentence says, and what that is worth."""
    if len(sentence) > LONGEST:
        return "", 1.0
    if user and len(sentence) <= RULE_LENGTH and sentence[-1:] not in "?？" and _LASTING.match(sentence):
        return "rule", RULE
    sure = 0.0
    if not cues.none(sentence):  # as most say nothing of the kind
        sure = cues.rule(sentence) if user else 0.0
        if sure >= 2 and len(sentence) <= RULE_LENGTH:
            return "rule", RULE
        if cues.decision(sentence) == 2:
            return "decision", DECISION
        if cues.open_end(sentence):
            return "open", OPEN
    return "", FILLER if prose.is_filler(sentence) else 1.0 + sure / 4 + WEIGHT * leanings.weight(sentence)
