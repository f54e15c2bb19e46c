"""Check claims about calls against their results.

`W8 was cancelled` needs a call that cancelled W8 and did not fail, or a message that says so; it is
checked only if some tool of the conversation cancels. A command passed if it did so the last time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...base.read_json import strings_in
from ...session.model import Message
from ...session.pairing import Call, pair
from ...session.view import text_of
from ..calls import attempt_of, failure
from ..ledger import Ledger
from ..prose import clip

# Actions in tools' names, synonyms together, and their irregular past forms.
_ACTS = (
    "cancel", "book reserve order buy purchase", "refund return", "send submit post email",
    "pay transfer charge", "exchange swap replace", "schedule reschedule", "deploy publish release",
    "enable activate", "disable deactivate", "grant", "revoke", "close resolve", "merge", "approve",
    "register", "assign", "upgrade", "delete remove",
)  # fmt: skip
_DONE = {
    "cancel": "cancell?ed", "buy": "bought", "send": "sent", "submit": "submitted", "pay": "paid",
    "transfer": "transferred", "swap": "swapped", "deploy": "deployed",
}  # fmt: skip
_NOT = re.compile(
    r"\b(?:not|never|no|cannot|could|would|should|will|may|might|must|if|whether|unless|until|before"
    r"|asks?|asked|wants?|wanted|wishes|needs?|requests?|requested|tried|tries|fail\w*|refus\w+|unable"
    r"|declin\w+|reject\w+|to be|denied|instead of|rather than|pending|remains?|still)\b|n't\b|\?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?<=[.!?;:])\s+|\n|\bbut\b|\bwhile\b|\bthen\b|,? and (?=(?:the |it |its |was |were )?\w+ed\b)"
    r"|(?:,| and) (?=(?:the )?[#\w-]+ (?:was|is|has|had)\b)"
)
_QUESTION = re.compile(  # an indirect question, up to where a statement may begin
    r"\b(?:asks?|asked|wants? to know|wanted to know|wonders?|wondered) (?:whether|if)\b"
    r"(?:(?!, and\b|\bbut\b|\bthen\b)[^.;!?\n])*",
    re.IGNORECASE,
)
_THING = re.compile(r"#?[A-Za-z0-9][\w-]*\d[\w-]*|[A-Z][\w-]{2,}")
_COMMAND = re.compile(r"`([^`\n]{2,200})`[^.;\n`]{0,40}?\b(pass(?:es|ed)|succeed(?:s|ed)|fail(?:s|ed))\b")


def _pattern(acts: str) -> re.Pattern[str]:
    """A pattern for statements that one of these actions was done."""
    forms = (_DONE.get(act) or f"{act.removesuffix('e')}ed" for act in acts.split())
    return re.compile(rf"\b(?:{'|'.join(forms)})\b", re.IGNORECASE)


_PATTERNS = {acts: _pattern(acts) for acts in _ACTS}


def problems(text: str, messages: Sequence[Message]) -> list[str]:
    """The claims in a text that these messages contradict."""
    calls = pair(messages).calls
    if not calls:
        return []
    args = {word for call in calls for word in _THING.findall(" ".join(strings_in(call.args)))}
    claims = [
        clause for clause in _statements(text)
        if any(
            pattern.search(clause) and _is_wrong(clause, acts, args, calls, messages)
            for acts, pattern in _PATTERNS.items()
        )
    ]  # fmt: skip
    claims += _wrong_ends(text, calls)
    return [
        f"it says what no call returned: {clip(claim.strip(' -*'), 120)}" for claim in dict.fromkeys(claims)
    ]


def _statements(text: str) -> list[str]:
    """The clauses of a text that claim something: no questions, denials or intentions."""
    return [clause for clause in _CLAUSE.split(_QUESTION.sub("", text)) if not _NOT.search(clause)]


def _is_wrong(
    clause: str, acts: str, args: set[str], calls: Sequence[Call], messages: Sequence[Message]
) -> bool:
    """Whether a clause claims one of these actions on something that no call did it to.

    If it names ids, each counts; otherwise one of the names in it is enough.
    """
    done: list[str] = []  # what each call of these actions was passed and returned
    in_vain: list[str] = []
    for call in calls:
        name = re.sub(r"([A-Z])", r"_\1", call.name).lower()
        if set(acts.split()).isdisjoint(re.findall(r"[a-z]+", name)):
            continue
        answer = call.answer
        response = answer and answer.message.parts[answer.part]["functionResponse"].get("response")
        failed = answer is None or failure(call.name, response, "")
        (in_vain if failed else done).append(" ".join([*strings_in(call.args), *strings_in(response)]))
    if not done and not in_vain:
        return False
    things = [thing for thing in _THING.findall(clause) if thing in args]
    ids = [thing for thing in things if any(map(str.isdigit, thing))]
    missing = [thing for thing in ids or things if not _in(thing, done)]
    if not ids and len(missing) < len(things):
        return False
    stated = [
        part for message in messages if message.role for part in _statements(text_of(message))
        if _PATTERNS[acts].search(part)
    ]  # fmt: skip
    return any(_in(thing, in_vain) or not _in(thing, stated) for thing in missing)


def _in(thing: str, texts: Sequence[str]) -> bool:
    return any(thing in text for text in texts)


def _wrong_ends(text: str, calls: Sequence[Call]) -> Iterator[str]:
    """Claims that a command passed or failed, if it ended otherwise."""
    claims = [*_COMMAND.finditer(text)]
    ends = Ledger(calls if claims else ())
    for claim in claims:
        command, failed = attempt_of(f"`{claim[1]}`"), claim[2].startswith("fail")
        never_failed = claim[1] in ends.commands and command not in ends.failures
        fails = command in ends.failures and command not in ends.passed
        if never_failed if failed else fails:
            yield claim[0]
