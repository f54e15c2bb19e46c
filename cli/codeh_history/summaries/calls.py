"""Tool calls: the command and paths in their arguments, what their results hold, and how they failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ..base.lazy import Pattern
from ..base.read_json import strings_in
from ..providers.json_text import value_of
from ..session.model import Json
from ..session.pairing import failed_call
from .prose import clip

WRITES = frozenset(
    "write edit create update patch apply replace insert delete remove move rename save append modify"
    " multiedit put mkdir touch copy overwrite truncate".split()
)
FEW = 4  # fewer words only name a place, not a reason: `FAIL src/a.test.js`
LENGTH = 160  # characters of a failure
_ENDS = 4000  # characters at each end of an output to search for errors
LAST = 6  # lines of an output without a status that tell whether a command failed
_CHANGING = Pattern(r"(?:rm|mv|cp|touch|tee|truncate|chmod|git (?:add|mv|rm)|sed -i\S*|perl -pi)\s")
_SHOWING = frozenset("cat head tail less nl wc sed diff".split())
_BEFORE = frozenset("sudo time env then do".split())  # a command
_STATES = {
    "rm": "deleted", "delete": "deleted", "remove": "deleted", "touch": "created", "create": "created",
    "Add": "created", "Delete": "deleted",
}  # fmt: skip
_PATH_KEYS = frozenset("path paths file files filepath filename".split())
_MAYBE_PATH_KEYS = frozenset(
    "target source destination dest src dst uri name directory dir folder output input".split()
)
_PATH = Pattern(r"(?a)(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w@+.-]+[/\\])*[\w@+-][\w@+.-]*")
_EXTENSION = Pattern(r"(?a)[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}$")
_PATCHED = Pattern(r"(?m)^(?:\*\*\* (Update|Add|Delete) File:|\+\+\+ b/)\s*(\S+)")
_STEPS = Pattern(r"&&|\|\||[;|\n]")
_QUOTED = Pattern(r"'[^']*'|\"[^\"]*\"")
_INTO = Pattern(r"(?<![0-9&<>-])>{1,2}\s*([^\s;&|<>()'\"]+)")
_OUTLET = Pattern(  # at the end of a command
    r"(?: *\| *(?:cat|grep|head|less|rg|sed|tail|tee|wc)\b[^|;&]*| *[&\d]?>{1,2}(?:&\d| *[^\s|;&<>]+))+$"
)
_AWAY = Pattern(r"^(?:\s*cd \S+ *(?:&&|;))+ *")
_MARKS = "'\"`,()"  # quotes around a word
_WORDS = Pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_ERROR = Pattern(
    r"(?m)^[^\w\n]*+(?:[\w.]*(?:Error|Exception)\b|error\b|fatal\b|panic\b|FAIL(?:ED|URE)?\b|npm ERR!"
    r"|E\s{2,}\w)|\b(?:error (?:TS|CS|E)?\d+|error:|FAILED|Traceback|AssertionError|panicked"
    r"|[1-9]\d* (?:failed|failing|failures?|errors?)\b)|(?:command not found|No such file or directory"
    r"|Permission denied|Segmentation fault)|\*\*\* .*\bError \d"
)
_COMPLAINT = Pattern(  # what failed commands print
    r"(?i)error|fail|panic|fatal|can(?:no|['\u2019])t|could(?: no|n['\u2019])t|unable|not found|no such"
    r"|denied|refused|undefined|unknown|invalid|time(?:d |-)?out|does not|reject|expected|conflict|✗"
)
_SPECIFIC = Pattern(  # names something: a quote, a path, a symbol, a call
    r"['\"`\u2018\u201c]\w|\w[._/:]\w|\w_\w|[a-z][A-Z]|\w\(|[=!<>]="
    r"|^(?!error|fatal|warning)[a-z][\w.+-]*: \w"  # `ld: cannot find -lssl`
)
_LOCATED = Pattern(r"[\w/-]\.\w+[:(]\d")  # `src/a.py:10:80: E501 line too long`
_EXITED = Pattern(r"(?i)(?:exited? (?:with )?(?:code|status):?|exit(?: code)?:|exit code) ([1-9]\d*)")
_CODES = frozenset("exitcode exitstatus returncode exit".split())
_FIELD = Pattern(
    r"(?i)(?:output|stdout|stderr|result): (?=\S)|^[\w ]+: \((?:none|empty)\)$|</?tool_use_error>"
)
_CRASHED = Pattern(r"\s*(?:Error|ERROR|Traceback)\b")
_SHOWS = Pattern(r"\s*(?:cat|head|tail|grep|rg|ag|sed -n|less|awk|find|ls|git (?:diff|log|show|grep))\b")


@lru_cache
def words_of(name: str) -> tuple[str, ...]:
    """Split a tool's or a field's name into words; cached, because a session uses few names often."""
    return tuple(word.lower() for word in _WORDS.findall(name))


# -- arguments ----------------------------------------------------------------------------------------


def command_of(args: Json) -> str:
    """The shell command in a call's arguments; a list loses its `bash -lc`."""
    for key in ("command", "cmd", "script", "input"):
        value = args.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            shell = value[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and len(value) > 2
            return value[-1].strip() if shell else " ".join(value)
    return ""


def without_cd(command: str) -> str:
    """Remove `cd FOLDER &&` from the beginning of a command."""
    return str(_AWAY.sub("", command, count=1))


def attempt_of(label: str) -> str:
    """What a repeated call has in common with it: a command without its spacing and what only shows
    or saves its output, so that `make 2>&1 | tail` is `make` again.
    """
    label = " ".join(label.split())
    return f"{_OUTLET.sub('', label[:-1])}`" if label[:1] == label[-1:] == "`" else label


def files_of(args: Json, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The files in a call's arguments, each with its new state; `words`: those of the tool's name."""
    writes = not WRITES.isdisjoint(words) and args.get("command") != "view"
    state = next((_STATES[word] for word in words if word in _STATES), "written" if writes else "read")
    patches = {path: to for text in args.values() if isinstance(text, str) for path, to in _patched(text)}
    yield from ((path, patches.get(path, state)) for path in paths_of(args))


def paths_of(args: Json) -> list[str]:
    """The paths in a call's arguments, by key and by form, and those in patches."""
    paths: list[str] = []
    for key, value in args.items():
        words = words_of(key)
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, str):
                continue
            named = not _PATH_KEYS.isdisjoint(words) and 0 < len(item) <= 300 and "\n" not in item
            if named or (not _MAYBE_PATH_KEYS.isdisjoint(words) and _is_path(item)):
                paths.append(item)
            else:
                paths += (path for path, _ in _patched(item))
    return list(dict.fromkeys(paths))


def shell_files(command: str) -> Iterator[tuple[str, str]]:
    """The files that a command writes, patches, removes or shows, each with its new state."""
    yield from _patched(command)
    for step in _STEPS.split(command[:4000]):
        words = _QUOTED.sub(lambda text: "" if " " in text[0] else text[0], step).split()  # no scripts
        while words and (words[0] in _BEFORE or "=" in words[0]):
            words = words[1:]
        if not words:
            continue
        paths = [(path, "written") for path in _INTO.findall(step) if not path.startswith("/dev/")]
        changes, first = _CHANGING.match(" ".join(words)), words[0].strip(_MARKS)
        if changes or first in _SHOWING:
            state = _STATES.get(first, "written" if changes else "read")
            rest = [word.strip(_MARKS) for word in words[1:]]
            paths += ((word, state) for word in rest if not word.startswith(("-", "s/")))
        yield from (path for path in paths if _is_path(path[0]))


def _patched(text: str) -> list[tuple[str, str]]:
    """The paths that a patch in a text changes, each with its new state."""
    if "*** " not in text and "+++ " not in text:
        return []
    return [(path, _STATES.get(verb, "written")) for verb, path in _PATCHED.findall(text)]


def _is_path(text: str) -> bool:
    """Whether a text has a slash or an extension and is not a URL; `folder/a b.ext` may have spaces."""
    if len(text) > 300 or "://" in text:
        return False
    extension = _EXTENSION.search(text) is not None
    plain = text.replace(" ", "_") if extension and "/" in text else text
    return _PATH.fullmatch(plain) is not None and (extension or "/" in text.strip("/") or text[:1] == "/")


# -- results ------------------------------------------------------------------------------------------


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
        text = text.removeprefix(failed_call(name, ""))
        return _reason(text if command else text.strip().partition("\n")[0])
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
    end = "\n".join(text.rstrip().rsplit("\n", LAST)[-LAST:])  # a test that passes may print errors
    if (command and not shows(command) and is_error(end)) or _CRASHED.match(text):
        return _reason(text)
    return ""


def shows(command: str) -> bool:
    """Whether a command only prints what exists."""
    return _SHOWS.match(command) is not None


def is_error(text: str) -> bool:
    """Whether a text has a line that reports an error."""
    return _ERROR.search(text) is not None


def _exit_code(value: Any) -> int:
    """The exit code anywhere in an object, or 0."""
    if not isinstance(value, dict):
        return 0
    for key, inner in value.items():
        if type(inner) is int and key.lower().replace("_", "") in _CODES:
            return inner
    return next(filter(None, map(_exit_code, value.values())), 0)


def _reason(text: str) -> str:
    """The line of an output that best explains a failure, and one after it that says where or why."""
    lines = [line for raw in text.splitlines() if (line := _FIELD.sub("", raw.strip()))]
    if not lines:
        return ""
    if "Traceback" in text:
        lines = [line for line in reversed(lines) if is_error(line)] or lines
    best = max(lines, key=_relevance)
    best = best if _relevance(best) else lines[-1]
    after = lines[lines.index(best) + 1 :]
    if best[-1] != ":":
        short = len(best.split()) < FEW
        after = [line for line in after if _LOCATED.search(line) or (short and _relevance(line) > 3)]
        after = after if short or not _LOCATED.search(best) else []
    return clip(" ".join([best, *after[:1]]), LENGTH)


def _relevance(line: str) -> int:
    """Rank a line by how well it explains a failure: errors that name something first."""
    wrong, complains = is_error(line), _COMPLAINT.search(line) is not None
    if not (wrong or complains):
        return (4 if len(line.split()) >= FEW else 1) if _LOCATED.search(line) else 0
    if "***" in line or line.startswith("Traceback"):
        return 1
    return 2 + wrong + 2 * (_SPECIFIC.search(line) is not None and line[-1] != ":")
