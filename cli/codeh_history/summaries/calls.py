"""Tool calls: the commands and files in their arguments, the content of their results, their failures.

Commands in heredocs, quotations and comments do not count. A call's status decides whether it failed;
without one its text does, unless the call only shows what exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
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
FEW = 4  # a line with fewer words has a place, but no reason: `FAIL src/a.test.js`
LENGTH = 160  # characters of a failure
_ENDS = 4000  # characters at each end of an output to search for errors
LAST = 6  # lines at the end of an output without a status in which an error means failure
_ACTS = WRITES | frozenset(
    "book cancel send add set post submit transfer pay refund schedule change deploy publish enable"
    " disable grant revoke return exchange issue open close assign merge approve register order buy"
    " reserve upgrade".split()
)
_NOUNS = frozenset("book exchange issue order refund return schedule transfer".split())  # `order_status`
_LOOKS = frozenset(
    "get list search find read check show fetch view query lookup describe count retrieve is has can ask"
    " calculate estimate preview simulate validate grep glob status policy history rate details summary"
    " quote info overview".split()
)
_VERBS = _LOOKS | _ACTS - _NOUNS
# Agents' planning tools: their calls only change a list of tasks.
_PLANNING = frozenset(
    "TaskCreate TaskUpdate TodoWrite todo_write todowrite write_todos update_plan".split()
)
_CHANGING = Pattern(r"(?:rm|mv|cp|touch|tee|truncate|chmod|git (?:add|mv|rm)|sed -i\S*|perl -pi)\s")
_SHOWING = frozenset("cat head tail less nl wc sed diff".split())
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
_QUOTED = r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\$\([^()]*\)"
_STEP = Pattern(rf"(?s)(?:{_QUOTED}|(?<!\S)#[^\n]*|[<>]&|&>|[^;&|\n()'\"\\<>#$]+|[<>#$])+")
_WORD = Pattern(rf"(?s)#.*|(?:{_QUOTED}|[^\s'\"\\])+")
_MESSAGE = Pattern(r"\"\$\(cat <<-?\s*(['\"]?)(\w+)\1\n\s*([^\n\"]*).*\n(?:.*\n)*?[ \t]*\2\s*\)\"")
_HEREDOC = Pattern(r"(?m)(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1(.*)\n(?s:.*?)(?:^[ \t]*\2$|\Z)")
_WRAPPERS = Pattern(  # before a program, without changing what it does
    r"^(?:(?:sudo|time|env|nohup|exec|then|do|else|if|while|until|!|\{|npx|bunx|timeout \S+"
    r"|\S*python[\d.]* -m|(?:uv|poetry|pipenv|pdm|hatch) run|\w+=(?:'[^']*'|\"[^\"]*\"|\S*))\s+|\S*/bin/)+"
)
_NO_ARGUMENT = Pattern(r"#|[\d&]?[<>]")
_OPTION = Pattern(  # how something is run, not what: `-q`, `-n 2`, `--tb=short`
    r"(?<= )(?!--(?:help|version|dry-run|list|collect|no-run))--?[\w-]*"
    r"(?:[= ](?:\d+|true|false|yes|no|on|off|auto|always|never|short|long|line|dot))?(?= |$)|['\"]"
)
_PUBLISHING = Pattern(
    r"(?!.* (?:--help|-h|--dry-run)(?!\S))"
    r"(?:git (commit|push|merge|revert|tag(?= -[asfmd]| --(?:annotate|delete)| [^-]))(?!\S)"
    r"|(gh) (?:pr|issue|release) (?:create|merge|close|edit)(?!\S))"
)
_ELSEWHERE = Pattern(r"(?<=^git)(?: -[cC] \S+)+")
_HASH = Pattern(r"(?m)^\[([^\]\n]+ [0-9a-f]{7,})\]")
_PROOFS = {  # in the output: branch and hash, or a URL
    "commit": _HASH,
    "revert": _HASH,
    "gh": Pattern(r"(https://\S+/(?:pull|issues|releases)/\S+)"),
}
_REDIRECTED = Pattern(r"(?<![0-9&<>-])>{1,2}\s*([^\s;&|<>()'\"]+)")
_CD = Pattern(r"^(?:\s*cd \S+ *(?:&&|;))+ *")
_MARKS = "'\"`,()"  # quotes around a word
_WORDS = Pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_ERROR = Pattern(  # reports an error: not `Error count: 0`, `Error: (none)`, `Fix 3 errors in parser`
    r"(?m)(?:^[^\w\n✓✔]*+(?:Uncaught )?|[:)] +)(?:(?:[\w.]*(?:Error|Exception)|error|ERROR|fatal|panic)"
    r"(?: ?[\[(][^\])\n]*[\])]| [A-Z]+\d+| from \w+ \(\w+\))?:(?! *(?:\(?none\)?|null|nil|0)?\s*$)"
    r"|command not found|[Nn]o such file or directory|Permission denied"
    r"|Segmentation fault)|^[^\w\n✓✔]*+(?:(?:[\w:]+\] )?(?:ERROR|FAIL(?:ED|URE)?)\b(?! *[:=]? *0)"
    r"|npm (?:ERR!|error)|FAILURES!|E\s{2,}\w|[\w.]*(?:Error|Exception)\s*$|Traceback)"
    r"|FAILED(?= *$| +\[)|panicked at|ed by (?:the )?user\b|^curl: \(|\*\*\* .*\bError \d"
    r"|\b(?=[1-9])(?:(?<![A-Za-z] )|(?<=ound ))(?<![/-])\d+ (?:fail(?:ed|ing|ures?)?|errors?|remaining)"
    r"(?= *(?:$|[,.;|=)]|\(\d+\)| in \d| generated))"
)
_DENIED = Pattern(  # an action was not done
    r"(?im)^(?:(?!\. |: ).)*?(?<![\w/-])(?:declined|denied|rejected|refused|failed(?= to\b|\W*$|[:.;])"
    r"|can(?:no|['\u2019])t|could(?: not|n['\u2019]t)|unable|(?:do|does|did)n['\u2019]t want"
    r"|not (?:allowed|permitted|possible|available|found|authori[sz]ed|mergeable)|insufficient|forbidden"
    r"|no \w+ (?:left|found|available)|nothing (?:added )?to commit|no changes added)(?![\w/-])"
    r"|^conflict \("
)
_DENIALS = frozenset("failed failure error declined denied rejected refused".split())
_COMPLAINT = Pattern(  # what failed commands print
    r"(?i)error|fail|panic|fatal|can(?:no|['\u2019])t|could(?: no|n['\u2019])t|unable|not found|no such"
    r"|denied|refused|undefined|unknown|invalid|time(?:d |-)?out|does not|reject|expected|conflict|✗"
)
_SPECIFIC = Pattern(  # mentions a quote, a path, a symbol, a call
    r"['\"`\u2018\u201c]\w|\w[._/:]\w|\w_\w|[a-z][A-Z]|\w\(|[=!<>]="
    r"|^(?!error|fatal|warning)[a-z][\w.+-]*: \w"  # `ld: cannot find -lssl`
)
_LOCATED = Pattern(r"[\w/-]\.\w+[:(]\d")  # `src/a.py:10:80: E501 line too long`
_EXITED = Pattern(
    r"(?im)^[<=-]*(?:[\w:]+ ){0,6}exit(?:ed)?(?:(?: with)?(?: exit)? (?:code|status):?|:) (\d{1,3})[>.]?$"
)
_CODES = frozenset("exitcode exitstatus returncode exit".split())
_FIELD = Pattern(
    r"(?i)(?:output|stdout|stderr|result): (?=\S)|^[\w ]+: \((?:none|empty)\)$|</?tool_use_error>"
)
_CRASHED = Pattern(r"\s*(?:E(?:rror|RROR)(?: (?:executing|calling|running)\b[^:\n]*)?:|Traceback \()")
_SHOWS = Pattern(
    r"\s*(?:(?:cat|head|tail|tee|nl|wc|less|more|sort|uniq|cut|tr|column|awk|jq|[ef]?grep|rg|ag|find|fd|ls"
    r"|tree|stat|file|du|df|ps|env|which|date|echo|printf|cd|pwd|diff|zcat|journalctl|dmesg)\b|sed (?!-i)"
    r"|git (?:diff|log|show|grep|status|blame|ls-files|rev-parse|reflog|branch(?: -[avr]+)* *$)"
    r"|gh (?:api(?!(?s:.*) -[fFX])|\w+ (?:view|list|status|diff|checks))\b"
    r"|(?:psql|sqlite3|mysql)\b.*(?i:select|show)\b"
    r"|(?:kubectl|docker|podman|helm) (?:get|describe|logs?|ps|images|inspect|list|show)\b)"
)
_SEARCHES = Pattern(r"(?:[efp]?grep|rg|ag|(?:git )?(?:diff|grep)|which|cmp|test|\[)\s")  # exit 1: nothing


@lru_cache
def words_of(name: str) -> tuple[str, ...]:
    """Split a tool's or a field's name into words; cached, because a session repeats few names."""
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
    return str(_CD.sub("", command, count=1))


@lru_cache
def steps_of(command: str) -> tuple[str, ...]:
    """The single commands that a shell runs, without heredocs and wrappers such as `sudo`.

    A commit message in a heredoc becomes its first line in quotes.
    """
    text = _HEREDOC.sub(r"\3", _MESSAGE.sub(r'"\3"', command))[:4000]
    steps = (_WRAPPERS.sub("", step.strip(), count=1) for step in _STEP.findall(text))
    return tuple(step for step in steps if step and step[0] != "#")


def _words(step: str) -> list[str]:
    """The words of a command up to a redirection, with their quotes."""
    return [*takewhile(lambda word: not _NO_ARGUMENT.match(word), _WORD.findall(step))]


def attempt_of(label: str) -> str:
    """A key for repetitions of a call: a command's programs and targets, without options and display.

    `python -m pytest -q a 2>&1 | tail` has the key `pytest a`.
    """
    if not label[:1] == label[-1:] == "`":
        return " ".join(label.split())
    steps = steps_of(label[1:-1])
    words = (_words(step) for step in [step for step in steps if not shows(step)] or steps[:1])
    return f"`{'; '.join(' '.join(_OPTION.sub('', ' '.join(step)).split()) for step in words)}`"


def published(command: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield what a command commits, pushes or publishes, with its hash or URL in the output, if any."""
    for step in steps_of(command):
        act = _ELSEWHERE.sub("", " ".join(_words(step)))
        if match := _PUBLISHING.match(act):
            pattern = _PROOFS.get(match[match.lastindex])
            proof = pattern and pattern.search(text)
            yield act, proof[1] if proof else ""


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
    for step in steps_of(command):
        bare = " ".join(word for word in _WORD.findall(step) if word[0] not in _MARKS)
        paths = [(path, "written") for path in _REDIRECTED.findall(bare) if not path.startswith("/dev/")]
        words = [word.strip(_MARKS) for word in _words(step) if " " not in word]  # no quoted scripts
        changes, first = _CHANGING.match(" ".join(words)), "".join(words[:1])
        if changes or first in _SHOWING:
            state = _STATES.get(first, "written" if changes else "read")
            paths += ((word, state) for word in words[1:] if not word.startswith(("-", "s/")))
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


def acts(name: str) -> bool:
    """Whether a tool changes something, by the verb in its name: `book_flight`, not `get_order`."""
    return not (_ACTS.isdisjoint(words_of(name)) or name in _PLANNING or reads_only(name))


def reads_only(name: str) -> bool:
    """Whether a tool only shows what exists, as do `order_status` and `exchange_rate`."""
    verbs = (word for word in words_of(name.rpartition("__")[2]) if word in _VERBS)
    return next(verbs, "") in _LOOKS


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


def failure(name: str, response: Any, command: str, args: Json | None = None) -> str:
    """Return the reason why a call failed, on one line; "" if it did not."""
    if not isinstance(response, dict):
        return ""
    value, passed = result_value(response), [*strings_in(args)]
    report = {**value, **response} if isinstance(value, dict) and acts(name) else response
    error = report.get("error")
    text = error if isinstance(error, str) else " ".join(strings_in(error))
    text = text.removeprefix(failed_call(name, "")) or "\n".join(strings_in(value))
    if len(text) > 2 * _ENDS:  # errors are at the beginning or the end
        text = f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    code = _exit_code({"value": value, **response})
    if command and not code:
        code = max(map(int, _EXITED.findall(text)), default=code)
    states = {str(report.get(key)).lower() for key in ("status", "state", "result") if acts(name)}
    denied = False in (report.get("success"), report.get("ok")) or states & _DENIALS.difference(passed)
    if error or denied or report.get("is_error") or report.get("isError") or code:
        if code == 1 and any(map(_SEARCHES.match, steps_of(command))) and not is_error(text):
            return ""  # no matches
        if not error:
            text = report.get("message") or report.get("reason") or text
        elif not command:
            text = text.strip().partition("\n")[0]
        return _reason(str(text)) or (f"exit {code}" if code else "failed")
    if code == 0 and "|" not in command and ";" not in command:  # the status of the whole command
        return ""
    end = "\n".join(text.rstrip().rsplit("\n", LAST)[-LAST:])  # a test that passes may print errors
    if command:
        wrong = is_error(end) and not all(map(shows, steps_of(command)))
        not_done = any(not proof for _, proof in published(command, text)) and _DENIED.search(end)
    else:
        first = text.strip().partition("\n")[0]
        for item in filter(None, passed):
            first = first.replace(item, "")
        wrong = _CRASHED.match(text) and not reads_only(name)
        not_done = acts(name) and _DENIED.search(first)
    return _reason(text) if wrong or not_done else ""


def shows(command: str) -> bool:
    """Whether a command only prints what exists."""
    return _SHOWS.match(command) is not None


def is_error(text: str) -> bool:
    """Whether a text has a line that reports an error."""
    return _ERROR.search(text) is not None


def _exit_code(value: Any) -> int | None:
    """The exit code anywhere in an object."""
    if not isinstance(value, dict):
        return None
    for key, inner in value.items():
        code = inner if type(inner) is int and key.lower().replace("_", "") in _CODES else _exit_code(inner)
        if code is not None:
            return code
    return None


def _reason(text: str) -> str:
    """The line of an output that best explains a failure, and a line after it with the place or cause."""
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
    if any(mark in line for mark in ("***", "] ERROR ", "Traceback")):  # says only that it failed
        return 1
    wrong = wrong or _LOCATED.search(line) is not None
    return 2 + wrong + 2 * (_SPECIFIC.search(line) is not None and line[-1] != ":")
