"""What a tool's result says: its content, and how the call failed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from ..base.read_json import texts_in
from ..providers.json_text import value_of
from ..session.pairing import failed_call
from .clipped import clip

_ERROR_LINE = (  # compiled where a line may be one
    r"(?m)^[^\w\n]*+(?:[\w.]*(?:Error|Exception)\b|error\b|fatal\b|panic\b|FAIL(?:ED|URE)?\b|npm ERR!"
    r"|E\s{2,}\w)|\b(?:error (?:TS|CS|E)?\d+|error:|FAILED|Traceback|AssertionError"
    r"|[1-9]\d* (?:failed|failing|failures?|errors?)\b)|(?:command not found|No such file or directory"
    r"|Permission denied|Segmentation fault)|\*\*\* .*\bError \d"
)
# Of a call that failed; compiled where one did.
_COMPLAINT = (  # what a command that is known to have failed says of it
    r"(?i)error|fail|panic|abort|fatal|can(?:no|['\u2019])t|could(?: no|n['\u2019])t|unable|not found"
    r"|no such|denied|refused|undefined|unknown|invalid|time(?:d |-)?out|killed|fault|exit status"
    r"|did not|does not exist|reject|unhandled|expected|conflict|✗|\*\*\*"
)
_SPECIFIC = (  # a line that names something: in quotes, a path, a symbol, a call
    r"['\"`\u2018\u201c]\w|\w[._/:]\w|\w_\w|[a-z][A-Z]|\w\(|[=!<>]="
    r"|^(?!error|fatal|warning)[a-z][\w.+-]*: \w"  # `ld: cannot find -lssl`
)
_LOCATED = r"[\w/-]\.\w+[:(]\d"  # `src/a.py:10:80: E501 line too long`
_ERROR_HINTS = (  # one of them is in whatever `_ERROR_LINE` finds
    "rror", "xception", "fatal", "panic", "FAIL", "ERR!", "E ", "E\t", "Traceback", "failed", "failing",
    "failure", "not found", "No such", "denied", "fault",
)  # fmt: skip
_EXITED = r"(?i)(?:exited? (?:with )?(?:code|status):?|exit code:?|Process exited with code) ([1-9]\d*)"
_CODES = frozenset("exitcode exitstatus returncode exit".split())
_FIELD = r"(?i)(?:output|stdout|stderr|result): (?=\S)"  # what a frame calls the text
_FIELD_ENDS = ("put: ", "out: ", "err: ", "ult: ")  # one of them, in lower case, is in whatever that finds
_EMPTY = r"[\w ]+: \((?:none|empty)\)"
_EMPTY_ENDS = (": (none)", ": (empty)")
_CRASHED = re.compile(r"\s*(?:Error|ERROR|Traceback)\b")
FEW = 3  # words of a line that is nothing but a place: `--> src/a.rs:12`
LENGTH = 160  # characters of how something failed
_ENDS = 4000  # characters of an output, from either end, that tell whether it failed
_SHOWS = re.compile(
    r"^\s*(?:cat|head|tail|grep|rg|ag|sed -n|less|awk|find|ls|git (?:diff|log|show|grep))\b"
)


def result_value(response: Any) -> Any:
    """A response's content: what lies under its only key `output` (JSON text read), else the object."""
    if isinstance(response, dict) and len(response) == 1:
        inner = next(iter(response.values()))
        if isinstance(inner, str) and inner[:1] in ("{", "["):
            found = value_of(inner)
            return inner if found is None else found
        return inner
    return response


def failure(name: str, response: Any, command: str) -> str:
    """How a call of this tool, or of this command of a shell, failed, in one line; "" where it did not."""
    if not isinstance(response, dict):
        return ""
    error = response.get("error")
    if error:
        text = error if isinstance(error, str) else " ".join(texts_in(error)) or "failed"
        return _error_line(text.removeprefix(failed_call(name, "")))
    said = result_value(response)
    text = said if isinstance(said, str) else "\n".join(texts_in(said))
    if len(text) > 2 * _ENDS:  # what went wrong stands first or last
        text = f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    code = _exit_code(said) or _exit_code(response)
    flagged = response.get("is_error") or response.get("isError") or response.get("success") is False
    exited = "xit" in text and (re.search(_EXITED, text[-2000:]) or re.search(_EXITED, text[:300]))
    if flagged or code or (exited and command):
        if (shows(command) or shows(command.rpartition("|")[2])) and not _wrong(text):
            return ""  # a search that found nothing
        return _error_line(text) or f"exit {exited[1] if exited else code}"
    if (command and not shows(command) and _wrong(text)) or _CRASHED.match(text):
        return _error_line(text)
    return _own_complaint(text, command)


def _own_complaint(text: str, command: str) -> str:
    """What a program says went wrong, in a line that begins with its name: `rsync: connection refused`."""
    program = command.split(" ", 1)[0].rpartition("/")[2]
    if not program.isalnum() or shows(command) or f"{program}: " not in text:
        return ""
    said = [line for line in text.splitlines() if line.startswith(f"{program}: ")]
    return next((clip(line, LENGTH) for line in said if re.search(_COMPLAINT, line)), "")


def shows(command: str) -> bool:
    """Whether a command does nothing but show what is there."""
    return _SHOWS.match(command) is not None


def _exit_code(value: Any) -> int:
    """The exit code that an object tells, or what lies in it; 0 where none does."""
    if not isinstance(value, dict):
        return 0
    for key, inner in value.items():
        if type(inner) is int and key.lower().replace("_", "") in _CODES:
            return inner
    return next(
        (code for inner in value.values() if isinstance(inner, dict) and (code := _exit_code(inner))), 0
    )


def _wrong(text: str, hints: Sequence[str] = _ERROR_HINTS) -> bool:
    """Whether a line of an output says that something went wrong."""
    return any(hint in text for hint in hints) and re.search(_ERROR_LINE, text) is not None


def _error_line(text: str) -> str:
    """The line of an output that says best what went wrong: of a traceback the last."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    hints: Sequence[str] = [hint for hint in _ERROR_HINTS if hint in text]
    if any(end in text.lower() for end in _FIELD_ENDS):
        lines = [re.sub(_FIELD, "", line) if ": " in line else line for line in lines]
        hints = _ERROR_HINTS  # what stood apart may make one
    lines = [line for line in lines if line and not _is_empty(line)]

    def is_wrong(line: str) -> bool:
        return _wrong(line, hints) and not line.startswith("Traceback")

    last = next(filter(is_wrong, reversed(lines)), "") if "Traceback" in text else ""
    if last:
        return clip(last, LENGTH)
    telling = _telling(lines, is_wrong)
    best = next(telling, "")
    said = _placed(best, lines, is_wrong) or _announced(best, lines)
    if len(said.split()) < FEW:  # `FAIL src/a.test.js` says what, and not why
        said = " ".join([said, *islice((line for line in telling if line not in said), 1)])
    return clip(said, LENGTH)


def _announced(best: str, lines: Sequence[str]) -> str:
    """A line with the next where it ends in a colon, or after the one before that does and says more."""
    at = lines.index(best) if best in lines else 0
    if best[-1:] == ":":
        return " ".join(lines[at : at + 2])
    before = lines[at - 1] if at else ""
    return f"{before} {best}" if before[-1:] == ":" and len(before.split()) > FEW else best


def _placed(best: str, lines: Sequence[str], is_wrong: Callable[[str], bool]) -> str:
    """What went wrong and where, of two lines; "" where one says both, or both are too long."""
    located = re.compile(_LOCATED).search

    def says(line: str) -> bool:
        return located(line) is not None and len(line.split()) > FEW

    if says(best):
        return ""
    may = is_wrong if located(best) else says
    other = next((line for line in lines if line not in best and may(line)), "")
    both = " ".join(sorted(filter(None, (best, other)), key=lines.index))
    return clip(both, LENGTH) if other and len(both) <= LENGTH else ""


def _is_empty(line: str) -> bool:
    """Whether a line says no more than that a field of a frame is empty."""
    return line.endswith(_EMPTY_ENDS) and re.fullmatch(_EMPTY, line) is not None


def _telling(lines: Sequence[str], is_wrong: Callable[[str], bool]) -> Iterator[str]:
    """The lines of an output, those that say best what went wrong before the others."""
    specific, complains = re.compile(_SPECIFIC).search, re.compile(_COMPLAINT).search
    yield from (line for line in lines if is_wrong(line) and specific(line) and "***" not in line)
    yield from (line for line in lines if line[-1] != ":" and specific(line) and complains(line))
    yield from filter(re.compile(_LOCATED).search, lines)
    yield from filter(is_wrong, lines)
    yield from (line for line in lines if line[-1] != ":" and complains(line))
    yield from filter(specific, lines[-1:-4:-1])
    yield from lines[-1:]
