"""The gate: the reasons to refuse a summary that a command wrote.

Blank, an error, a refusal, an echo, longer than its source; or unfaithful: paths, URLs, ids, dates,
amounts and quotes that the source lacks, and claims about calls that their results contradict. Nothing
else is checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...base.errors import SummarizerFailed
from ...session.model import Message
from ..prose import clip
from . import calls, faithful, nonanswers

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")
_LABEL = re.compile(
    r"(?:\[\d{4}-\d\d-\d\d[T ][\d:.]+Z?\]$|(?:User|Pasted|Assistant|Tool call|Tool result): )"
)
_THINKING = re.compile(
    r"\A\s*<(think|thinking)>.*?</\1>", re.DOTALL
)  # local models print their thoughts first
FAR_LONGER = 8  # times its prompt: refused without counting tokens


def summary_in(
    answer: str, source: str, prompt: str, size: int, count: Callable[[Sequence[str]], list[int]], *,
    messages: Sequence[Message] = (), checked: bool,
) -> str:  # fmt: skip
    """Extract the summary from an answer; raises SummarizerFailed with every reason to refuse it.

    `size` is the tokens of what it replaces; for the other arguments see `problems`.
    """
    text = _THINKING.sub("", answer).strip()
    if len(text) > FAR_LONGER * max(len(prompt), 1000):
        sizes = f"{len(text)} of {len(prompt)} characters"
        raise SummarizerFailed(f"the summary was refused: it is not shorter than its source ({sizes})")
    tokens = count([text])[0], size
    reasons = problems(text, source, prompt, tokens=tokens, messages=messages, checked=checked)
    if reasons:
        raise SummarizerFailed(f"the summary was refused: {'; '.join(reasons)}")
    return text


def problems(
    summary: str, source: str, prompt: str, *, tokens: tuple[int, int],
    messages: Sequence[Message] = (), checked: bool = True,
) -> list[str]:  # fmt: skip
    """Return why a summary must be refused, or an empty list.

    `source` is everything that it may name, `prompt` the command's input, `messages` what it covers;
    `tokens` counts the summary and what it replaces. `checked`: compare it with the source too.
    """
    text = summary.strip()
    if not re.search(r"\w", text):
        return ["it is blank"]
    shown = repr(clip(text, 80))
    wrong = {
        "it holds control characters or broken text": _CONTROL.search(text) is not None,
        f"it is an error text ({shown})": nonanswers.is_error(text),
        f"it is a refusal ({shown})": nonanswers.is_refusal(text),
    }
    reasons = [reason for reason, holds in wrong.items() if holds]
    if not reasons and nonanswers.is_contentless(text):
        reasons.append(f"it says nothing ({shown})")
    if is_echo(text, prompt):
        reasons.append("it is an echo of its input")
    if tokens[0] >= tokens[1]:
        reasons.append(f"it is not shorter than its source ({tokens[0]} of {tokens[1]} tokens)")
    if checked and not reasons:
        reasons += faithful.problems(text, source)
        reasons += calls.problems(text, messages)
    return reasons


def is_echo(text: str, prompt: str) -> bool:
    """Whether a text repeats its input: at least half of it, its first line, or most of its own lines."""
    answer, input = " ".join(text.split()), " ".join(prompt.split())
    if len(answer) * 2 >= len(input) and (answer in input or input in answer):
        return True
    first = next((line.strip() for line in prompt.splitlines() if len(line.strip()) > 20), "")
    if first and first in text:
        return True
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    labelled = sum(1 for line in lines if _LABEL.match(line) and line in prompt)
    return labelled >= 2 and labelled * 2 >= len(lines)
