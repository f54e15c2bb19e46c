"""What calls came to, as lines of a ledger: files by their newest state, acts, commands that failed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from ...summaries.calls import Effects
from ...summaries.clipped import clip
from ...summaries.results import shows
from .line import Line

LENGTH = 110  # characters of a call that failed
DONE_LENGTH = 80  # and of one that changed something
HOW_LENGTH = 140  # and of how it failed
TOGETHER = 3  # commands that failed alike, told in one line
ALIKE = "`, `"  # between their commands
PASSED = " (passed later)"
GENERIC = 12  # characters of how something failed that many things may have in common: `exit 1`


def ledger(done: Effects) -> list[Line]:
    """Files, acts and failures as lines, the latest last."""
    found = [
        Line(path, "ledger", place, label=state, topic="file")
        for path, (state, place) in _united(done.files).items()
    ]
    found += [
        Line(_shortened(what, DONE_LENGTH), "ledger", place, topic="done") for what, place in done.actions
    ]
    alike: dict[tuple[str, bool, bool], list[str]] = {}
    for what, (how, _) in done.failures.items():
        alike.setdefault(_kind(what, how, done), []).append(what)
    for what, (how, place) in done.failures.items():
        same = alike[_kind(what, how, done)]
        if same[-1] == what or len(how) < GENERIC:
            some = same[-TOGETHER:] if what[:1] == "`" and len(how) >= GENERIC else [what]
            whats = ", ".join([_shortened(one, LENGTH // len(some)) for one in some])
            said = f"{whats}: {_ends(how)}{PASSED if what in done.mended else ''}"
            found.append(Line(said, "ledger", place, topic="failed"))
    return found


def _kind(what: str, how: str, done: Effects) -> tuple[str, bool, bool]:
    """What calls that failed alike have in common: how, and of commands whether they passed since."""
    command = what[:1] == "`"
    return how, command, command and what in done.mended


def _united(files: Mapping[str, tuple[str, int]]) -> Mapping[str, tuple[str, int]]:
    """The same with `src/a.py` told as the `/home/me/project/src/a.py` that it was called elsewhere."""
    whole = sorted(path[::-1] for path in files if path[:1] in "/~")
    if not whole or len(whole) == len(files):
        return files
    united = Effects()
    for path, (state, place) in sorted(files.items(), key=lambda item: item[1][1]):
        united.touch(path if path[:1] in "/~" else _among(whole, path) or path, state, place)
    return united.files


def _among(whole: list[str], path: str) -> str:
    """The one of these paths, written backwards and sorted, that ends so; "" for a name alone."""
    end = f"{path.removeprefix('./')[::-1]}/"
    at = bisect_left(whole, end)
    return whole[at][::-1] if end.count("/") > 1 and at < len(whole) and whole[at].startswith(end) else ""


def _shortened(what: str, most: int = LENGTH) -> str:
    """A call, shortened; a command stays in its marks, and what a call gave back beside it."""
    if what[:1] == what[-1:] == "`":
        return f"`{clip(what[1:-1], most)}`"
    call, arrow, gave = what.partition(" → ")
    return f"{clip(call, most)}{arrow}{gave}"


def _ends(how: str) -> str:
    """How something failed; of what is long the beginning and the end, where the reason stands."""
    if len(how) <= HOW_LENGTH:
        return how
    head = clip(how, HOW_LENGTH // 2)
    return f"{head} {how[-HOW_LENGTH // 2 :].partition(' ')[2]}"


def failed_before(text: str, done: Effects, place: int) -> None:
    """Take in what a line of an earlier ledger tells of calls that failed."""
    mark = "`: " if "`: " in text else ": "
    whats, _, how = text.removesuffix(PASSED).partition(mark)
    whats += mark.removesuffix(": ")
    for what in whats.replace(ALIKE, "`\n`").split("\n"):
        done.fail(what, how, place, passed=text.endswith(PASSED))


def failing(line: Line) -> tuple[bool, bool]:
    """In which order failures are told: what fails still comes first, what only looked comes last."""
    return shows(line.text.removeprefix("`")), line.text.endswith(PASSED)
