"""Check claims about calls against their results.

`W8 was cancelled` requires a successful call with W8, or a message that says so. `It was deployed` is
refused if all deployments failed, `The booking failed` if the booking succeeded. A command's last run
counts. Claims about anything else, and claims in other languages, are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...base.read_json import strings_in
from ...session.model import Message
from ...session.pairing import Call, pair
from ...session.view import text_of
from ..calls import Ledger, attempt_of, command_of, effect_of, failure, response_of, steps_of, words_of
from ..prose import clip

# Actions in tools' names, synonyms together, and their irregular past forms.
_ACTS = (
    "cancel", "book reserve order buy purchase", "refund return", "send submit post email",
    "pay transfer charge", "exchange swap replace", "schedule reschedule", "deploy publish release",
    "enable activate", "disable deactivate", "grant", "revoke", "close resolve", "merge", "approve",
    "register", "assign", "upgrade", "delete remove", "push", "restart", "edit update change modify write",
)  # fmt: skip
_DONE = {
    "cancel": "cancell?ed", "buy": "bought", "send": "sent", "submit": "submitted", "pay": "paid",
    "transfer": "transferred", "swap": "swapped", "write": "written", "modify": "modified",
}  # fmt: skip
_SUCCESS = r"succe(?:ed(?:s|ed)|ss(?:ful(?:ly)?)?)|went (?:well|through)"
_STEP = re.compile(r"(?:\S+ ){0,2}(?:py|vi|unit)?(deploy|publish|push|restart|test)(?![\w/])")
_NOT = re.compile(
    r"\b(?:not|nothing|none|never|no|cannot|could|would|should|will|may|might|must|if|whether|unless|until"
    r"|before|asks?|asked|wants?|wanted|wishes|needs?|requests?|requested|tried|tries|fail\w*|refus\w+"
    r"|unable|declin\w+|reject\w+|to be|denied|instead of|rather than|pending|remains?|still)\b|n't\b|\?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?<=[.!?;:])\s+|\n|\bbut\b|\bwhile\b|\bthen\b|,? and (?=(?:the |it |its |was |were )?\w+ed\b)"
    r"|(?:,| and) (?=(?:the )?[#\w-]+ (?:was|is|has|had)\b)"
    r"|(?<=ed)(?:,| and|,? leaving| \() ?(?=[#\w-]*\d[\w-]* (?!too\b|also\b|and\b)\w)"
)
_QUESTION = re.compile(  # an indirect question, up to where a statement may begin
    r"\b(?:asks?|asked|wants? to know|wanted to know|wonders?|wondered) (?:whether|if)\b"
    r"(?:(?!, and\b|\bbut\b|\bthen\b)[^.;!?\n])*",
    re.IGNORECASE,
)
_BY_USER = re.compile(
    r"\b(?:user|customer|client|I|he|she|they)(?: (?:has|had|later|already|just|also))* \w+(?:ed|ght|nt)\b"
)
_FAILED = re.compile(r"\bfail(?:s|ed|ing)?\b|\bunsuccessful\b", re.IGNORECASE)
_TROUBLE = re.compile(
    r"fail|error|crash|br[eo]ke?\b|\bhang|problem|wrong|\bred\b|time[ds]? ?out", re.IGNORECASE
)
_THING = re.compile(  # an id, or a file's name
    r"(?<![\w.-])(?:[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,4}\b"
    r"|(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[A-Za-z0-9][\w-]*\w|(?<=#)\d+|\d{5,})"
)
_COMMAND = re.compile(r"`([^`\n]{2,200})`[^.;\n`]{0,40}?\b(pass(?:es|ed)|succeed(?:s|ed)|fail(?:s|ed))\b")
_TESTS = re.compile(r"\b(?:all|the)\b(?: \d+)?(?: unit)? tests\b(?: now)? pass(?:ed)?\b", re.IGNORECASE)


def _past(acts: str) -> re.Pattern[str]:
    """A pattern for statements that one of these actions was done, or succeeded."""
    forms = (_DONE.get(act) or f"{act.removesuffix('e')}ed" for act in acts.split())
    stems = "|".join(act.removesuffix("e") for act in acts.split())
    return re.compile(
        rf"\b(?:{'|'.join(forms)})\b|\b(?:{stems})\w*\b.{{0,40}}\b(?:{_SUCCESS})\b", re.IGNORECASE
    )


_PAST = {acts: _past(acts) for acts in _ACTS}
_ACT_OF = {act: acts for acts in (*_ACTS, "test") for act in acts.split()}


class _Outcome(NamedTuple):
    """The outcome of a call: its actions, the texts of arguments and result, and whether it failed."""

    acts: set[str]
    text: str
    is_command: bool
    reads_only: bool
    failed: bool


def problems(text: str, messages: Sequence[Message], *, same_language: bool = True) -> list[str]:
    """The claims in a text that these messages contradict."""
    calls = pair(messages).calls
    if not calls:
        return []
    claims = _Claims(calls, messages if same_language else ())
    wrong = [clause for clause in _statements(text) if claims.is_wrong(clause)]
    wrong += [clause for clause in _CLAUSE.split(_QUESTION.sub("", text)) if claims.did_not_fail(clause)]
    wrong += _wrong_results(text, calls)
    return [
        f"no call supports this claim: {clip(claim.strip(' -*'), 120)}" for claim in dict.fromkeys(wrong)
    ]


def _statements(text: str) -> list[str]:
    """The clauses of a text that claim something: no questions, denials or intentions."""
    return [clause for clause in _CLAUSE.split(_QUESTION.sub("", text)) if not _NOT.search(clause)]


class _Claims:
    """Compares claims with calls, and with messages that say the same."""

    def __init__(self, calls: Sequence[Call], messages: Sequence[Message]) -> None:
        self.outcomes = [_outcome(call) for call in calls]
        self.things = {thing for call in calls for thing in _THING.findall(" ".join(strings_in(call.args)))}
        self.messages = [(message.role, text_of(message)) for message in messages if message.role]

    def is_wrong(self, clause: str) -> bool:
        """Whether a clause claims an action that failed, or one that no call did to the thing it names."""
        if _BY_USER.search(clause):
            return False
        things = self._things(clause) or [""]
        files = [thing for thing in things if "." in thing]  # files of a list may differ in outcome
        others = [thing for thing in things if thing not in files]
        return any(
            any(self._is_undone(acts, thing) for thing in others)
            or (files and all(self._is_undone(acts, file) for file in files))
            for acts, past in _PAST.items() if past.search(clause)
        )  # fmt: skip

    def _is_undone(self, acts: str, thing: str) -> bool:
        """Whether no call did it and no message says so; after a failed tool call, only a user's counts."""
        past, on_it = _PAST[acts], [outcome for outcome in self.outcomes if _names(outcome.text, thing)]
        is_file = "." in thing
        tried = [each for each in on_it if acts in each.acts or (is_file and not each.reads_only)]
        tool_failed = any(not outcome.is_command for outcome in tried)
        if not all(outcome.failed for outcome in tried) or (is_file and not tool_failed):
            return False
        if thing and not tried and not any(acts in outcome.acts for outcome in self.outcomes):
            verb = rf"\b(?:please|cannot|can't|not|to) (?:{acts.replace(' ', '|')})\b"
            is_topic = any(re.search(verb, text, re.IGNORECASE) for _, text in self.messages)
            if not is_topic or not all(outcome.reads_only for outcome in on_it):
                return False
        if thing and any(past.search(outcome.text) for outcome in on_it if not outcome.failed):
            return False
        return bool(tried or thing) and not any(
            past.search(clause) and (not thing or not self._things(clause) or thing in clause)
            for role, text in self.messages if thing in text and (role == "user" or not tool_failed)
            for clause in _statements(text)
        )  # fmt: skip

    def did_not_fail(self, clause: str) -> bool:
        """Whether a clause claims that an action failed, but no call or message does."""
        words, things = clause.casefold().split(), self._things(clause)
        stems = [act for act in _ACT_OF if any(word.startswith(act.removesuffix("e")) for word in words)]
        if not stems or not self.messages or not _FAILED.search(clause):
            return False
        acts = {_ACT_OF[act] for act in stems}
        tried = [
            outcome for outcome in self.outcomes if not outcome.acts.isdisjoint(acts)
            and (not things or any(_names(outcome.text, thing) for thing in things))
        ]  # fmt: skip
        if not tried or any(outcome.failed or _TROUBLE.search(outcome.text) for outcome in tried):
            return False
        return not any(
            (_NOT.search(part) or _TROUBLE.search(part)) and any(act in part.casefold() for act in stems)
            for role, text in self.messages
            for part in ([text] if role == "user" else _CLAUSE.split(text))
        )

    def _things(self, clause: str) -> list[str]:
        return [thing for thing in _THING.findall(clause) if thing in self.things]


def _outcome(call: Call) -> _Outcome:
    args = call.args if isinstance(call.args, dict) else {}
    command = command_of(args)
    failed = call.answer is None or bool(failure(call, command))
    verb = next((_ACT_OF[word] for word in words_of(call.name) if word in _ACT_OF), "")
    acts = {verb, *(_ACT_OF[match[1]] for match in map(_STEP.match, steps_of(command)) if match)}
    text = " ".join([*strings_in(args), *strings_in(response_of(call))])
    return _Outcome(acts, text, bool(command), effect_of(call.name) == "reads", failed)


def _names(text: str, thing: str) -> bool:
    return not thing or re.search(rf"(?<![\w-]){re.escape(thing)}(?!\w)", text) is not None


def _wrong_results(text: str, calls: Sequence[Call]) -> Iterator[str]:
    """Claims that a command passed or failed, if it ended otherwise."""
    claims = [*_COMMAND.finditer(text)]
    ends = Ledger(calls if claims else ())
    for claim in claims:
        command = attempt_of(claim[1])
        failed, passed = ("failed", command) in ends.entries, command in ends.passed
        if (passed and not failed) if claim[2].startswith("fail") else (failed and not passed):
            yield claim[0]
    tests = [outcome for outcome in map(_outcome, calls) if "test" in outcome.acts]
    if tests and tests[-1].failed and (_FAILED.search(tests[-1].text) or "passed" not in tests[-1].text):
        yield from (match[0] for match in _TESTS.finditer(text))
