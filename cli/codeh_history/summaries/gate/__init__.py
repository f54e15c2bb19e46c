"""The gate: the reasons to refuse a summary written by a command.

It may be blank, an error, a refusal, an echo, or longer than its source; or unfaithful, with paths, URLs,
ids, dates, amounts and quotes that the source lacks, or claims about calls that their results contradict.
Nothing else is checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...base.read_json import json_value
from ...session.model import Message
from ..prose import clip
from . import calls, faithful

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")
_LABEL = re.compile(
    r"(?:\[\d{4}-\d\d-\d\d[T ][\d:.]+Z?\]$|(?:User|Pasted|Assistant|Tool call|Tool result): )"
)
_THINKING = re.compile(r"\A\s*<(think|thinking)>.*?</\1>", re.DOTALL)
_ERROR = re.compile(
    r"[a-z_.]*(?:error|exception|fatal|panic|failed|failure)\s*(?:code\s*)?\d*\s*[:(\[]"
    r"|(?:http(?:/[\d.]+)? ?|status:? ?|error ?)?[45]\d\d[ :,]\s*(?:\w+ ?){0,4}"
    r"(?:error|gateway|unavailable|timeout|limit|requests|unauthorized|forbidden|not found|overloaded)"
    r"|traceback \(most recent|<!doctype|<html|<\?xml|\S*sh: |curl: "
    r"|(?:internal server error|bad gateway|service (?:temporarily )?unavailable|rate limit(?:ed)?"
    r"|quota exceeded|segmentation fault|command not found|killed|out of memory|exit status"
    r"|(?:request|connection) (?:timed out|refused|reset)|model is overloaded|no such file or directory"
    r"|you(?:'ve| have)? (?:exceeded|reached) your)\b(?! errors?\b| [a-z]+ (?:was|were|is|are)\b)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:i'?m|i am) (?:very |so )?(?:sorry|afraid|unable|not able)|sorry\b(?! \w+ of\b)|(?:my )?apologies"
    r"|unfortunately,? (?:i|as)\b|i (?:can ?not|can'?t|won'?t|will not|could ?n[o']t|must decline)\b"
    r"|as an ai\b|as a (?:large )?language model"
    r"|please (?:provide|share|paste|send)\b.{0,60}\b(?:conversation|text|transcript)"
    r"|(?:there is )?no (?:summary|content|conversation|text|transcript)\b.{0,60}$",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:here(?:'s| is) (?:a|the|your)\b.{0,40}\bsummary\b.{0,40})[\s.!:,]*", re.IGNORECASE
)
_ERROR_KEYS = frozenset("error errors detail message code status type request_id statuscode msg".split())
SHORT = 400  # check every line of shorter answers
LONG = 2000  # longer answers are not error texts
FEWEST = 3  # words of a summary at least
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
FAR_LONGER = 8  # times the prompt: longer answers are refused without counting tokens


def without_thinking(answer: str) -> str:
    """An answer without the thoughts that local models print first."""
    return _THINKING.sub("", answer).strip()


def problems(
    text: str, source: str, prompt: str, size: int, count: Callable[[Sequence[str]], list[int]], *,
    messages: Sequence[Message] = (), checked: bool = True,
) -> list[str]:  # fmt: skip
    """Return why a summary must be refused, or an empty list.

    `source` is all that it may name, `prompt` the command's input, `size` the tokens that it replaces,
    `messages` what it covers. `checked`: compare it with the source too.
    """
    if not re.search(r"\w", text):
        return ["it is blank"]
    if len(text) > FAR_LONGER * max(len(prompt), 1000):
        return [f"it is not shorter than its source ({len(text)} of {len(prompt)} characters)"]
    start, shown = _bare(text), repr(clip(text, 80))
    wrong = {
        "it contains control characters or broken text": _CONTROL.search(text),
        f"it is an error text ({shown})": is_error(text),
        f"it is a refusal ({shown})": _REFUSAL.match(start),
    }
    reasons = [reason for reason, holds in wrong.items() if holds]
    words = len(re.findall(r"\w+", start)) + len(_UNSPACED.findall(start)) // 2
    if not reasons and (words < FEWEST or _NOTHING.fullmatch(start)):
        reasons.append(f"it has no content ({shown})")
    if is_echo(text, prompt):
        reasons.append("it is an echo of its input")
    tokens = count([text])[0]
    if tokens >= size:
        reasons.append(f"it is not shorter than its source ({tokens} of {size} tokens)")
    if checked and not reasons:
        reasons += faithful.problems(text, source)
        reasons += calls.problems(text, messages, same_language=faithful.same_language(text, source))
    return reasons


def is_echo(text: str, prompt: str) -> bool:
    """Whether a text repeats its input: at least half of it, its first line, or most of its own lines."""
    answer, input = " ".join(text.split()), " ".join(prompt.split())
    if len(answer) * 2 >= len(input) and (answer in input or input in answer):
        return True
    first = next((line.strip() for line in prompt.splitlines() if len(line.strip()) > 20), "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    labelled = sum(1 for line in lines if _LABEL.match(line) and line in prompt)
    return bool(first and first in text) or (labelled >= 2 and labelled * 2 >= len(lines))


def is_error(text: str) -> bool:
    """Whether an answer is a JSON error object, or begins like the error of a program or service."""
    value = json_value(text) if text[0] in "{[" else None
    value = value[0] if isinstance(value, list) and value else value
    if isinstance(value, dict):
        keys = {key.casefold() for key in value}
        return "error" in value or value.get("type") == "error" or keys <= _ERROR_KEYS
    lines = [_bare(line) for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "-*•"]
    lines = lines if len(text) <= SHORT else lines[:1] if len(text) < LONG else []
    return any(map(_ERROR.match, lines))


def _bare(text: str) -> str:
    """The text with straight apostrophes, without surrounding marks."""
    return text.replace("\u2019", "'").strip().lstrip("\"'*#>[⚠❌✗ \ufe0f`").rstrip("\"'*`")
