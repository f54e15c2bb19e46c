"""What tool calls did: the files they touched, what they changed elsewhere, and which of them failed.

A call's status (an exit code, an error, `success: false`) decides whether it failed. Without one, a command
failed if the end of its output reports an error, another call if its result begins with one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..base.lazy import Pattern
from ..base.read_json import strings_in
from ..providers.json_text import value_of
from ..providers.parts import json_text
from ..session.model import Json
from ..session.pairing import Call, failed_call
from .prose import clip

PASSED = " (passed later)"
MOST, COMMAND = 160, 100  # characters of an action or a reason, of a failed call
LAST = 6  # lines at the end of an output in which an error means failure
_ENDS = 4000  # characters at each end of an output to search for errors

_EFFECTS = """
created add create touch mkdir
deleted delete remove rm mv
written write edit multiedit update patch apply replace insert move copy rename save append modify put
written overwrite truncate tee
acts book cancel send set post submit transfer pay refund schedule change deploy publish enable disable
acts grant revoke return exchange issue open close assign merge approve register order buy reserve upgrade
read get list search find grep glob read check show fetch view query lookup describe count is has can ask
read calculate estimate preview validate simulate status policy history rate details summary info quote
read retrieve overview
"""  # of tools and programs: the new state of the file that they name, or whether they act elsewhere
_VERBS = {verb: effect for effect, *verbs in map(str.split, _EFFECTS.split("\n")[1:-1]) for verb in verbs}
_NOUNS = frozenset("book exchange issue order refund return schedule transfer search".split())  # or verbs
_PLANNING = frozenset("TaskCreate TaskUpdate TodoWrite todo_write write_todos update_plan".split())
_TRIAL = Pattern(r'(?i)"\w*(?:dry_?run|preview|simulate|validate)\w*":"?true')  # in arguments
_SHELLS = frozenset("bash shell sh zsh exec execute terminal command cmd powershell run".split())
_PROGRAMS = frozenset("rm mv touch tee sed cp cat head tail less nl wc diff".split())
_PATH_KEYS = frozenset("path paths file files filepath filename".split())
_PATH = Pattern(r"(?a)(?=\S*(?:[^/]/|\w\.[A-Za-z][\w]{0,9}$))(?!s/|/dev/|-)~?[\w@+./\\:-]*\w")
_PATCHED = Pattern(r"(?m)^(?:\*\*\* (Update|Add|Delete) File:|\+\+\+ b/)\s*(\S+)")
_WORDS = Pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_FIRST = Pattern(r"(?:^|_)(?:id|number|status|state|total|url)$|Id$")  # names of ids and states

_PREFIX = Pattern(r"^(?:\S*sh -l?c (?!['\"]))?(?:\s*cd \S+ *(?:&&|;))* *")
_HEREDOC = Pattern(r"(?m)(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1(.*)\n(?s:.*?)(?:^[ \t]*\2$|\Z)")
_QUOTED = r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\."
_WORD = Pattern(rf"(?s)(?:{_QUOTED}|[^\s'\"\\])+")
_STEP = Pattern(rf"(?s)(?:{_QUOTED}|\$\([^()]*\)|(?<!\S)#[^\n]*|[^;&|\n()])+")
_REDIRECTED = Pattern(rf"(?s)({_QUOTED})|\s*(?<![=-])[\d&]?(?:<+|(>+))(?:&\d|\s*([^\s;&|<>()'\"]+))?")
_WRAPPERS = Pattern(r"(?:(?:sudo|time|env|nohup|exec|then|do|else|if|while|until|!|\{|npx|\w+=\S*)\s+)*")
_QUIET = Pattern(r" (?:-[qv]+|--quiet|--verbose)(?!\S)")
SHOWS = Pattern(  # a command that only prints what exists
    r"(?:cat|head|tail|nl|wc|less|sort|uniq|cut|tr|awk|jq|[ef]?grep|rg|find|fd|ls|tree|stat|du|ps|which"
    r"|date|echo|printf|cd|pwd|diff|test|\[|sed(?! -i)|(?:git|gh \w+|docker|kubectl) (?:diff|log|show|grep"
    r"|status|blame|rev-parse|branch|view|list|get|describe|logs|ps))(?!\S)"
)
_GIT = r"git(?: -[cC] \S+)* "
_PUBLISHES = Pattern(  # each kind in a group
    rf"(?s){_GIT}(?:(commit|revert)|(merge)|(push)(?!.* -n\b|.* --dry-run))(?!\S)"
    r"|(gh) \w+ (?:create|edit)(?!\S)(?!.* --dry-run)(?:(?! --?b(?:ody)?\b).)*"
    rf"|((?:{_GIT}tag (?:-a|[^-])|gh \w+ (?:merge|close)).*)"
)
_PULLED = Pattern(r"Already up to date|Updating |From ")  # shows that what precedes `&&` succeeded
_FETCHED = Pattern(r"(?m)^From \S.*\n(?: .*\n?)*")  # refs that no push changed
_PROOF = Pattern(  # in its output: branch, hash and message; a ref; a URL; nothing, or a check mark
    r"(?m)^(\[[^\]\n]+ [0-9a-f]{7,}\] .*)|^(Fast-forward$|Merge made by .*)"
    r"|^(?: [ +*-] |\A(?=branch '))(\S.* -> (?!origin/)\S+|\[deleted\].*|branch .* set up to track .*)"
    r"|(?<!already exists:\n)(https://\S{1,300}/(?:pull|issues|releases)/\S+)"
    r"|(\A(?=\s*(?:\(.*no output\)\s*)?\Z|Already up to date|Updating \w+\.\.)"
    r"|^✓ .*(?i:pull request|issue) .*#.*)"
)
_CODE = Pattern(r"(?i)(?<!\\)\"(?:exit(?:_?code|_?status)?|return_?code)\":(-?\d+)")
_EXITED = Pattern(r"(?im)^<?(?:[\w:]+ ){0,5}exit(?:ed)?(?:(?: \w+){1,3}:?|:) (\d{1,3})>?\.?$")
_FIELD = Pattern(r"^(?:\w+: \((?:none|empty)\)$|Output:\s*)|</?tool_use_error>")
ERROR = Pattern(  # reports an error: not `Error count: 0`, `Error: (none)`, `Fix 3 errors in parser`
    r"(?m)(?:^[^\w\n✓✔]*+(?:Uncaught )?|[:)\]] +)(?:[\w.]*(?:Error|Exception)|error|ERROR|fatal|panic)"
    r"(?:\[\w+\]| [A-Z]+\d+)?: *(?!\(none\)|null|nil|0$)\S|^[\w.]*(?:Error|Exception)$|\*\*\* .*\bError \d"
    r"|^[^\w\n=]*(?:ERROR|FAIL(?:ED|URES?)?|Traceback|npm ERR!|npm error|E   +\w)(?! *[:=]? *0)|^CONFLICT"
    r"|is not mergeable|ed by (?:the )?user\b|n't want to proceed|command not found|o such file or dir"
    r"|Permission denied|^Command (?:abort|timed out)|^curl: \(|Segmentation fault|panicked at"
    r"|\b[1-9]\d* (?:failed|failures?|errors?)(?= *(?:$|[,.;|)]| in \d))"
)
_LOCATED = Pattern(r"[\w/-]\.\w+[:(]\d")  # `src/a.py:10:80: E501 line too long`
_DENIED = Pattern(  # an action was not done
    r"(?i)(?:error|failure)\b|(?:(?!\. |: ).){0,80}?(?<![\w/-])(?:declined|denied|rejected|refused"
    r"|aborted|timed out|unable|failed(?= to\b|\W*$|[:.;])|forbidden|insufficient|cannot|could not"
    r"|(?:ca|could|did|does)n['\u2019]t|\w+n['\u2019]t want"
    r"|(?:not|no \w+) (?:available|found|left|made|was)"
    r"|not (?:allowed|permitted|possible|authori[sz]ed|mergeable|eligible))\b"
)


@lru_cache
def words_of(name: str) -> tuple[str, ...]:
    """Split a tool's or a field's name into words; cached, because a session repeats few names."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def effect_of(name: str) -> str:
    """What a tool does by the first verb in its name, or "": `acts`, `read`, or a file's new state."""
    verbs = [word for word in words_of(name.rpartition("__")[2]) if word in _VERBS]
    verb = min(verbs, key=_NOUNS.__contains__, default="")  # `order_status` reads
    return "" if name in _PLANNING else _VERBS.get(verb, "")


def command_of(args: Json) -> str:
    """The shell command in a call's arguments, without `bash -lc` and `cd FOLDER &&`."""
    for key in ("command", "cmd", "script", "input"):
        value = args.get(key)
        text = " ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(text, str) and text.strip():
            return str(_PREFIX.sub("", text.strip()))
    return ""


@lru_cache
def steps_of(command: str) -> list[str]:
    """The single commands that a shell runs, without heredocs, redirections and wrappers such as `sudo`."""
    text = _REDIRECTED.sub(r"\1", _HEREDOC.sub(r"\3", command)[:_ENDS])
    steps = (_WRAPPERS.sub("", step.strip(), count=1) for step in _STEP.findall(text))
    return [" ".join(step.split()) for step in steps if step and step[0] != "#"]


def attempt_of(command: str) -> str:
    """A key for repetitions of a command: its steps, without `-q`, `-v` and those that only print."""
    steps = [_QUIET.sub("", step) for step in steps_of(command)]
    return "; ".join([step for step in steps if not SHOWS.match(step)] or steps[:1])


def paths_of(args: Json) -> list[str]:
    """The paths in a call's arguments, by key, and those in patches."""
    named = (value for key, value in args.items() if not _PATH_KEYS.isdisjoint(words_of(key)))
    items = [item for value in named for item in (value if isinstance(value, list) else [value])]
    paths = [item for item in items if isinstance(item, str) and item and "\n" not in item]
    return list(dict.fromkeys([*paths, *_patched("\n".join(strings_in(args)))]))


def _files(name: str, args: Json, command: str) -> dict[str, str]:
    """The files that a call reads or changes, each with its new state."""
    if not command:
        effect = effect_of(name)
        state = "read" if effect in ("", "acts") or args.get("command") == "view" else effect
        return dict.fromkeys(paths_of(args), state) | _patched("\n".join(strings_in(args)))
    text = _HEREDOC.sub(r"\3", command)[:_ENDS]
    files = {path: "written" for _, out, path in _REDIRECTED.findall(text) if out} | _patched(command)
    for step in steps_of(command):
        program, *words = _WORD.findall(step) or [""]
        names = [word.strip("'\"") for word in words if program in _PROGRAMS]
        state = "written" if step.startswith("sed -i") else _VERBS.get(program, "read")
        files |= dict.fromkeys(names, state)
        files |= dict.fromkeys(names[-1:] if program in ("cp", "mv") else (), "written")
    return {path: state for path, state in files.items() if _PATH.fullmatch(path)}


def _patched(text: str) -> dict[str, str]:
    """The paths that a patch in a text changes, each with its new state."""
    return {path: _VERBS[verb.lower()] if verb else "written" for verb, path in _PATCHED.findall(text)}


def _published(command: str, text: str) -> Iterator[str]:
    """Yield what a command commits, pushes or publishes, as far as its output proves it."""
    acts = {act.lastindex: act[0] for act in map(_PUBLISHES.match, steps_of(command)) if act}
    chained = "&&" in command and not any(sign in command for sign in ";|\n")
    for proof in _PROOF.finditer(_FETCHED.sub("", text)) if acts else ():
        act = acts.get(proof.lastindex)
        if act and (proof[0] or chained or not _PULLED.match(text)):
            yield f"`{clip(act, MOST)}` → {clip(proof[proof.lastindex], MOST)}".removesuffix(" → ")


def result_value(response: Any) -> Any:
    """The content of a response: the value of its only key, parsed if it is JSON, else the object."""
    if not isinstance(response, dict) or len(response) != 1:
        return response
    (inner,) = response.values()
    value = value_of(inner) if isinstance(inner, str) and inner[:1] in ("{", "[") else None
    return inner if value is None else value


def result_of(call: Call) -> tuple[Json, str]:
    """The fields of a call's result, and its text: the error, else the content."""
    answer = call.answer
    response = answer and answer.message.parts[answer.part]["functionResponse"].get("response")
    value = result_value(response)
    fields = response if isinstance(response, dict) else {}
    fields = {**value, **fields} if isinstance(value, dict) else fields
    error = "\n".join(strings_in(fields.get("error"))).removeprefix(failed_call(call.name, ""))
    return fields, error or "\n".join(strings_in(value))


def failure(call: Call, command: str) -> str:
    """Return the reason why a call failed, on one line; "" if it did not."""
    (fields, text), effect, steps = result_of(call), effect_of(call.name), steps_of(command)
    text = text[:_ENDS] + text[_ENDS:][-_ENDS:]
    codes = _CODE.findall(json_text(fields)) or (_EXITED.findall(text) if command else [])
    code = max(map(int, codes), default=None)
    lines = text.strip().split("\n")
    flagged = any(map(fields.get, ("error", "is_error", "isError")))
    if code == 1 and steps and SHOWS.match(steps[-1]) and not ERROR.search(text):
        failed = False  # no match
    elif code or flagged or False in map(fields.get, ("success", "ok")):
        failed = True
    elif command:  # a test that passes may print errors before
        sure = code == 0 and "|" not in command and ";" not in command  # the status of the whole command
        failed = not sure and ERROR.search("\n".join(lines[-LAST:])) and not all(map(SHOWS.match, steps))
    else:
        status = str(fields.get("status") or fields.get("state") or fields.get("result"))
        answers = {status, lines[0]}.difference(strings_in(call.args))  # a title may be `Cannot log in`
        acts = effect not in ("", "read")
        denied = acts and any(map(_DENIED.match, answers))
        failed = denied or (effect != "read" and any(map(ERROR.match, answers)))
    return _reason(text, command) or (f"exit {code}" if code else "failed") if failed else ""


def _reason(text: str, command: str) -> str:
    """The line that explains a failure; if it is short, with the place of the error or the next line."""
    cleaned = (_FIELD.sub("", line.strip()) for line in text.splitlines())
    lines = [line for line in cleaned if line and not _EXITED.match(line)]
    matches = [(number, ERROR.search(line)) for number, line in enumerate(lines)]
    errors = [number for number, match in matches if match and not match[0][0].isdigit()]  # not counts
    errors = errors[-1:] if "Traceback" in text else errors
    places = [number for number, line in enumerate(lines) if _LOCATED.search(line)]
    best = (*errors, *places, len(lines) - 1)[0] if command else 0
    short = lines and (lines[best].count(" ") < 4 or lines[best][-1] == ":")
    more = next((number for number in places if number != best), best + 1) if short else len(lines)
    return clip(" ".join(lines[best : best + 1] + lines[more : more + 1]), MOST)


class Ledger:
    """The combined outcome of calls: files, actions and failures, each once, the latest last."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], tuple[str, str, int]] = {}  # kind, key → label, text, position
        self.passed: set[str] = set()  # keys of attempts that passed, and have not failed since

    def add(self, call: Call) -> None:
        """Record the outcome of a call, if it has a result."""
        if call.answer is None:
            return
        args = call.args if isinstance(call.args, dict) else {}
        command = "" if _SHELLS.isdisjoint(words_of(call.name)) else command_of(args)
        reason, files = failure(call, command), _files(call.name, args, command)
        (fields, text), effect = result_of(call), effect_of(call.name)
        described = f"{call.name}({_listed(args, 60)})"
        label = f"`{clip(command, COMMAND)}`" if command else clip(described, MOST)
        for act in _published(command, text or reason):
            self._put("done", "", act, call.place)
        edits = files if effect == "read" or "read" not in files.values() else None
        attempt = attempt_of(command) if command else str(edits or (call.name, args))
        if reason:
            self._put("failed", "", f"{label}: {reason}", call.place, attempt)
            return
        self.passed |= {attempt, *attempt.split("; ")}
        for path, state in files.items():
            self._put("file", state, path, call.place)
        idle = command or files or label.endswith("()") or _TRIAL.search(json_text(args))
        if not idle and effect not in ("", "read"):
            plain = [(key, item) for key, item in fields.items() if isinstance(item, (str, int))]
            new = [(key, item) for key, item in plain if _FIRST.search(key) and item not in args.values()]
            results = _listed(dict(new[:4]), 40)
            self._put("done", "", f"{label} → {results}".removesuffix(" → "), call.place)

    def read_back(self, kind: str, label: str, text: str, place: int) -> None:
        """Add a line of an earlier ledger."""
        what = text.partition("`: " if text[:1] == "`" else ": ")[0]
        key = text if kind != "failed" else attempt_of(what[1:]) if what[:1] == "`" else what
        self._put(kind, label, text.removesuffix(PASSED), place, key)
        self.passed |= {key} if text.endswith(PASSED) else set()

    def lines(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield kind, label, text and position of files, actions and failures, the latest last.

        `src/a.py` is `/home/me/project/src/a.py` if both occur.
        """
        whole: dict[str, str] = {}  # the end of an absolute path, at least two steps → the path
        for kind, path in self.entries:
            steps = path.split("/") if kind == "file" and path[:1] in ("/", "~") else []
            whole |= {"/".join(steps[at:]): path for at in range(1, len(steps) - 1)}
        merged = Ledger()
        for (kind, key), (label, text, place) in self.entries.items():
            path = whole.get(text.removeprefix("./"), text) if kind == "file" else text
            merged._put(kind, label, path, place, "" if kind == "file" else key)
        for (kind, key), (label, text, place) in merged.entries.items():
            yield kind, label, text + PASSED * (kind == "failed" and key in self.passed), place

    def _put(self, kind: str, label: str, text: str, place: int, key: str = "") -> None:
        """Record an entry as the newest; a later failure has not passed yet, and a read hides no change."""
        before, *_ = self.entries.pop((kind, key or text), ("",))
        label = before if label == "read" and before in ("written", "created") else label
        self.entries[kind, key or text] = label, text, place
        self.passed -= {key}


def _listed(fields: Json, room: int) -> str:
    """Fields with at most `room` characters of each: ids and states first, paths and long ones last."""
    filled = {key: value for key, value in fields.items() if value not in (None, "", [], {})}
    texts = {key: " ".join(strings_in(value)) or json_text(value) for key, value in filled.items()}
    order = sorted(texts, key=lambda key: (not _FIRST.search(key), "/" in texts[key], len(texts[key]) > 40))
    return ", ".join(f"{key}={clip(texts[key], room)}" for key in order)
