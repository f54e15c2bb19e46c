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
    Mutant(
        "a summary covers one that came after it", "view.py",
        "if id in known and known[id].place <= summary.place and id != summary.id",
        "if id in known and id != summary.id",
        ("test_fold.py::test_a_summary_covers_no_later_one",),
    ),
    Mutant(
        "an edit stands where it was begun, not where it was committed", "session.py",
        "            self.made[done].place = place\n",
        "            pass\n",
        ("test_fold.py::test_an_edit_is_undone_as_the_newest_where_it_was_committed",),
    ),
    Mutant(
        "a message keeps the blocks of an earlier line", "session.py",
        "        message.blocks = message.pending = message.update = None\n",
        "        message.pending = message.update = None\n",
        ("test_fold.py::test_a_message_that_was_a_ref_has_no_blocks_any_more",),
    ),
    Mutant(
        "half a unit is summarised", "summarizers/window.py",
        "    torn = _closed(torn, links) if torn else torn\n",
        "",
        ("summaries/test_window.py::test_a_unit_that_reaches_out_of_the_batch_stays_whole",),
    ),
    Mutant(
        "a fold forgets what is not live", "summarizers/window.py",
        "    return [*placed, *sorted(messages.difference(placed)), *absorbed]",
        "    return [*placed, *absorbed]",
        ("summaries/test_window.py::test_what_is_not_there_stays_covered",),
    ),
    Mutant(
        "summarize does not look at the newest exchange again", "talk/summarizing.py",
        "    return not any(message.id in work.seen for group in newest for message in group)",
        "    return True",
        ("summaries/test_races.py::test_the_newest_exchange_is_not_covered_though_it_was_not_the_newest_before",),
    ),
    Mutant(
        "summarize does not look at summaries again", "talk/summarizing.py",
        "    now |= {s.id: s.text for s in view.summaries if s.id in work.seen}\n",
        "    now |= {id: text for id, text in work.seen.items() if isinstance(text, str)}\n",
        ("summaries/test_races.py::test_a_summary_undone_meanwhile_is_not_folded",),
    ),
    Mutant(
        "gc takes an update of an id used twice for its own stream's", "talk/collecting.py",
        '            unclear |= {of} if used[data["id"]] > 1 else set()\n',
        "",
        ("blocks/test_collecting.py::test_which_deltas_go",),
    ),
]  # fmt: skip
