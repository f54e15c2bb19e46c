"""The faults: in which file, which line, what becomes of it, and the tests that must fail."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """A fault: `line` stands once in `file` (of the package), and is replaced by `fault`."""

    name: str
    file: str
    line: str
    fault: str
    tests: tuple[str, ...]


MUTANTS = [
    Mutant(
        "summarize does not look at pins again", "talk/summarizing.py",
        "return own, message.replaced, message.pinned, message.pending is not None",
        "return own, message.replaced, False, message.pending is not None",
        ("summaries/test_races.py::test_a_message_changed_in_how_it_stands_is_seen",),
    ),
    Mutant(
        "summarize does not look at pending again", "talk/summarizing.py",
        "return own, message.replaced, message.pinned, message.pending is not None",
        "return own, message.replaced, message.pinned, False",
        ("summaries/test_races.py::test_a_message_changed_in_how_it_stands_is_seen",),
    ),
    Mutant(
        "summarize does not look at replaced parts again", "talk/summarizing.py",
        "return own, message.replaced, message.pinned, message.pending is not None",
        "return own, None, message.pinned, message.pending is not None",
        ("summaries/test_races.py::test_a_message_changed_in_how_it_stands_is_seen",),
    ),
    Mutant(
        "aborted stays after a commit", "session.py",
        '        message.fields.pop("aborted", None)\n',
        "",
        ("test_fold.py::test_a_commit_ends_an_abort",),
    ),
    Mutant(
        "clear leaves summaries shown", "session.py",
        "        self.summaries = [s for s in self.summaries if s.place > self.barrier]\n",
        "",
        ("test_fold.py::test_a_clear_hides_summaries_and_compactions_before_it",),
    ),
    Mutant(
        "the temporary file is unlocked before it is published", "store/replace.py",
        "            os.replace(temporary, path)\n",
        "            fcntl.flock(fd, fcntl.LOCK_UN)\n            os.replace(temporary, path)\n",
        ("test_store.py::test_the_new_file_is_locked_until_all_is_done",),
    ),
]  # fmt: skip
