"""The outcome of calls as lines: files by their latest state, actions, failed commands."""

from __future__ import annotations

from collections.abc import Mapping

from ...summaries.calls import Effects
from ...summaries.clipped import clip
from ...summaries.results import shows
from .lines import Line

LENGTH, DONE_LENGTH = 110, 80  # characters of a failed call, and of an action
HOW_LENGTH = 140  # characters of a failure
PASSED = " (passed later)"


def ledger(done: Effects) -> list[Line]:
    """Return files, actions and failures as lines, the latest last."""
    lines = [_line("file", state, path, place) for path, (state, place) in _united(done.files).items()]
    lines += [
        _line("done", "", _shortened(what, DONE_LENGTH), place) for what, place in done.actions.values()
    ]
    for attempt, (what, how, place) in done.failures.items():
        text = f"{_shortened(what, LENGTH)}: {_ends(how)}{PASSED if attempt in done.mended else ''}"
        lines.append(_line("failed", "", text, place))
    return lines


def _line(kind: str, label: str, text: str, place: int) -> Line:
    return Line(kind, label, text, "", len(text) / 3 + 1, number=place)


def _united(files: Mapping[str, tuple[str, int]]) -> Mapping[str, tuple[str, int]]:
    """Merge `src/a.py` into `/home/me/project/src/a.py` if both occur."""
    whole: dict[str, str] = {}  # how a whole path ends, from its second last step on → the path
    for path in files:
        steps = path.split("/") if path[:1] in "/~" else []
        whole |= {"/".join(steps[at:]): path for at in range(1, len(steps) - 1)}
    united = Effects()
    for path, (state, place) in sorted(files.items(), key=lambda item: item[1][1]):
        united.touch(whole.get(path.removeprefix("./"), path), state, place)
    return united.files


def _shortened(what: str, most: int) -> str:
    """Shorten a call, but keep the backticks of a command and what a call returned."""
    if what[:1] == what[-1:] == "`":
        return f"`{clip(what[1:-1], most)}`"
    call, arrow, gave = what.partition(" → ")
    return f"{clip(call, most)}{arrow}{gave}"


def _ends(how: str) -> str:
    """Shorten a long failure to its beginning and its end, where the reason usually is."""
    if len(how) <= HOW_LENGTH:
        return how
    return f"{clip(how, HOW_LENGTH // 2)} {how[-HOW_LENGTH // 2 :].partition(' ')[2]}"


def failed_before(text: str, done: Effects, place: int) -> None:
    """Add a failure from an earlier ledger."""
    mark = "`: " if "`: " in text else ": "
    what, _, how = text.removesuffix(PASSED).partition(mark)
    done.fail(what + mark.removesuffix(": "), how, place, passed=text.endswith(PASSED))


def failing(text: str) -> tuple[bool, bool]:
    """Sort key of failures: those that still fail first, failed lookups last."""
    return shows(text.removeprefix("`")), text.endswith(PASSED)
