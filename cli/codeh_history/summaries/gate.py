"""The gate: the reasons to refuse a summary written by a command.

It may be blank, an error, a refusal, an echo, or longer than its source; or unfaithful, with paths, URLs,
ids, dates, amounts and quotes that the source lacks (`faithful`), or claims that calls contradict: `W8 was
cancelled` requires a successful call with W8, or a message that says so; `It was deployed` is refused if
all deployments failed. Of a command, or of tests, the last run counts. Nothing else is checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ..base.read_json import json_value, strings_in
from ..session.model import Message
from ..session.pairing import Call, pair
from ..session.view import text_of
from . import faithful
from .calls import attempt_of, command_of, effect_of, failure, result_of, steps_of, words_of
from .prose import clip

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")
_THINKING = re.compile(r"\A\s*<(think|thinking)>.*?</\1>", re.DOTALL)
_ERROR = re.compile(
    r"(?i)[a-z_.]*(?:error|exception|fatal|panic|failed|failure)\s*(?:code\s*)?\d*\s*[:(\[]"
    r"|(?:http(?:/[\d.]+)? ?|status:? ?|error ?)?[45]\d\d[ :,]\s*(?:\w+ ?){0,4}"
    r"(?:error|gateway|unavailable|timeout|limit|requests|unauthorized|forbidden|not found|overloaded)"
    r"|traceback \(most recent|<!doctype|<html|<\?xml|\S*sh: |curl: "
    r"|(?:internal server error|bad gateway|service (?:temporarily )?unavailable|rate limit(?:ed)?"
    r"|quota exceeded|segmentation fault|command not found|killed|out of memory|exit status"
    r"|(?:request|connection) (?:timed out|refused|reset)|model is overloaded|no such file or directory"
    r"|you(?:'ve| have)? (?:exceeded|reached) your)\b(?! errors?\b| [a-z]+ (?:was|were|is|are)\b)"
)
_REFUSAL = re.compile(
    r"(?i)(?:i'?m|i am) (?:very |so )?(?:sorry|afraid|unable|not able)|sorry\b(?! \w+ of\b)"
    r"|(?:my )?apologies|unfortunately,? (?:i|as)\b|as an ai\b|as a (?:large )?language model"
    r"|i (?:can ?not|can'?t|won'?t|will not|could ?n[o']t|must decline)\b"
    r"|please (?:provide|share|paste|send)\b.{0,60}\b(?:conversation|text|transcript)"
    r"|(?:there is )?no (?:summary|content|conversation|text|transcript)\b.{0,60}$"
)
_NOTHING = re.compile(r"(?i)here(?:'s| is) (?:a|the|your)\b.{0,40}\bsummary\b.{0,40}[\s.!:,]*")
_ERROR_KEYS = frozenset("error errors detail message code status type request_id statuscode msg".split())
SHORT = 400  # check every line of shorter answers, the first of others
FEWEST = 3  # words of a summary at least
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

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
_STEP = re.compile(r"(?:\S+ ){0,2}(?:py|vi|unit)?(deploy|publish|push|restart|test)(?![\w/])")
_NOT = re.compile(
    r"(?i)\b(?:not|nothing|none|never|no|cannot|could|would|should|will|may|might|must|if|whether|unless|until"
    r"|before|asks?|asked|wants?|wanted|wishes|needs?|requests?|requested|tried|tries|fail\w*|refus\w+"
    r"|unable|declin\w+|reject\w+|to be|denied|instead of|rather than|pending|remains?|still)\b|n't\b|\?"
)
_CLAUSE = re.compile(
    r"(?<=[.!?;:])\s+|\n|\bbut\b|\bwhile\b|\bthen\b|,? and (?=(?:the |it |its |was |were )?\w+ed\b)"
    r"|(?:,| and) (?=(?:the )?[#\w-]+ (?:was|is|has|had)\b)"
    r"|(?<=ed)(?:,| and|,? leaving| \() ?(?=[#\w-]*\d[\w-]* (?!too\b|also\b|and\b)\w)"
)
_QUESTION = re.compile(  # an indirect question, up to where a statement may begin
    r"(?i)\b(?:asks?|asked|wants? to know|wanted to know|wonders?|wondered) (?:whether|if)\b"
    r"(?:(?!, and\b|\bbut\b|\bthen\b)[^.;!?\n])*"
)
_BY_USER = re.compile(
    r"\b(?:user|customer|client|I|he|she|they)(?: (?:has|had|later|already|just|also))* \w+(?:ed|ght|nt)\b"
)
_THING = re.compile(  # an id, or a file's name
    r"(?<![\w.-])(?:[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,4}\b"
    r"|(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[A-Za-z0-9][\w-]*\w|(?<=#)\d+|\d{5,})"
)
_FAILED = re.compile(r"\bfail(?:s|ed|ing)?\b|\bunsuccessful\b", re.IGNORECASE)
_TROUBLE = re.compile(r"(?i)fail|error|crash|br[eo]ke?\b|\bhang|problem|wrong|\bred\b|time[ds]? ?out")
_COMMAND = re.compile(r"`([^`\n]{2,200})`[^.;\n`]{0,40}?\b(pass(?:es|ed)|succeed(?:s|ed)|fail(?:s|ed))\b")
_TESTS = re.compile(r"\b(?:all|the)\b(?: \d+)?(?: unit)? tests\b(?: now)? pass(?:ed)?\b", re.IGNORECASE)


def without_thinking(answer: str) -> str:
    """An answer without the thoughts that local models print first."""
    return _THINKING.sub("", answer).strip()


def problems(
    text: str, source: str, prompt: str, size: int, count: Callable[[Sequence[str]], list[int]], *,
    messages: Sequence[Message] = (), checked: bool = True,
) -> list[str]:  # fmt: skip
    """Return why a summary of `messages` in place of `size` tokens must be refused, or an empty list.

    `source` is all that it may name, `prompt` the command's input. `checked`: compare it with the source.
    """
    if not re.search(r"\w", text):
        return ["it is blank"]
    start, shown, tokens = _bare(text), repr(clip(text, 80)), count([text])[0]
    words = len(re.findall(r"\w+", start)) + len(_UNSPACED.findall(start)) // 2
    wrong = {
        "it contains control characters or broken text": _CONTROL.search(text),
        f"it is an error text ({shown})": is_error(text),
        f"it is a refusal ({shown})": _REFUSAL.match(start),
        f"it has no content ({shown})": words < FEWEST or _NOTHING.fullmatch(start),
        "it is an echo of its input": is_echo(text, prompt),
        f"it is not shorter than its source ({tokens} of {size} tokens)": tokens >= size,
    }
    reasons = [reason for reason, holds in wrong.items() if holds]
    if checked and not reasons:
        reasons += faithful.problems(text, source)
        reasons += contradicted(text, messages, same_language=faithful.same_language(text, source))
    return reasons


def is_echo(text: str, prompt: str) -> bool:
    """Whether a text repeats its input: at least half of it, or its first line."""
    answer, input = " ".join(text.split()), " ".join(prompt.split())
    first = next((line.strip() for line in prompt.splitlines() if len(line.strip()) > 20), "")
    half = len(answer) * 2 >= len(input) and (answer in input or input in answer)
    return half or bool(first and first in text)


def is_error(text: str) -> bool:
    """Whether an answer is a JSON error object, or begins like the error of a program or service."""
    value = json_value(text) if text[0] in "{[" else None
    value = value[0] if isinstance(value, list) and value else value
    if isinstance(value, dict):
        keys = {key.casefold() for key in value}
        return "error" in value or value.get("type") == "error" or keys <= _ERROR_KEYS
    lines = [_bare(line) for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "-*•"]
    return any(map(_ERROR.match, lines if len(text) <= SHORT else lines[:1]))


def _bare(text: str) -> str:
    """The text with straight apostrophes, without surrounding marks."""
    return text.replace("\u2019", "'").strip().lstrip("\"'*#>[⚠❌✗ \ufe0f`").rstrip("\"'*`")


def _past(acts: str) -> re.Pattern[str]:
    """A pattern for statements that one of these actions was done, or succeeded."""
    forms = "|".join(_DONE.get(act) or f"{act.removesuffix('e')}ed" for act in acts.split())
    stems = "|".join(act.removesuffix("e") for act in acts.split())
    success = r"succe(?:ed(?:s|ed)|ss(?:ful(?:ly)?)?)|went (?:well|through)"
    return re.compile(rf"\b(?:{forms})\b|\b(?:{stems})\w*\b.{{0,40}}\b(?:{success})\b", re.IGNORECASE)


_PAST = {acts: _past(acts) for acts in _ACTS}
_ACT_OF = {act: acts for acts in (*_ACTS, "test") for act in acts.split()}


class _Outcome:
    """A call's actions, the texts of its arguments and result, and whether it failed."""

    def __init__(self, call: Call) -> None:
        args = call.args if isinstance(call.args, dict) else {}
        self.command = command_of(args)
        self.failed = call.answer is None or bool(failure(call, self.command))
        attempt = attempt_of(self.command)
        self.attempts = {attempt} if self.failed else {attempt, *attempt.split("; ")}
        verb = next((_ACT_OF[word] for word in words_of(call.name) if word in _ACT_OF), "")
        self.acts = {
            verb,
            *(_ACT_OF[match[1]] for match in map(_STEP.match, steps_of(self.command)) if match),
        }
        self.reads_only = effect_of(call.name) == "read"
        self.named = " ".join(strings_in(args))
        self.text = f"{self.named} {result_of(call)[1]}"

    def names(self, thing: str) -> bool:
        return not thing or re.search(rf"(?<![\w-]){re.escape(thing)}(?!\w)", self.text) is not None


def contradicted(text: str, messages: Sequence[Message], *, same_language: bool = True) -> list[str]:
    """The claims in a text that these messages contradict."""
    evidence = _Evidence(messages, same_language=same_language)
    wrong = [clause for clause in _statements(text) if evidence.lacks(clause)]
    failures = filter(_FAILED.search, _CLAUSE.split(_QUESTION.sub("", text)))
    wrong += [*filter(evidence.succeeded, failures), *evidence.wrong_results(text)]
    claims = (clip(claim.strip(" -*"), 120) for claim in dict.fromkeys(wrong))
    return [f"no call supports this claim: {claim}" for claim in claims]


def _statements(text: str) -> list[str]:
    """The clauses of a text that claim something: no questions, denials or intentions."""
    return [clause for clause in _CLAUSE.split(_QUESTION.sub("", text)) if not _NOT.search(clause)]


class _Evidence:
    """What calls did, and what messages say."""

    def __init__(self, messages: Sequence[Message], *, same_language: bool) -> None:
        self.outcomes = [*map(_Outcome, pair(messages).calls)]
        self.spoken = [(each.role, text_of(each)) for each in messages if each.role and same_language]
        self.known = {thing for outcome in self.outcomes for thing in _THING.findall(outcome.named)}

    def lacks(self, clause: str) -> bool:
        """Whether a clause claims an action that failed, or one that no call did to the thing it names.

        Of several files it is wrong only if it is of all.
        """
        things = [thing for thing in _THING.findall(clause) if thing in self.known] or [""]
        files = [thing for thing in things if "." in thing]
        claimed = [] if _BY_USER.search(clause) else [acts for acts in _ACTS if _PAST[acts].search(clause)]
        return any(
            any(self._is_undone(acts, thing) for thing in things if thing not in files)
            or (files and all(self._is_undone(acts, file) for file in files))
            for acts in claimed
        )

    def _is_undone(self, acts: str, thing: str) -> bool:
        """Whether no call did it and no message says so; after a failed tool call, only a user's counts."""
        past, is_file = _PAST[acts], "." in thing
        on_it = [outcome for outcome in self.outcomes if outcome.names(thing)]
        tried = [each for each in on_it if acts in each.acts or (is_file and not each.reads_only)]
        tool_failed = any(not outcome.command for outcome in tried)
        if not all(outcome.failed for outcome in tried) or (is_file and not tool_failed):
            return False
        if not tried and not any(acts in outcome.acts for outcome in self.outcomes):
            # nobody tried: a lie only if messages speak of doing it, and calls only read it
            wish = re.compile(rf"(?i)\b(?:please|cannot|can't|not|to) (?:{acts.replace(' ', '|')})\b")
            wished = any(wish.search(text) for _, text in self.spoken)
            if not (thing and wished and all(outcome.reads_only for outcome in on_it)):
                return False
        reports = [outcome.text for outcome in on_it if thing and not outcome.failed]
        for role, text in self.spoken:
            if thing in text and (role == "user" or not tool_failed):
                reports += [each for each in _statements(text) if thing in each or not _THING.search(each)]
        return not any(map(past.search, reports))

    def succeeded(self, clause: str) -> bool:
        """Whether an action that a clause names succeeded, and no message speaks of trouble with it."""
        words, things = clause.casefold().split(), self.known.intersection(_THING.findall(clause))
        stems = [act for act in _ACT_OF if any(word.startswith(act.removesuffix("e")) for word in words)]
        acts = {_ACT_OF[act] for act in stems}
        tried = [each for each in self.outcomes if each.acts & acts]
        tried = [each for each in tried if not things or any(map(each.names, things))]
        trouble = [each for each in tried if each.failed or _TROUBLE.search(each.text)]
        parts = [
            part for role, text in self.spoken
            for part in ([text] if role == "user" else _CLAUSE.split(text))
            if _NOT.search(part) or _TROUBLE.search(part)
        ]  # fmt: skip
        denied = any(act in part.casefold() for part in parts for act in stems)
        return bool(self.spoken and tried) and not (trouble or denied)

    def wrong_results(self, text: str) -> Iterator[str]:
        """Claims that a command or the tests passed whose last run failed, or failed but never did."""
        for claim in _COMMAND.finditer(text):
            command = attempt_of(claim[1])
            runs = [each for each in self.outcomes if command in each.attempts]
            ever = any(each.failed for each in runs)  # it may have failed before it passed
            if runs and (not ever if claim[2].startswith("fail") else runs[-1].failed):
                yield claim[0]
        last = next((each for each in reversed(self.outcomes) if "test" in each.acts), None)
        if last and last.failed and (_FAILED.search(last.text) or "passed" not in last.text):
            yield from (match[0] for match in _TESTS.finditer(text))
