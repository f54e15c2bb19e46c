"""The outcome of tool calls: files read or changed, commands run, actions taken, failures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ..session.model import Json, Message
from ..session.pairing import Call, Pairing, pair
from .prose import clip
from .results import failure, result_value

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
WRITES = frozenset(
    "write edit create update patch apply replace insert delete remove move rename save append modify"
    " multiedit put mkdir touch copy overwrite truncate".split()
)  # fmt: skip
_SHELLS = frozenset("bash shell sh zsh exec execute terminal command cmd powershell run".split())
_ACTS = WRITES | frozenset(
    "book cancel send add set post submit transfer pay refund schedule change deploy publish enable"
    " disable grant revoke return exchange issue open close assign merge approve register order buy"
    " reserve upgrade".split()
)  # fmt: skip
_LOOKS = frozenset("get list search find read check show fetch view query lookup describe count".split())
_CHANGING = re.compile(r"(?:rm|mv|cp|touch|tee|truncate|chmod|git (?:add|mv|rm)|sed -i\S*|perl -pi)\s")
_SHOWING = frozenset("cat head tail less nl wc sed diff".split())
_BEFORE = frozenset("sudo time env then do".split())  # a command
_STATES = {
    "rm": "deleted", "delete": "deleted", "remove": "deleted", "touch": "created", "create": "created",
    "Add": "created", "Delete": "deleted",
}  # fmt: skip
_OUTLIVING = {"read": ("written", "created"), "written": ("created",)}  # new state → old states that win
_PATH_KEYS = frozenset("path paths file files filepath filename".split())
_MAYBE_PATH_KEYS = frozenset(
    "target source destination dest src dst uri name directory dir folder output input".split()
)
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w@+.-]+[/\\])*[\w@+-][\w@+.-]*", re.ASCII)
_EXTENSION = re.compile(r"[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}$", re.ASCII)
_TELLING = re.compile(r"(?:^|_)(?:id|number|status|state|total|url)$|Id$")
_PATCHED = re.compile(r"^(?:\*\*\* (Update|Add|Delete) File:|\+\+\+ b/)\s*(\S+)", re.MULTILINE)
_STEPS = re.compile(r"&&|\|\||[;|\n]")
_PUBLISHING = re.compile(r"\bgit (?:commit|push|tag|merge|revert)(?: (?:'[^']*'|\"[^\"]*\"|[^\s;&|<>]+))+")
_INTO = re.compile(r"(?<![0-9&<>-])>{1,2}\s*([^\s;&|<>()'\"]+)")
_OUTLET = re.compile(  # at the end of a command
    r"(?: *\| *(?:cat|grep|head|less|rg|sed|tail|tee|wc)\b[^|;&]*| *[&\d]?>{1,2}(?:&\d| *[^\s|;&<>]+))+$"
)
_VALUE = re.compile(r"=[^,)]*")
_AWAY = re.compile(r"^(?:\s*cd \S+ *(?:&&|;))+ *")
_MARKS = "'\"`,()"  # quotes around a word
LONG = 40  # longer arguments go last


class Effects:
    """The combined outcome of calls, in order, each thing once."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[str, int]] = {}  # path → its state, and the message's position
        self.commands: set[str] = set()
        self.actions: dict[str, tuple[str, int]] = {}  # action and thing → description, position
        self.failures: dict[str, tuple[str, str, int]] = {}  # attempt → call, reason, position
        self.mended: set[str] = set()  # attempts that passed later

    def touch(self, path: str, state: str, place: int) -> None:
        """Record that a file was read, written, created or deleted; a change outlives a read."""
        before, _ = self.files.pop(path, ("", 0))
        self.files[path] = (before if before in _OUTLIVING.get(state, ()) else state), place

    def act(self, what: str, place: int) -> None:
        """Record an action; a later update of the same fields of the same thing replaces it."""
        thing, _, fields = what.partition(",")
        thing = thing + _VALUE.sub("", fields) if "update" in words_of(what.partition("(")[0]) else what
        self.actions.pop(thing, None)
        self.actions[thing] = what, place

    def fail(self, what: str, how: str, place: int, attempt: str = "", *, passed: bool = False) -> None:
        """Record a failure; the last failure of an attempt counts, until it passes."""
        attempt = attempt or attempt_of(what)
        self.failures.pop(attempt, None)
        self.failures[attempt] = what, how, place
        (self.mended.add if passed else self.mended.discard)(attempt)

    def add(self, call: Call) -> None:
        """Record the outcome of a call."""
        args, words = call.args if isinstance(call.args, dict) else {}, words_of(call.name)
        command = "" if _SHELLS.isdisjoint(words) else without_cd(command_of(args))
        response = _response(call)
        how = failure(call.name, response, command)
        done = not (how or command) and acts(call.name)
        label = attempt = ""
        if how or done or self.failures:
            label = f"`{clip(command, 100)}`" if command else _described(call.name, args)
            attempt = attempt_of(f"`{command}`" if command else f"{call.name} {args}")
        if how:
            self.fail(label, how, call.place, attempt)
            return
        if call.answer is not None and attempt in self.failures:
            self.mended.add(attempt)
        paths = dict(_shell_files(command) if command else _files(args, words))
        for path, state in paths.items():
            self.touch(path, state, call.place)
        if command:
            self.commands.add(clip(command.split("\n", 1)[0], 100))
            for act in _PUBLISHING.findall(command):
                self.act(f"`{clip(act, 100)}`", call.place)
        elif done and not paths:
            act = label + _outcome(args, response)
            if not act.endswith("()"):
                self.act(act, call.place)


def effects(
    messages: Sequence[Message], pairing: Pairing | None = None, done: Effects | None = None
) -> Effects:
    """Return the outcome of every call in these messages, added to `done`."""
    done = done or Effects()
    for call in (pairing or pair(messages)).calls:
        done.add(call)
    return done


def acts(name: str) -> bool:
    """Whether a tool changes something, judged by the words of its name: `book_flight`, not `get_order`."""
    words = words_of(name)
    return bool(words) and words[0] not in _LOOKS and not _ACTS.isdisjoint(words)


@lru_cache
def words_of(name: str) -> tuple[str, ...]:
    """Split a tool's or a field's name into words; cached, because a session uses few names often."""
    return tuple(word.lower() for word in _WORDS.findall(name))


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
    return _AWAY.sub("", command, count=1)


# -- files ------------------------------------------------------------------------------------------


def _files(args: Json, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The files in a call's arguments, each with its new state."""
    writes = not WRITES.isdisjoint(words) and args.get("command") != "view"
    state = next((_STATES[word] for word in words if word in _STATES), "written" if writes else "read")
    patches = {path: to for text in args.values() if isinstance(text, str) for path, to in patched(text)}
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
            if named or (not _MAYBE_PATH_KEYS.isdisjoint(words) and looks_like_path(item)):
                paths.append(item)
            else:
                paths += (path for path, _ in patched(item))
    return list(dict.fromkeys(paths))


def patched(text: str) -> list[tuple[str, str]]:
    """The paths that a patch in a text changes, each with its new state."""
    if "*** " not in text and "+++ " not in text:
        return []
    return [(path, _STATES.get(verb, "written")) for verb, path in _PATCHED.findall(text)]


def looks_like_path(text: str) -> bool:
    """Whether a text is a path: it has a slash or an extension and is not a URL. Spaces are allowed
    as in `folder/a b.ext`.
    """
    if len(text) > 300 or "://" in text:
        return False
    if not _PATH.fullmatch(text):
        return bool("/" in text and _EXTENSION.search(text) and _PATH.fullmatch(text.replace(" ", "_")))
    return "/" in text.strip("/") or text.startswith("/") or bool(_EXTENSION.search(text))


def _shell_files(command: str) -> Iterator[tuple[str, str]]:
    """The files that a command writes, patches, removes or shows."""
    yield from patched(command)
    for step in _STEPS.split(command[:4000]):
        words = step.split()
        while words and (words[0] in _BEFORE or "=" in words[0]):
            words = words[1:]
        if not words:
            continue
        paths = [(path, "written") for path in _INTO.findall(step) if not path.startswith("/dev/")]
        changes, first = _CHANGING.match(" ".join(words)), words[0].strip(_MARKS)
        if changes or first in _SHOWING:
            state = _STATES.get(first, "written" if changes else "read")
            paths += ((word.strip(_MARKS), state) for word in words[1:] if not word.startswith(("-", "s/")))
        yield from (path for path in paths if looks_like_path(path[0]))


# -- calls in words ---------------------------------------------------------------------------------


def _described(name: str, args: Json) -> str:
    """Describe a call by its name and plain arguments: ids and states first, long ones last and cut."""
    plain = {key: text for key, value in args.items() if (text := _plain(value))}
    order = sorted(plain, key=lambda key: (not _TELLING.search(key), len(plain[key]) > LONG))
    return clip(f"{name}({', '.join(f'{key}={clip(plain[key], 60)}' for key in order)})", 160)


def _plain(value: Any) -> str:
    """A plain value as text, a list of plain values joined, "" for anything nested."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value):
        return " ".join(map(str, value))
    return str(value) if isinstance(value, (str, int, float)) else ""


def _outcome(args: Json, response: Any) -> str:
    """The ids, numbers and states that an action returned."""
    value = result_value(response)
    value = value if isinstance(value, dict) else response  # `{"id": "B7"}` tells an id, too
    fields = [
        f"{key}={clip(str(item), 40)}"
        for key, item in (value.items() if isinstance(value, dict) else ())
        if isinstance(item, (str, int)) and _TELLING.search(key) and item not in args.values()
    ]
    return f" → {', '.join(fields[:4])}" if fields else ""


def _response(call: Call) -> Any:
    """The response to a call, or None."""
    if call.answer is None:
        return None
    return call.answer.message.parts[call.answer.part]["functionResponse"].get("response")


def attempt_of(label: str) -> str:
    """What a repeated call has in common with it: a command without its spacing and what only shows
    or saves its output, so that `make 2>&1 | tail` is `make` again.
    """
    label = " ".join(label.split())
    return f"{_OUTLET.sub('', label[:-1])}`" if label[:1] == label[-1:] == "`" else label
