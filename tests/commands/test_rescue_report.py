"""What a rescue says in some ten lines: what was broken, mended, let go, and the command that goes on."""

import pytest

from codeh_history.commands.rescue.report import lines

TOLD = {
    "session": "s", "program": "codex", "ok": True, "problems": [], "mended": {}, "model": None, "window": None, "budget": None, "compacted": False, "there": None,
    "messages": {"before": 4, "after": 4, "kept": 4, "shortened": 0, "summarised": 0, "dropped": 0},
    "tokens": {"counter": "approx", "before": 1234, "after": 1234}, "let_go": {}, "summary": 0, "left": {}, "not_written": {},
    "written": None, "place": None, "resume": None,
}  # fmt: skip


def told(**more):
    first, *rest = lines({**TOLD, **more})
    found = {"first": first}
    label = ""
    for line in rest:
        label = line[:9].strip() or label
        found[label] = f"{found[label]}|{line[10:]}" if label in found else line[10:]
    return found


def problems(*found):
    return [{"line": line, "reason": reason} for line, reason in found]


def test_of_a_session_in_order_it_says_that_nothing_is_wrong():
    assert told() == {
        "first": "codex s: 4 messages, 1,234 tokens by approx", "broken": "nothing", "messages": "4 → 4: 4 kept",
        "tokens": "1,234 → 1,234; no model is named in it: compacted only with --budget N",
        "written": "nothing: nothing to fix (--output or --install writes it anyway)",
    }  # fmt: skip
    assert told(program=None, model="m")["first"] == "session s: 4 messages, 1,234 tokens by approx, m"
    assert "the window of m is not known" in told(model="m")["tokens"]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([(3, "torn")], "line 3: torn"), ([(3, "torn"), (5, "torn")], "lines 3, 5: torn"), ([(0, "no head")], "no head"),
        ([(n, "torn") for n in range(1, 7)], "lines 1, 2, 3 and 3 more: torn"), ([(1, "a"), (2, "b"), (3, "c")], "line 1: a|line 2: b|line 3: c"),
        ([(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "d")], "line 1: a|line 2: b|and 3 more (`codeh-history verify FILE` names all)"),
    ],
    ids=["one", "twice", "all of it", "many lines", "three kinds", "more kinds"],
)  # fmt: skip
def test_what_is_broken_is_told_by_kind_with_its_first_lines(found, said):
    assert told(ok=False, problems=problems(*found))["broken"] == said


def test_what_was_done_about_it_is_counted():
    assert (
        told(ok=False, mended={"a result moved": 1, "a call answered": 1200})["mended"]
        == "a result moved; a call answered (1,200)"
    )


def test_what_was_let_go_is_told_largest_first_and_what_stands_for_it():
    gone = {"texts": {"parts": 1, "tokens": 10}, "results": {"parts": 1500, "tokens": 90_000}}
    found = told(
        compacted=True,
        let_go=gone,
        summary=800,
        not_written={"thought": 3, "image": 2},
        budget=1000,
        window=200_000,
    )
    assert (
        found["removed"]
        == "1,500 results (90,000 tokens), 1 text (10 tokens), 2 images; a summary of 800 tokens stands for them"
    )
    assert found["tokens"] == "1,234 → 1,234, at most 1,000 of a window of 200,000"
    assert found["written"] == "nothing yet (--output FILE or --install writes it)"


def test_where_it_went_and_how_to_go_on():
    found = told(written="/f", place="/p", resume="prog -r ID")
    assert (found["written"], found["put it at"], found["resume"]) == ("/f", "/p", "prog -r ID")
    assert "written" not in told(place="/p", resume="r")
    counts = {"before": 9, "after": 4, "kept": 3, "shortened": 1, "summarised": 5, "dropped": 0}
    assert told(messages=counts)["messages"] == "9 → 4: 3 kept, 1 shortened, 5 summarised"
