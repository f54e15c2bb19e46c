"""What `summarize` shares with compaction: what is due by tokens, and the built-in outline."""

from functools import partial

import pytest

from codeh_history.filters.compact import outline as outlines
from codeh_history.filters.compact.outline import due_over
from codeh_history.filters.compact.plan import LOW
from codeh_history.session.model import Summary
from codeh_history.summaries.store import tokens as size
from codeh_history.summaries.window import Batch
from codeh_history.tokens.counter import open_counter
from compact.short import questions, working
from histories import model, session, user
from summarizing import digest
from summarizing import session as stored
from support import lines, run
from talks import talk, view

COUNTER = open_counter("approx")
outline = partial(outlines.outline, COUNTER)


def summary(text, **fields):
    return Summary(fields={"id": "S", "summary": text, **fields}, place=0, raw=None)


def test_a_batch_is_told_in_lines_in_the_room_that_its_size_gives():
    messages = view(talk(40)).messages
    made = outline(Batch(messages, 40, None, None))
    assert 0 < COUNTER.counts([made["summary"]])[0] <= 150
    ids = {message.id for message in messages}
    assert made["lines"]
    assert all(text in made["summary"] and id in ids for _, text, id in made["lines"])


def test_what_has_no_room_for_a_line_is_told_by_its_beginning(monkeypatch):
    messages = view(talk(1)).messages
    monkeypatch.setattr(outlines, "extract", lambda *_: {"summary": "", "lines": []})
    made = outline(Batch(messages, 1, None, None))
    assert made["summary"] == f"1 exchange, beginning with: {messages[0].parts[0]['text']}"
    assert outline(Batch([], 2, None, None))["summary"] == "2 exchanges without text."


def test_summaries_are_folded_by_their_lines_and_those_without_line_by_line():
    ours = summary("Rules:\n- Always use tabs.", lines=[["rule", "Always use tabs.", "m1"]])
    theirs = summary("Rules:\n- Never push on Fridays.")
    folded = outline(Batch((), 7, None, None, summaries=[ours, theirs]))
    assert (
        folded["summary"]
        == "Rules:\n- Always use tabs.\nEarlier summary:\n  Rules:\n- Never push on Fridays."
    )
    assert folded["lines"] == [
        ["rule", "Always use tabs.", "m1"], ["earlier", "Rules:", "S"], ["earlier", "- Never push on Fridays.", "S"],
    ]  # fmt: skip
    assert (
        outline(Batch((), 7, None, None, summaries=[summary(""), summary(" ")]))["summary"]
        == "7 earlier exchanges."
    )


# -- due by tokens --------------------------------------------------------------------------------


def test_the_oldest_exchanges_go_until_little_enough_is_left():
    view = session([*questions(30, 40)])
    whole = size(view, COUNTER)
    assert due_over(view, whole, COUNTER) is None
    batch = due_over(view, whole - 1, COUNTER)
    assert batch is not None
    assert batch.ids == [f"m{n}" for n in range(len(batch.ids))]
    assert batch.count * 2 == len(batch.ids)
    gone = set(batch.ids)
    left = size(view.with_messages([m for m in view.messages if m.id not in gone]), COUNTER)
    assert left <= whole * LOW
    assert left > whole * LOW - 200


def test_inside_one_long_exchange_whole_units_go():
    work = working(40)
    pinned = {**user("Keep this in mind."), "pinned": True}
    view = session([user("Do it all."), *work[:20], pinned, *work[20:], model("Nearly done.")])
    batch = due_over(view, size(view, COUNTER) // 2, COUNTER)
    assert batch is not None
    gone = set(batch.ids)
    assert view.messages[21].id not in gone  # the pinned prompt
    assert view.messages[-1].id not in gone
    parts = [part for m in batch.messages for part in m.parts]
    calls, results = (
        [part[kind]["id"] for part in parts if kind in part]
        for kind in ("functionCall", "functionResponse")
    )
    assert calls == results


def test_the_verb_stores_it_and_says_why_nothing_is_due(home):
    path = stored(home, "demo", 12)
    before = digest(path)
    how = ("summarize", "demo", "-i", "--counter", "approx")
    done = run(*how, "--due-over", "100k")
    assert (done.code, done.out) == (0, b"")
    assert "tokens, and only more than 100,000 are summarised; nothing to undo" in done.err.decode()
    assert digest(path) == before
    via = f"cat > {home}/prompt; echo 'The user asked short questions.'"
    done = run(*how, "--due-over", "300", "--via", via)
    assert done.code == 0, done.err
    assert lines(path)[-1]["summary"] == "The user asked short questions."
    assert done.lines[0]["after"] < done.lines[0]["before"]
    assert run(*how, "--due-over", "300").out == b""
    assert run("undo", "demo").code == 0
    (line,) = run("summarize", "--all", "--counter", "approx", "--due-over", "300").lines
    assert line["session"] == "demo"


@pytest.mark.parametrize(
    "argv", [("--due-over", "0"), ("--due-over", "many"), ("--due-over", "1k", "--emit")]
)
def test_wrong_use(home, argv):
    stored(home, "demo", 2)
    assert run("summarize", "demo", *argv).code == 2
