"""What later turns come back to is still there; the measure itself counts names in content, and no lists of them."""

import sys

import pytest

from codeh_history.filters.compact import Settings, compact
from codeh_history.session.ops import apply
from length import not_short
from support import ROOT, corpus

sys.path.insert(0, str(ROOT / "tests" / "bench"))

import compaction_chat as chat
import compaction_histories as histories
import compaction_recall as measure

CODE = "  this.onPreview = onPreview;"


@pytest.mark.parametrize(("text", "found"), [
    ("read src/app/main.ts, then ../README.md.", {"src/app/main.ts", "../README.md"}),
    ("theme.ts and process.env.HOME", {"theme.ts", "process.env.HOME"}),
    ("call load_theme or loadTheme or LoadTheme()", {"load_theme", "loadTheme", "LoadTheme"}),
    ("API_KEY=x in HTTP", {"API_KEY", "HTTP"}),
    ("port 8080, 3.14 and 12", {"8080", "3.14"}),
    ("commit 89b8ae9, user mia_li_3668, flight HAT136", {"89b8ae9", "mia_li_3668", "HAT136"}),
    ("Read it and/or write it. A well-known word: Perfect!", set()),
])  # fmt: skip
def test_names(text, found):
    assert measure.names(text) == found


def test_a_path_lets_a_reader_find_its_file():
    assert {"src/app/main.ts", "app/main.ts", "main.ts"} <= measure.held("see src/app/main.ts")


@pytest.mark.parametrize(("line", "bare"), [
    ("src/a.ts src/b.ts src/c.ts", True), ("- load_theme, loadTheme", True), ("files: a.ts b.ts c.ts d.ts e.ts", True),
    ("src/a.ts", True), (CODE, False), ("the theme is in theme.ts", False), ('"mdHeading": "#f0c674",', False),
    ("src/a.ts:12: error", False), ("no names in here", False), ("", False),
])  # fmt: skip
def test_a_list_of_names_is_no_content(line, bare):
    assert measure.is_bare(line) == bare


def said(role, *parts):
    return {"role": role, "parts": list(parts)}


def test_recall_by_hand():
    output = {
        "functionResponse": {"id": "c", "name": "read", "response": {"output": "later_only and old_c"}}
    }
    before = [said("user", {"text": "old_a = 1\nold_b = 2\nold_c = 3\nold_d = 4"})]
    later = [said("model", {"text": "old_a, old_b, new_x"}), said("user", output)]
    spoken = measure.wanted(before, later, said=True)
    assert spoken == {"old_a", "old_b"}
    assert measure.wanted(before, later, said=False) == {"old_a", "old_b", "old_c"}
    assert measure.recall(spoken, before) == 1.0
    assert (
        measure.recall(spoken, [said("user", {"text": "old_a = 1\nold_b"})]) == 0.5
    )  # a list does not count
    assert measure.recall(spoken, []) == 0.0


def test_every_recorded_history_is_one_that_all_providers_take():
    corpus()
    for name, contents in histories.sessions().items():
        for case in histories.cut(name, contents):
            assert chat.refused(case.contents) == {}, case.name


def test_no_answer_without_its_call_is_taken():
    answer = {"functionResponse": {"id": "c", "name": "f", "response": {"output": "x"}}}
    assert chat.refused([said("user", answer)]).keys() == set(chat.SHAPES)


@not_short
def test_later_turns_find_what_they_come_back_to():
    """Names in sentences: 0.80 at a quarter of the size, 0.50 at a tenth, in a real coding session, cut at four places."""
    corpus()
    found = {0.25: [], 0.10: []}
    for case in histories.cut("coding", histories.sessions()["coding"]):
        names = measure.wanted(case.contents, case.later, said=True)
        assert len(names) >= 100
        for share, recalls in found.items():
            budget = int(case.size * share)
            after = apply(case.view, compact(case.view, Settings(budget=budget), histories.counter()).ops)
            assert histories.size_of(after) <= budget
            smaller = histories.contents_of(after)
            assert chat.refused(smaller) == {}
            recalls.append(measure.recall(names, smaller))
    means = [sum(recalls) / len(recalls) for recalls in found.values()]
    assert means[0] >= 0.80
    assert means[1] >= 0.50
