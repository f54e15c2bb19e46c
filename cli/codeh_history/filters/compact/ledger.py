"""What calls came to, as lines: files by their newest state, acts, commands that failed."""

from __future__ import annotations

from collections.abc import Mapping

from ...summaries.calls import Effects
from ...summaries.clipped import clip
from ...summaries.results import shows
from .lines import Line

LENGTH, DONE_LENGTH = 110, 80  # characters of a call that failed, and of one that changed something
HOW_LENGTH = 140  # and of how it failed
PASSED = " (passed later)"


def ledger(done: Effects) -> list[Line]:
    """Files, acts and failures as lines, the latest last."""
    lines = [_line("file", state, path, place) for path, (state, place) in _united(done.files).items()]
    lines += [
        _line("done", "", _shortened(what, DONE_LENGTH), place) for what, place in done.actions.values()
    ]
    for what, (how, place) in done.failures.items():
        text = f"{_shortened(what, LENGTH)}: {_ends(how)}{PASSED if what in done.mended else ''}"
        lines.append(_line("failed", "", text, place))
    return lines


def _line(kind: str, label: str, text: str, place: int) -> Line:
    return Line(kind, label, text, "", len(text) / 3 + 1, number=place)


def _united(files: Mapping[str, tuple[str, int]]) -> Mapping[str, tuple[str, int]]:
    """The same with `src/a.py` as the `/home/me/project/src/a.py` that it was called elsewhere."""
    whole: dict[str, str] = {}  # how a whole path ends, from its second last step on → the path
    for path in files:
        steps = path.split("/") if path[:1] in "/~" else []
        whole |= {"/".join(steps[at:]): path for at in range(1, len(steps) - 1)}
    united = Effects()
    for path, (state, place) in sorted(files.items(), key=lambda item: item[1][1]):
        united.touch(whole.get(path.removeprefix("./"), path), state, place)
    return united.files


def _shortened(what: str, most: int) -> str:
    """A call, shortened; a command stays in its marks, and what a call gave back beside it."""
    if what[:1] == what[-1:] == "`":
        return f"`{clip(what[1:-1], most)}`"
    call, arrow, gave = what.partition(" → ")
    return f"{clip(call, most)}{arrow}{gave}"


def _ends(how: str) -> str:
    """How something failed; of what is long the beginning and the end, where the reason stands."""
    if len(how) <= HOW_LENGTH:
        return how
    return f"{clip(how, HOW_LENGTH // 2)} {how[-HOW_LENGTH // 2 :].partition(' ')[2]}"


def failed_before(text: str, done: Effects, place: int) -> None:
    """Take in a line of an earlier ledger about a call that failed."""
    mark = "`: " if "`: " in text else ": "
    what, _, how = text.removesuffix(PASSED).partition(mark)
    done.fail(what + mark.removesuffix(": "), how, place, passed=text.endswith(PASSED))


def failing(text: str) -> tuple[bool, bool]:
    """In which order failures come: what still fails first, what only looked last."""
    return shows(text.removeprefix("`")), text.endswith(PASSED)
