"""The ledger of a conversation: the newest state of each file, what calls did, and what failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..base.lazy import Pattern
from ..base.read_json import strings_in
from ..session.pairing import Call
from .calls import (
    acts,
    attempt_of,
    command_of,
    failure,
    files_of,
    published,
    reads_only,
    result_value,
    shell_files,
    without_cd,
    words_of,
)
from .prose import clip

PASSED = " (passed later)"
CALL, ACTION, REASON = 110, 160, 140  # characters of a failed call, of an action, of a failure
LONG = 40  # longer arguments go last
_SHELLS = frozenset("bash shell sh zsh exec execute terminal command cmd powershell run".split())
_TRIAL = frozenset("dry preview simulate validate".split())  # arguments of calls that change nothing
_LASTING = {"read": ("written", "created"), "written": ("created",)}  # new state → old states that stay
_IDENTIFYING = Pattern(r"(?:^|_)(?:id|number|status|state|total|url)$|Id$")
_VALUE = Pattern(r"=[^,)]*")


class Ledger:
    """The combined outcome of calls: files, actions and failures, each once, with its last position."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        self.files: dict[str, tuple[str, int]] = {}  # path → its state
        self.actions: dict[str, tuple[str, int]] = {}  # action and thing → description
        self.failures: dict[str, tuple[str, int]] = {}  # attempt → call and reason
        self.passed: set[str] = set()  # failed attempts that passed later
        self.commands: set[str] = set()
        for call in calls:
            self.add(call)

    def add(self, call: Call) -> None:
        """Record the outcome of a call, if it has a result."""
        if call.answer is None:
            return
        args, words = call.args if isinstance(call.args, dict) else {}, words_of(call.name)
        command = "" if _SHELLS.isdisjoint(words) else without_cd(command_of(args))
        response = call.answer.message.parts[call.answer.part]["functionResponse"].get("response")
        text = "\n".join(strings_in(response))
        reason = failure(call.name, response, command, args)
        paths = dict(shell_files(command) if command else files_of(args, words))
        for act, proof in published(command, text):
            if proof or not reason:
                self._act(f"`{clip(act, ACTION)}`{f' → {proof}' if proof else ''}", call.place)
        if reason or self.failures:
            of_files = paths if reads_only(call.name) or "read" not in paths.values() else {}
            attempt = attempt_of(f"`{command}`") if command else str(of_files or (call.name, args))
            if reason:
                label = f"`{clip(command, 100)}`" if command else _described(call.name, args)
                self._fail(f"{_shortened(label, CALL)}: {_both_ends(reason)}", call.place, attempt)
                return
            steps = {*attempt.strip("`").split("; ")}
            self.passed |= {old for old in self.failures if steps.issuperset(old.strip("`").split("; "))}
        for path, state in paths.items():
            self._touch(path, state, call.place)
        if command:
            self.commands.add(clip(command.split("\n", 1)[0], 100))
            return
        switches = [words_of(key) for key, value in args.items() if str(value).lower() == "true"]
        trial = any(not _TRIAL.isdisjoint(words) for words in switches)
        if acts(call.name) and not paths and not trial:
            act = _described(call.name, args) + _outcome(args, response)
            if not act.endswith("()"):
                self._act(act, call.place)

    def read_back(self, kind: str, label: str, text: str, place: int) -> bool:
        """Add a line of an earlier ledger; return whether it is one."""
        if kind == "file":
            self._touch(text, label, place)
        elif kind == "done":
            self._act(text, place)
        elif kind == "failed":
            end = "`: " if "`: " in text else ": "
            what = text.partition(end)[0] + end[:-2]
            self._fail(text.removesuffix(PASSED), place, attempt_of(what))
            if text.endswith(PASSED):
                self.passed.add(attempt_of(what))
        else:
            return False
        return True

    def lines(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield kind, label, text and position of files, actions and failures, the latest last."""
        whole: dict[str, str] = {}  # the end of an absolute path, at least two steps → the path
        for path in self.files:
            steps = path.split("/") if path[:1] in "/~" else []
            whole |= {"/".join(steps[at:]): path for at in range(1, len(steps) - 1)}
        merged = Ledger()  # `src/a.py` is `/home/me/project/src/a.py` if both occur
        for path, (state, place) in sorted(self.files.items(), key=lambda item: item[1][1]):
            merged._touch(whole.get(path.removeprefix("./"), path), state, place)
        yield from (("file", state, path, place) for path, (state, place) in merged.files.items())
        yield from (("done", "", _shortened(text, ACTION), place) for text, place in self.actions.values())
        for attempt, (text, place) in self.failures.items():
            yield "failed", "", text + (PASSED if attempt in self.passed else ""), place

    def _touch(self, path: str, state: str, place: int) -> None:
        """Record that a file was read, written, created or deleted; a read does not hide a change."""
        before, _ = self.files.pop(path, ("", 0))
        self.files[path] = (before if before in _LASTING.get(state, ()) else state), place

    def _act(self, what: str, place: int) -> None:
        """Record an action; a later update of the same fields of the same thing replaces it."""
        thing, _, fields = what.partition(",")
        thing = thing + _VALUE.sub("", fields) if "update" in words_of(what.partition("(")[0]) else what
        self.actions.pop(thing, None)
        self.actions[thing] = what, place

    def _fail(self, text: str, place: int, attempt: str) -> None:
        """Record a failure; the last failure of an attempt counts, until it passes."""
        self.failures.pop(attempt, None)
        self.failures[attempt] = text, place
        self.passed.discard(attempt)


def _described(name: str, args: dict[str, Any]) -> str:
    """Describe a call by its name and arguments: ids and states first, paths and long ones last and cut."""
    plain = {key: text for key, value in args.items() if (text := _plain(value))}
    order = sorted(
        plain, key=lambda key: (not _IDENTIFYING.search(key), "/" in plain[key], len(plain[key]) > LONG)
    )
    return clip(f"{name}({', '.join(f'{key}={clip(plain[key], 60)}' for key in order)})", ACTION)


def _plain(value: Any) -> str:
    """A value as text; of a list or an object its values, joined."""
    if isinstance(value, (list, dict)):
        items = value.values() if isinstance(value, dict) else value
        return " ".join(filter(None, map(_plain, items)))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _outcome(args: dict[str, Any], response: Any) -> str:
    """The ids, numbers and states that an action returned."""
    value = result_value(response)
    value = value if isinstance(value, dict) else response  # the only field may be an id: `{"id": "B7"}`
    fields = [
        f"{key}={clip(str(item), 40)}"
        for key, item in (value.items() if isinstance(value, dict) else ())
        if isinstance(item, (str, int)) and _IDENTIFYING.search(key) and item not in args.values()
    ]
    return f" → {', '.join(fields[:4])}" if fields else ""


def _shortened(what: str, most: int) -> str:
    """Shorten a call, but keep the backticks of a command and the result of a call."""
    call, arrow, result = what.partition(" → ")
    command = call[:1] == call[-1:] == "`"
    short = f"`{clip(call[1:-1], most)}`" if command else clip(call, most)
    return f"{short}{arrow}{result}"


def _both_ends(reason: str) -> str:
    """Shorten a reason in its middle, because the important part is usually at an end."""
    if len(reason) <= REASON:
        return reason
    return f"{clip(reason, REASON // 2)} {reason[-REASON // 2 :].partition(' ')[2]}"
