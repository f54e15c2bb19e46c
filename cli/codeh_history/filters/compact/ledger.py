"""The outcome of calls as lines: files by their latest state, actions, failed commands."""

from __future__ import annotations

from ...summaries.calls import Effects
from ...summaries.prose import clip
from ...summaries.results import shows
from .lines import Line
from .summary import Entry

CALL, ACTION, REASON = 110, 80, 140  # characters of a failed call, of an action, of a failure
PASSED = " (passed later)"


def ledger(done: Effects) -> list[Line]:
    """Return files, actions and failures as lines, the latest last."""
    whole: dict[str, str] = {}  # how a whole path ends, from its second last step on → the path
    for path in done.files:
        steps = path.split("/") if path[:1] in "/~" else []
        whole |= {"/".join(steps[at:]): path for at in range(1, len(steps) - 1)}
    united = Effects()  # `src/a.py` is `/home/me/project/src/a.py` if both occur
    for path, (state, place) in sorted(done.files.items(), key=lambda item: item[1][1]):
        united.touch(whole.get(path.removeprefix("./"), path), state, place)
    lines = [_line("file", state, path, place) for path, (state, place) in united.files.items()]
    lines += [_line("done", "", _shortened(what, ACTION), place) for what, place in done.actions.values()]
    for attempt, (what, how, place) in done.failures.items():
        if len(how) > REASON:  # the reason usually stands at the end
            how = f"{clip(how, REASON // 2)} {how[-REASON // 2 :].partition(' ')[2]}"
        text = f"{_shortened(what, CALL)}: {how}{PASSED if attempt in done.mended else ''}"
        lines.append(_line("failed", "", text, place))
    return lines


def _line(kind: str, label: str, text: str, place: int) -> Line:
    return Line(kind, label, text, "", len(text) / 3 + 1, number=place)


def _shortened(what: str, most: int) -> str:
    """Shorten a call, but keep the backticks of a command and what a call returned."""
    if what[:1] == what[-1:] == "`":
        return f"`{clip(what[1:-1], most)}`"
    call, arrow, gave = what.partition(" → ")
    return f"{clip(call, most)}{arrow}{gave}"


def read_back(entry: Entry, done: Effects, place: int) -> bool:
    """Add a line of an earlier ledger to the outcome; return whether it is one."""
    text = entry.text
    if entry.kind == "file":
        done.touch(text, entry.label, place)
    elif entry.kind == "done":
        done.act(text, place)
    elif entry.kind == "failed":
        mark = "`: " if "`: " in text else ": "
        what, _, how = text.removesuffix(PASSED).partition(mark)
        done.fail(what + mark.removesuffix(": "), how, place, passed=text.endswith(PASSED))
    else:
        return False
    return True


def failing(text: str) -> tuple[bool, bool]:
    """Sort key of failures: those that still fail first, failed lookups last."""
    return shows(text.removeprefix("`")), text.endswith(PASSED)
