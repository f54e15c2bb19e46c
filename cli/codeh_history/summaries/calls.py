"""What tool calls did: the files they read or changed, the commands they ran, and how they failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..session.model import Json, Message, Part
from ..session.pairing import Call, Pairing, pair
from .clipped import clip
from .results import failure as how_failed
from .results import result_value

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WRITES = frozenset(
    "write edit create update patch apply replace insert delete remove move rename save append modify"
    " multiedit put mkdir touch copy overwrite truncate".split()
)  # fmt: skip
_STATES = {"deleted": frozenset(("delete", "remove")), "created": frozenset(("create", "touch"))}
_SHELLS = frozenset("bash shell sh zsh exec execute terminal command cmd powershell".split())
_ACTS = _WRITES | frozenset(
    "book cancel send add set post submit transfer pay refund schedule change deploy publish enable"
    " disable grant revoke return exchange issue open close assign merge approve register order buy"
    " reserve upgrade".split()
)  # fmt: skip
_LOOKS = frozenset("get list search find read check show fetch view query lookup describe count".split())
_CHANGING = frozenset(
    ("rm", "mv", "cp", "touch", "tee", "truncate", "chmod",
     "git add", "git mv", "git rm", "sed -i", "sed -i.bak", "perl -pi")
)  # fmt: skip
_SHOWING = frozenset("cat head tail less nl wc sed grep rg awk diff code".split())
_PATTERN_FIRST = frozenset("grep rg ag awk sed".split())  # whose first argument is no file
_BEFORE = frozenset("sudo cd time env then do".split())  # a command
_MARKS = "'\"`,()"  # around a word of one
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_OUTLIVING = {"read": ("written", "created"), "written": ("created",)}  # state → those before that stay
_SHELL_STATES = {"rm": "deleted", "touch": "created"}
_PATH_KEYS = frozenset(
    "path file filepath filename notebookpath relativepath absolutepath oldpath newpath paths files"
    " targetfile".split()
)
_MAYBE_PATH_KEYS = frozenset(
    "target source destination dest src dst uri name directory dir folder output input".split()
)
_COMMAND_KEYS = ("command", "cmd", "script")
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w@+.-]+[/\\])*[\w@+-][\w@+.-]*", re.ASCII)
_EXTENSION = re.compile(r"[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}$", re.ASCII)
_TELLING = re.compile(r"(?:^|_)(?:id|number|status|state|total|url)$|Id$")
_PATCHED = re.compile(r"^(?:\*\*\* (Update|Add|Delete) File:|\+\+\+ b/)\s*(\S+)", re.MULTILINE)
_PATCH_STATES = {"Add": "created", "Delete": "deleted"}
_STEPS = re.compile(r"&&|\|\||[;|\n]")
_INTO = re.compile(r"(?<![0-9&<>-])>{1,2}\s*([^\s;&|<>()'\"]+)")
_OUTLET = re.compile(r" *(?<!\|)\|(?!\|)| +\d?>")
_AWAY = re.compile(r"^(?:\s*cd \S+ *(?:&&|;))+ *")


class Effects:
    """What the calls of some messages came to; every list in order, without doubles."""

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()  # path → how often
        self.modified: Counter[str] = Counter()
        self.commands: Counter[str] = Counter()
        self.actions: list[tuple[str, int]] = []  # what was done, at which message
        self.failures: dict[str, tuple[str, int]] = {}  # what → how, at which message
        self._failed: dict[str, str] = {}  # what, but for what its output goes to → what
        self.mended: set[str] = set()  # failures that went well later
        self.open: list[tuple[str, int]] = []  # calls without an answer, and where
        self.files: dict[str, tuple[str, int]] = {}  # path → what became of it, and where

    def copy(self) -> Effects:
        """The same, to be added to."""
        other = Effects()
        for name, value in vars(self).items():
            setattr(other, name, value.copy())
        return other

    def touch(self, path: str, state: str, place: int) -> None:
        """A file was read, written, created or deleted; what changed it outlives what read it."""
        before, _ = self.files.pop(path, ("", 0))
        self.files[path] = (before if before in _OUTLIVING.get(state, ()) else state), place

    def add(self, told: Told, place: int) -> None:
        """What a call came to, at this message."""
        if told.open:
            self.open.append((told.label, place))
        if told.failure:
            self.fail(told.label, told.failure, place)
        elif told.stem in self._failed:
            self.mended.add(self._failed[told.stem])
        for counter, found in (
            (self.commands, told.commands), (self.modified, told.modified), (self.read, told.read),
        ):  # fmt: skip
            for one in found:
                counter[one] += 1
        for path, state in told.touched:
            self.touch(path, state, place)
        if told.action:
            self.actions.append((told.action, place))

    def fail(self, what: str, how: str, place: int, *, passed: bool = False) -> None:
        """A call failed; the last failure of a command is the one that counts, until it goes well."""
        stem = _stem(what)
        self.failures.pop(self._failed.pop(stem, ""), None)
        self._failed[stem] = what
        self.failures[what] = how, place
        (self.mended.add if passed else self.mended.discard)(what)


class Told:
    """What a call came to, wherever it stands."""

    __slots__ = (
        "action", "commands", "failure", "label", "modified", "open", "read", "stem", "touched",
    )  # fmt: skip

    def __init__(self, label: str, failure: str, *, open: bool) -> None:
        self.label = label
        self.stem = _stem(label)
        self.failure = failure
        self.open = open
        self.commands: list[str] = []
        self.modified: list[str] = []
        self.read: list[str] = []
        self.touched: list[tuple[str, str]] = []  # paths, each with what became of it
        self.action = ""


class Memo:
    """What is known of calls that were looked at before, and what all of them together came to."""

    def __init__(self) -> None:
        self.calls: dict[int, tuple[Part, Part | None, Told]] = {}  # by where their parts are in memory
        self.told: list[tuple[Told, int]] = []
        self.done = Effects()


def effects(
    messages: Sequence[Message],
    pairing: Pairing | None = None,
    done: Effects | None = None,
    memo: Memo | None = None,
) -> Effects:
    """The effects of every call, with its result where there is one; `done`: those of what was before.

    `memo`: of calls that were looked at before; where these begin with them, only the others are new.
    """
    memo = memo or Memo()
    calls = (pairing or pair(messages)).calls
    if len(memo.calls) > 2 * len(calls):
        memo.calls.clear()
    told = [(_told_once(call, memo), call.place) for call in calls]
    if done is None:
        if told[: len(memo.told)] != memo.told:
            memo.told, memo.done = [], Effects()
        for one, place in told[len(memo.told) :]:
            memo.done.add(one, place)
        memo.told, done = told, memo.done.copy()
    else:
        for one, place in told:
            done.add(one, place)
    for path in done.modified:
        done.read.pop(path, None)
    return done


def _told_once(call: Call, memo: Memo) -> Told:
    part = call.message.parts[call.part]
    answer = call.answer.message.parts[call.answer.part] if call.answer is not None else None
    known = memo.calls.get(id(part))
    if known is not None and known[0] is part and known[1] is answer:
        return known[2]
    told = told_of(call)
    memo.calls[id(part)] = part, answer, told
    return told


def told_of(call: Call) -> Told:
    """What a call came to, by itself and its answer."""
    args = call.args if isinstance(call.args, dict) else {}
    words = _words_of(call.name)
    shell = not _SHELLS.isdisjoint(words)
    command = command_of(args) if shell or "run" in words else ""
    if shell and not command and isinstance(args.get("input"), str):
        command = args["input"]
    verb = args.get("command")
    writes = not _WRITES.isdisjoint(words) and not (isinstance(verb, str) and verb == "view")
    bare = here(command)
    label = f"`{clip(bare, 100)}`" if command else brief(call.name, args, 160)
    failure = how_failed(call.name, _response(call), bare)
    told = Told(label, failure, open=call.answer is None)
    if command:
        told.commands.append(clip(bare.split("\n", 1)[0], 100))
        _shell(command, told)
        return told
    state = next(
        (state for state, verbs in _STATES.items() if not verbs.isdisjoint(words)),
        "written" if writes else "read",
    )
    paths = paths_of(args)
    patches = {} if failure else _patches(args)
    told.touched += [(path, patches.get(path, state)) for path in paths if not failure]
    if not (writes and failure):
        (told.modified if writes else told.read).extend(paths)
    if not (failure or any(paths)) and acts(call.name):
        told.action = label + _outcome(call)
    return told


def acts(name: str) -> bool:
    """Whether a tool changes something, by the words of its name: `book_flight`, not `get_order`."""
    words = _words_of(name)
    return bool(words) and words[0] not in _LOOKS and not _ACTS.isdisjoint(words)


@lru_cache
def _words_of(name: str) -> tuple[str, ...]:
    """The words of a tool's name: a history calls few tools often."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def command_of(args: Json) -> str:
    """The shell command in a call's arguments; a list loses its `bash -lc`."""
    for key in _COMMAND_KEYS:
        value = args.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            shell = value[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and len(value) > 2
            return value[-1].strip() if shell else " ".join(value)
    return ""


def paths_of(args: Json) -> list[str]:
    """The paths among a call's arguments, by key and by look; those that a patch names too."""
    found: list[str] = []
    for key, value in args.items():
        plain = _plain_key(key)
        values = value if isinstance(value, list) else [value]
        for item in values:
            if not isinstance(item, str):
                continue
            named = plain in _PATH_KEYS and 0 < len(item) <= 300 and "\n" not in item
            if named or (plain in _MAYBE_PATH_KEYS and looks_like_path(item)):
                found.append(item)
            else:
                found += patched(item)
    return list(dict.fromkeys(found))


@lru_cache
def _plain_key(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


def patched(text: str) -> dict[str, str]:
    """The paths that a patch in a text names, each with what becomes of it."""
    if "*** " not in text and "+++ " not in text:
        return {}
    return {path: _PATCH_STATES.get(verb, "written") for verb, path in _PATCHED.findall(text)}


def _patches(args: Json) -> dict[str, str]:
    """What becomes of the paths that patches among a call's arguments name."""
    texts = [text for text in args.values() if isinstance(text, str)]
    return {path: state for text in texts for path, state in patched(text).items()}


def looks_like_path(text: str) -> bool:
    """Whether a text is a path: a slash or an extension, no URL; blanks only inside `folder/a b.ext`."""
    if len(text) > 300 or "://" in text:
        return False
    if not _PATH.fullmatch(text):
        return (
            "/" in text and bool(_EXTENSION.search(text)) and bool(_PATH.fullmatch(text.replace(" ", "_")))
        )
    return "/" in text.strip("/") or text.startswith("/") or bool(_EXTENSION.search(text))


def _shell(command: str, told: Told) -> None:
    """A command's files: those it writes, patches or removes, those it shows."""
    failed = bool(told.failure)
    for path, state in patched(command).items() if not failed else ():
        told.modified.append(path)
        told.touched.append((path, state))
    for piece in _STEPS.split(command[:4000]):
        words = piece.split()
        while words and ((first := words[0].strip(_MARKS)) in _BEFORE or "=" in first):
            words = words[2:] if first == "cd" else words[1:]
        if not words:
            continue
        for path in _INTO.findall(piece) if ">" in piece else ():
            if looks_like_path(path) and not failed and not path.startswith("/dev/"):
                told.modified.append(path)
                told.touched.append((path, "written"))
        second = words[1].strip(_MARKS) if len(words) > 1 else ""
        changes = first in _CHANGING or f"{first} {second}" in _CHANGING
        shows = first in _SHOWING
        if changes or shows:
            for word in words[1:] if first not in _PATTERN_FIRST else _after_pattern(piece):
                word = word.strip(_MARKS)
                if looks_like_path(word) and not word.startswith(("-", "s/")):
                    (told.modified if changes and not failed else told.read).append(word)
                    if not failed:
                        state = _SHELL_STATES.get(first, "written" if changes else "read")
                        told.touched.append((word, state))


def _after_pattern(piece: str) -> list[str]:
    """The arguments of a search after what it looks for; options aside."""
    words = [word for word in _QUOTED.sub("''", piece).split()[1:] if not word.startswith("-")]
    return words[1:]


def brief(name: str, args: Json, room: int) -> str:
    """A call in a few words: its name and its plain arguments, long ones cut."""
    shown = [f"{key}={clip(text, 60)}" for key, value in args.items() if (text := plain(value))]
    return clip(f"{name}({', '.join(shown)})", room)


def plain(value: Any) -> str:
    """A plain value as text; lists of plain values joined; "" for anything nested."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value):
        return " ".join(map(str, value))
    return ""


def _outcome(call: Call) -> str:
    """What an action gave back, where that is an id, a number or a state."""
    value = result_value(_response(call))
    if not isinstance(value, dict):
        return ""
    told = [
        f"{key}={clip(str(item), 40)}"
        for key, item in value.items()
        if isinstance(item, (str, int)) and _TELLING.search(key)
        and item not in (call.args or {}).values()
    ]  # fmt: skip
    return f" → {', '.join(told[:4])}" if told else ""


def _response(call: Call) -> Any:
    """What a call was answered with; None where it was not."""
    if call.answer is None:
        return None
    return call.answer.message.parts[call.answer.part]["functionResponse"].get("response")


def _stem(label: str) -> str:
    """A command without what its output goes to: `make 2>&1 | tail` is `make` again; else the label."""
    return _OUTLET.split(label, 1)[0].rstrip("` ") if label[:1] == "`" else label


def here(command: str) -> str:
    """A command without the folders it goes to first."""
    away = _AWAY.match(command)
    return command[away.end() :] if away else command
