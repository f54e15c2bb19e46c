"""Tool results: their content, and how a call failed."""

from __future__ import annotations

import re
from typing import Any

from ..base.read_json import strings_in
from ..providers.json_text import value_of
from ..session.pairing import failed_call
from .prose import clip

_ERROR = (  # compiled on first use
    r"(?m)^[^\w\n]*+(?:[\w.]*(?:Error|Exception)\b|error\b|fatal\b|panic\b|FAIL(?:ED|URE)?\b|npm ERR!"
    r"|E\s{2,}\w)|\b(?:error (?:TS|CS|E)?\d+|error:|FAILED|Traceback|AssertionError|panicked"
    r"|[1-9]\d* (?:failed|failing|failures?|errors?)\b)|(?:command not found|No such file or directory"
    r"|Permission denied|Segmentation fault)|\*\*\* .*\bError \d"
)
_HINTS = (  # every match of `_ERROR` has one of these
    "rror", "xception", "fatal", "panic", "FAIL", "ERR!", "E ", "E\t", "Traceback", "failed", "failing",
    "failure", "not found", "No such", "denied", "fault",
)  # fmt: skip
_COMPLAINT = re.compile(  # what failed commands print
    r"(?i)error|fail|panic|fatal|can(?:no|['\u2019])t|could(?: no|n['\u2019])t|unable|not found|no such"
    r"|denied|refused|undefined|unknown|invalid|time(?:d |-)?out|does not|reject|expected|conflict|✗"
)
_SPECIFIC = re.compile(  # names something: a quote, a path, a symbol, a call
    r"['\"`\u2018\u201c]\w|\w[._/:]\w|\w_\w|[a-z][A-Z]|\w\(|[=!<>]="
    r"|^(?!error|fatal|warning)[a-z][\w.+-]*: \w"  # `ld: cannot find -lssl`
)
_LOCATED = re.compile(r"[\w/-]\.\w+[:(]\d")  # `src/a.py:10:80: E501 line too long`
_EXITED = re.compile(r"(?i)(?:exited? (?:with )?(?:code|status):?|exit code:?) ([1-9]\d*)")
_CODES = frozenset("exitcode exitstatus returncode exit".split())
_FIELD = re.compile(r"(?i)(?:output|stdout|stderr|result): (?=\S)|^[\w ]+: \((?:none|empty)\)$")
_CRASHED = re.compile(r"\s*(?:Error|ERROR|Traceback)\b")
_SHOWS = re.compile(r"\s*(?:cat|head|tail|grep|rg|ag|sed -n|less|awk|find|ls|git (?:diff|log|show|grep))\b")
FEW = 4  # fewer words only name a place, not a reason: `FAIL src/a.test.js`
LENGTH = 160  # characters of a failure
_ENDS = 4000  # characters at each end of an output to search for errors


def result_value(response: Any) -> Any:
    """The content of a response: the value of its only key, parsed if it is JSON, else the object."""
    if isinstance(response, dict) and len(response) == 1:
        inner = next(iter(response.values()))
        if isinstance(inner, str) and inner[:1] in ("{", "["):
            value = value_of(inner)
            return inner if value is None else value
        return inner
    return response


def failure(name: str, response: Any, command: str) -> str:
    """Return in one line how a call failed, "" if it did not."""
    if not isinstance(response, dict):
        return ""
    error = response.get("error")
    if error:
        text = error if isinstance(error, str) else " ".join(strings_in(error)) or "failed"
        return _reason(text.removeprefix(failed_call(name, "")))
    value = result_value(response)
    text = value if isinstance(value, str) else "\n".join(strings_in(value))
    if len(text) > 2 * _ENDS:  # errors are at the beginning or the end
        text = f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    code = _exit_code(value) or _exit_code(response)
    flagged = response.get("is_error") or response.get("isError") or response.get("success") is False
    exited = "xit" in text and (_EXITED.search(text[-2000:]) or _EXITED.search(text[:300]))
    if flagged or code or (exited and command):
        if (shows(command) or shows(command.rpartition("|")[2])) and not is_error(text):
            return ""  # a search without matches
        return _reason(text) or f"exit {exited[1] if exited else code}"
    if (command and not shows(command) and is_error(text)) or _CRASHED.match(text):
        return _reason(text)
    return ""


def shows(command: str) -> bool:
    """Whether a command only prints what exists."""
    return _SHOWS.match(command) is not None


def is_error(text: str) -> bool:
    """Whether a text has a line that reports an error."""
    return any(hint in text for hint in _HINTS) and re.search(_ERROR, text) is not None


def _exit_code(value: Any) -> int:
    """The exit code anywhere in an object, or 0."""
    if not isinstance(value, dict):
        return 0
    for key, inner in value.items():
        if type(inner) is int and key.lower().replace("_", "") in _CODES:
            return inner
    inside = (_exit_code(inner) for inner in value.values())
    return next(filter(None, inside), 0)


def _reason(text: str) -> str:
    """The line of an output that best explains a failure, and one after it that says where or why."""
    lines = [line for raw in text.splitlines() if (line := _FIELD.sub("", raw.strip()))]
    if not lines:
        return ""
    if "Traceback" in text:
        lines = [line for line in reversed(lines) if is_error(line)] or lines
    best = max(lines, key=_telling)
    best = best if _telling(best) else lines[-1]
    after = lines[lines.index(best) + 1 :]
    if best[-1] != ":":
        short = len(best.split()) < FEW
        after = [line for line in after if _LOCATED.search(line) or (short and _telling(line) > 3)]
        after = after if short or not _LOCATED.search(best) else []
    return clip(" ".join([best, *after[:1]]), LENGTH)


def _telling(line: str) -> int:
    """Rank a line by how well it explains a failure: errors that name something first."""
    wrong, complains = is_error(line), _COMPLAINT.search(line) is not None
    if not (wrong or complains):
        return (4 if len(line.split()) >= FEW else 1) if _LOCATED.search(line) else 0
    if "***" in line or line.startswith("Traceback"):
        return 1
    return 2 + wrong + 2 * (_SPECIFIC.search(line) is not None and line[-1] != ":")
