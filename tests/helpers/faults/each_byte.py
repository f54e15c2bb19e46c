"""Interrupt a write after each byte."""

from faults.profiles import by_profile
from faults.runner import Fault

PLACES = by_profile(6, 25, 1 << 30)  # in a line that is appended


IN_FILES = by_profile(6, 25, 400)  # in a file that is written anew


def cuts(subject, *, deadly):
    """Limits from 0 to the number of bytes written, for each file."""
    start = 0 if subject.scenario.replaces else len(subject.before)
    end = max(len(subject.before), len(subject.after), *map(len_of, subject.home.rglob("*")))
    step = max(1, (end - start) // (IN_FILES if subject.scenario.replaces else PLACES))
    for limit in sorted({*range(start, end + 1, step), start + 1, end - 1}):
        yield Fault(limit=limit, deadly=deadly)


def len_of(path):
    return path.stat().st_size if path.is_file() else 0
