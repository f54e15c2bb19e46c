"""What tool calls did: the files they touched, what they changed elsewhere, and which of them failed.

A call's status (an exit code, an error, `success: false`) decides whether it failed. Without one, a command
failed if the end of its output reports an error, another call if its result begins with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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

_WRITES = frozenset(
    "write edit create update patch apply replace insert delete remove move rename save append modify"
    " multiedit put mkdir touch copy overwrite truncate".split()
)
_ACTS = _WRITES | frozenset(
    "book cancel send add set post submit transfer pay refund schedule change deploy publish enable"
    " disable grant revoke return exchange issue open close assign merge approve register order buy"
    " reserve upgrade".split()
)
_NOUNS = frozenset("book exchange issue order refund return schedule transfer".split())  # `order_status`
_LOOKS = frozenset(
    "get list search find grep glob read check show fetch view query lookup describe count retrieve is has"
    " can ask calculate estimate preview validate status policy history rate details summary info"
    " overview quote simulate".split()
)
_PLANNING = frozenset(  # agents' tools that only change a list of tasks
    "TaskCreate TaskUpdate TodoWrite todo_write todowrite write_todos update_plan".split()
)
_TRIAL = frozenset("dry preview simulate validate".split())  # arguments of calls that change nothing
_SHELLS = frozenset("bash shell sh zsh exec execute terminal command cmd powershell run".split())
_STATES = {
    "rm": "deleted", "delete": "deleted", "remove": "deleted", "touch": "created", "create": "created",
    "Add": "created", "Delete": "deleted", **dict.fromkeys(("mv", "cp", "tee", "sed -i"), "written"),
    **dict.fromkeys("cat head tail less nl wc sed diff".split(), "read"),
}  # fmt: skip
_PATH_KEYS = frozenset("path paths file files filepath filename".split())
_PATH = Pattern(r"(?a)(?=\S*(?:[^/]/|\w\.[A-Za-z][\w]{0,9}$))(?!s/|/dev/|-)~?[\w@+./\\:-]*\w")
_PATCHED = Pattern(r"(?m)^(?:\*\*\* (Update|Add|Delete) File:|\+\+\+ b/)\s*(\S+)")
_WORDS = Pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

_HEREDOC = Pattern(r"(?m)(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1(.*)\n(?s:.*?)(?:^[ \t]*\2$|\Z)")
_QUOTED = r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\."
_WORD = Pattern(rf"(?s)(?:{_QUOTED}|[^\s'\"\\])+")
_STEP = Pattern(rf"(?s)(?:{_QUOTED}|\$\([^()]*\)|(?<!\S)#[^\n]*|[^;&|\n()])+")
_TARGET = r"\s*[^\s;&|<>()'\"]+"
_REDIRECTED = Pattern(rf"(?s)({_QUOTED})|\s*(?<![=-])[\d&]?(?:<+(?:{_TARGET})?|>+(?:&\d|({_TARGET})))")
_WRAPPERS = Pattern(r"(?:(?:sudo|time|env|nohup|exec|then|do|else|if|while|until|!|\{|npx|\w+=\S*)\s+)*")
_CD = Pattern(r"^(?:\s*cd \S+ *(?:&&|;))+ *")
SHOWS = Pattern(  # a command that only prints what exists
    r"(?:cat|head|tail|nl|wc|less|sort|uniq|cut|tr|awk|jq|[ef]?grep|rg|find|fd|ls|tree|stat|du|ps|which"
    r"|date|echo|printf|cd|pwd|diff|sed(?! -i)|(?:git|gh \w+|docker|kubectl) (?:diff|log|show|grep|status"
    r"|blame|rev-parse|branch|view|list|get|describe|logs|ps))(?!\S)"
)
_SEARCHES = Pattern(r"(?:[ef]?grep|rg|(?:git )?(?:diff|grep)|which|test|\[)\s")  # exit 1: no match
_PUBLISHES = Pattern(
    r"(?!.* (?:--help|-h|--dry-run)(?!\S))(?:git(?: -[cC] \S+)* (?:(commit|revert)|push|merge"
    r"|tag(?= [^-]| -a))|(gh) \w+ (?:create|merge|close|edit))(?!\S)"
)
_BODY = Pattern(r" -m .*| -\S+ \"\$\(cat .*")  # options that a proof or a heredoc replaces
_PROOFS = (  # in the output: branch, hash and message of a commit; a URL
    Pattern(r"(?m)^(\[[^\]\n]+ [0-9a-f]{7,}\] .*)"),
    Pattern(r"(https://\S{1,300}/(?:pull|issues|releases)/\S+)"),
)
_CODE = Pattern(r"(?i)(?<!\\)\"(?:exit(?:_?code|_?status)?|return_?code)\":(-?\d+)")
_EXITED = Pattern(r"(?im)^<?(?:[\w:]+ ){0,5}exit(?:ed)?(?:(?: \w+){1,3}:?|:) (\d{1,3})>?\.?$")
_FIELD = Pattern(r"^(?:\w+: \((?:none|empty)\)$|Output:\s*)|</?tool_use_error>")
ERROR = Pattern(  # reports an error: not `Error count: 0`, `Error: (none)`, `Fix 3 errors in parser`
    r"(?m)(?:^[^\w\n✓✔]*+(?:Uncaught )?|[:)\]] +)(?:[\w.]*(?:Error|Exception)|error|ERROR|fatal|panic)"
    r"(?:\[\w+\]| [A-Z]+\d+)?: *(?!\(none\)|null|nil|0$)\S|^[\w.]*(?:Error|Exception)$|\*\*\* .*\bError \d"
    r"|^[^\w\n=]*(?:ERROR|FAIL(?:ED|URES?)?|Traceback|npm ERR!|npm error|E   +\w)(?! *[:=]? *0)|^CONFLICT"
    r"|ed by (?:the )?user\b|n't want to proceed|command not found|o such file or dir|Permission denied"
    r"|^Command (?:abort|timed out)|^curl: \(|Segmentation fault|panicked at"
    r"|\b[1-9]\d* (?:failed|failures?|errors?)(?= *(?:$|[,.;|)]| in \d))"
)
_LOCATED = Pattern(r"[\w/-]\.\w+[:(]\d")  # `src/a.py:10:80: E501 line too long`
_DENIED = Pattern(  # an action was not done
    r"(?im)^(?:error|failure)$|^(?:(?!\. |: ).){0,80}?(?<![\w/-])(?:declined|denied|rejected|refused|unable"
    r"|failed(?= to\b|\W*$|[:.;])|can(?:no|['\u2019])t|could ?n[o'\u2019]t|\w+n['\u2019]t want|insufficient"
    r"|not (?:allowed|permitted|possible|authori[sz]ed|available|found|mergeable)|forbidden"
    r"|no \w+ (?:left|found|available)|nothing.* to commit|no changes added)"
)
_FIRST = Pattern(r"(?:^|_)(?:id|number|status|state|total|url)$|Id$")  # names of ids and states


@lru_cache
def words_of(name: str) -> tuple[str, ...]:
    """Split a tool's or a field's name into words; cached, because a session repeats few names."""
    return tuple(word.lower() for word in _WORDS.findall(name))


@lru_cache
def effect_of(name: str) -> str:
    """Whether a tool acts or only reads, by the first verb in its name: `book_flight`, `order_status`."""
    words = words_of(name.rpartition("__")[2])
    if next((word in _LOOKS for word in words if word in _LOOKS or word in _ACTS - _NOUNS), False):
        return "reads"
    return "" if name in _PLANNING or _ACTS.isdisjoint(words) else "acts"


def command_of(args: Json) -> str:
    """The shell command in a call's arguments, without `cd FOLDER &&`; a list loses its `bash -lc`."""
    for key in ("command", "cmd", "script", "input"):
        value = args.get(key)
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            value = value[-1] if value[1:2] in (["-c"], ["-lc"]) else " ".join(value)
        if isinstance(value, str) and value.strip():
            return str(_CD.sub("", value.strip(), count=1))
    return ""


@lru_cache
def steps_of(command: str) -> list[str]:
    """The single commands that a shell runs, without heredocs, redirections and wrappers such as `sudo`."""
    text = _REDIRECTED.sub(r"\1", _HEREDOC.sub(r"\3", command)[:_ENDS])
    steps = (_WRAPPERS.sub("", step.strip(), count=1) for step in _STEP.findall(text))
    return [" ".join(step.split()) for step in steps if step and step[0] != "#"]


def attempt_of(command: str) -> str:
    """A key for repetitions of a command: its steps, without those that only print."""
    steps = steps_of(command)
    return "; ".join([step for step in steps if not SHOWS.match(step)] or steps[:1])


def paths_of(args: Json) -> list[str]:
    """The paths in a call's arguments, by key, and those in patches."""
    paths: list[str] = []
    for key, value in args.items():
        named = not _PATH_KEYS.isdisjoint(words_of(key))
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                paths += [item] if named and len(item) <= 300 and "\n" not in item else _patched(item)
    return list(dict.fromkeys(paths))


def _files(args: Json, words: Sequence[str], command: str) -> dict[str, str]:
    """The files that a call reads or changes, and their new states; `words`: those of the tool's name."""
    if not command:
        writes = not _WRITES.isdisjoint(words) and args.get("command") != "view"
        changes = (_STATES[word] for word in words if _STATES.get(word, "read") != "read")  # `apply_diff`
        state = next(changes, "written" if writes else "read")
        return dict.fromkeys(paths_of(args), state) | _patched("\n".join(strings_in(args)))
    targets = (target.strip() for _, target in _REDIRECTED.findall(_HEREDOC.sub(r"\3", command)[:_ENDS]))
    files = dict.fromkeys(targets, "written") | _patched(command)
    for step in steps_of(command):
        program = "sed -i" if step.startswith("sed -i") else step.partition(" ")[0]
        names = [word.strip("'\"") for word in _WORD.findall(step)[1:] if program in _STATES]
        files |= dict.fromkeys(names[-1:] if program == "cp" else names, _STATES.get(program, ""))
    return {path: state for path, state in files.items() if _PATH.fullmatch(path)}


def _patched(text: str) -> dict[str, str]:
    """The paths that a patch in a text changes, each with its new state."""
    return {path: _STATES.get(verb, "written") for verb, path in _PATCHED.findall(text)}


def _published(command: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield what a command commits, pushes or publishes, with its proof in the output, or ""."""
    for act in steps_of(command):
        if match := _PUBLISHES.match(act):
            proof = match.lastindex and _PROOFS[match.lastindex - 1].search(text)
            yield (_BODY.sub("", act), clip(proof[1], MOST)) if proof else (act, "")


def response_of(call: Call) -> Json:
    """The response to a call; without one, an empty object."""
    answer = call.answer
    response = answer and answer.message.parts[answer.part]["functionResponse"].get("response")
    return response if isinstance(response, dict) else {}


def result_value(response: Any) -> Any:
    """The content of a response: the value of its only key, parsed if it is JSON, else the object."""
    if isinstance(response, dict) and len(response) == 1:
        inner = next(iter(response.values()))
        value = value_of(inner) if isinstance(inner, str) and inner[:1] in ("{", "[") else None
        return inner if value is None else value
    return response


def failure(call: Call, command: str) -> str:
    """Return the reason why a call failed, on one line; "" if it did not."""
    response, effect = response_of(call), effect_of(call.name)
    value = result_value(response)
    fields = {**value, **response} if isinstance(value, dict) else response
    error = fields.get("error")
    text = error if isinstance(error, str) else "\n".join(strings_in(error))
    text = text.removeprefix(failed_call(call.name, "")) or "\n".join(strings_in(value))
    text = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    codes = _CODE.findall(json_text(fields)) or (_EXITED.findall(text) if command else [])
    code = max(map(int, codes), default=None)
    if code == 1 and any(map(_SEARCHES.match, steps_of(command))) and not ERROR.search(text):
        return ""  # no match
    status = str(fields.get("status") or fields.get("state") or fields.get("result"))
    passed = [item for item in strings_in(call.args) if len(item) > 2]
    denied = effect == "acts" and status not in passed and _DENIED.match(status)
    denied = denied or False in map(fields.get, ("success", "ok"))
    if error or code or denied or fields.get("is_error") or fields.get("isError"):
        return _reason(text, command) or (f"exit {code}" if code else "failed")
    if not command:
        first = text.strip().partition("\n")[0]
        for item in passed:  # a title, `Cannot log in`, that the result repeats
            first = first.replace(item, "")
        failed = (effect != "reads" and ERROR.match(text)) or (effect == "acts" and _DENIED.match(first))
        return _reason(text, command) if failed else ""
    if code == 0 and "|" not in command and ";" not in command:  # the status of the whole command
        return ""
    end = "\n".join(text.rstrip().rsplit("\n", LAST)[-LAST:])  # a test that passes may print errors
    failed = ERROR.search(end) and not all(map(SHOWS.match, steps_of(command)))
    undone = any(not proof for _, proof in _published(command, text)) and _DENIED.search(end)
    return _reason(text, command) if failed or undone else ""


def _reason(text: str, command: str) -> str:
    """The line of an output that explains a failure; a short one with the line after it."""
    cleaned = (_FIELD.sub("", line.strip()) for line in text.splitlines())
    lines = [line for line in cleaned if line and not _EXITED.match(line)]
    errors = [number for number, line in enumerate(lines) if command and ERROR.search(line)]
    places = [number for number, line in enumerate(lines) if command and _LOCATED.search(line)]
    early = [number for number in errors if number < len(lines) - 2]  # the last may only count errors
    best = next(iter((*early, *places, *errors)), len(lines) - 1 if command else 0)
    best = errors[-1] if errors and "Traceback" in text else best
    short = " ".join(lines[best : best + 1]).count(" ") < 4 or lines[best][-1] == ":"
    return clip(" ".join(lines[best : best + 1 + short]), MOST)


class Ledger:
    """The combined outcome of calls: files, actions and failures, each once, with its last position."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        self.entries: dict[tuple[str, str], tuple[str, str, int]] = {}  # kind, key → label, text, position
        self.passed: set[str] = set()  # keys of attempts that passed, and have not failed since
        for call in calls:
            self.add(call)

    def add(self, call: Call) -> None:
        """Record the outcome of a call, if it has a result."""
        if call.answer is None:
            return
        args, words = call.args if isinstance(call.args, dict) else {}, words_of(call.name)
        command = "" if _SHELLS.isdisjoint(words) else command_of(args)
        reason, files = failure(call, command), _files(args, words, command)
        label = f"`{clip(command, COMMAND)}`" if command else _described(call.name, args)
        for act, proof in _published(command, "\n".join(strings_in(response_of(call)))):
            if proof or not reason:
                self._put("done", "", f"`{clip(act, MOST)}`{f' → {proof}' if proof else ''}", call.place)
        edits = files if "read" not in files.values() or effect_of(call.name) == "reads" else None
        attempt = attempt_of(command) if command else str(edits or (call.name, args))
        if reason:
            self._put("failed", "", f"{label}: {reason}", call.place, attempt)
            return
        self.passed |= {attempt, *attempt.split("; ")}
        for path, state in files.items():
            self._put("file", state, path, call.place)
        trial = any(
            str(value).lower() == "true" and not _TRIAL.isdisjoint(words_of(key))
            for key, value in args.items()
        )
        if not (command or files or trial or label.endswith("()")) and effect_of(call.name) == "acts":
            self._put("done", "", label + _outcome(args, response_of(call)), call.place)

    def read_back(self, kind: str, label: str, text: str, place: int) -> None:
        """Add a line of an earlier ledger."""
        what = text.partition("`: " if text[:1] == "`" else ": ")[0]
        key = text if kind != "failed" else attempt_of(what[1:]) if what[:1] == "`" else what
        self._put(kind, label, text.removesuffix(PASSED), place, key)
        self.passed |= {key} if text.endswith(PASSED) else set()

    def lines(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield kind, label, text and position of files, actions and failures, the latest last."""
        whole: dict[str, str] = {}  # the end of an absolute path, at least two steps → the path
        for kind, path in self.entries:
            steps = path.split("/") if kind == "file" and path[:1] in "/~" else []
            whole |= {"/".join(steps[at:]): path for at in range(1, len(steps) - 1)}
        merged = Ledger()  # `src/a.py` is `/home/me/project/src/a.py` if both occur
        for (kind, key), (label, text, place) in self.entries.items():
            text = whole.get(text.removeprefix("./"), text) if kind == "file" else text
            text += PASSED if kind == "failed" and key in self.passed else ""
            merged._put(kind, label, text, place, key if kind == "failed" else text)
        yield from ((kind, *entry) for (kind, _), entry in merged.entries.items())

    def _put(self, kind: str, label: str, text: str, place: int, key: str = "") -> None:
        """Record an entry as the newest; a later failure has not passed yet, and a read hides no change."""
        before, *_ = self.entries.pop((kind, key or text), ("",))
        label = before if label == "read" and before in ("written", "created") else label
        self.entries[kind, key or text] = label, text, place
        self.passed -= {key}


def _described(name: str, args: Json) -> str:
    """Describe a call by its name and arguments: ids and states first, paths and long ones last."""
    plain = {key: value for key, value in args.items() if value not in (None, "", [], {})}
    texts = {key: " ".join(strings_in(value)) or json_text(value) for key, value in plain.items()}
    order = sorted(texts, key=lambda key: (not _FIRST.search(key), "/" in texts[key], len(texts[key]) > 40))
    return clip(f"{name}({', '.join(f'{key}={clip(texts[key], 60)}' for key in order)})", MOST)


def _outcome(args: Json, response: Json) -> str:
    """The ids, numbers and states that an action returned."""
    value = result_value(response)
    fields = value if isinstance(value, dict) else response  # the only field may be an id: `{"id": "B7"}`
    results = [
        f"{key}={clip(item if isinstance(item, str) else json_text(item), 40)}"
        for key, item in fields.items()
        if isinstance(item, (str, int)) and _FIRST.search(key) and item not in args.values()
    ]
    return f" → {', '.join(results[:4])}" if results else ""
