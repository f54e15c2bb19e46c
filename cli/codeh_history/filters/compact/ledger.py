"""What calls came to, as lines: files by their newest state, acts, commands that failed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from ...summaries.calls import Effects
from ...summaries.clipped import clip
from ...summaries.results import shows
from .lines import Line

LENGTH = 110  # characters of a call that failed
DONE_LENGTH = 80  # and of one that changed something
HOW_LENGTH = 140  # and of how it failed
PASSED = " (passed later)"


def ledger(done: Effects) -> list[Line]:
    """Files, acts and failures as lines, the latest last."""
    found = [_line("file", state, path, place) for path, (state, place) in _united(done.files).items()]
    found += [_line("done", "", _shortened(what, DONE_LENGTH), place) for what, place in done.actions]
    for what, (how, place) in done.failures.items():
        text = f"{_shortened(what)}: {_ends(how)}{PASSED if what in done.mended else ''}"
        found.append(_line("failed", "", text, place))
    return found


def _line(kind: str, label: str, text: str, place: int) -> Line:
    return Line(kind, label, text, "", len(text) / 3 + 1, number=place)


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
    """Take in what a line of an earlier ledger tells of a call that failed."""
    mark = "`: " if "`: " in text else ": "
    what, _, how = text.removesuffix(PASSED).partition(mark)
    done.fail(what + mark.removesuffix(": "), how, place, passed=text.endswith(PASSED))


def failing(text: str) -> tuple[bool, bool]:
    """In which order failures are told: what fails still comes first, what only looked comes last."""
    return shows(text.removeprefix("`")), text.endswith(PASSED)
