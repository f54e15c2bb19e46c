"""The built-in writer: an extract of what there is, in its room, and words for nothing."""

from functools import partial

from codeh_history.commands.summarize import outlined
from codeh_history.session.model import Summary
from codeh_history.summaries.window import Batch
from codeh_history.summaries.writer import Outline
from codeh_history.tokens import open_counter
from talks import talk, view

COUNTER = open_counter("approx")
OUTLINE = Outline(partial(outlined, COUNTER), COUNTER)


def summary(text, **fields):
    return Summary(fields={"id": "S", "summary": text, **fields}, place=0, raw=None)


def test_a_batch_is_told_in_lines_in_the_room_that_its_size_gives():
    messages = view(talk(40)).messages
    made = OUTLINE.write(Batch(messages, 40, None, None))
    assert 0 < COUNTER.counts([made.text])[0] <= 150
    assert made.shortened is None
    ids = {message.id for message in messages}
    assert made.lines
    assert all(text in made.text and id in ids for _, text, id in made.lines)


def test_what_has_no_room_for_a_line_is_told_by_its_beginning():
    messages = view(talk(1)).messages
    made = Outline(lambda *_: {"summary": "", "lines": []}, COUNTER).write(Batch(messages, 1, None, None))
    assert made == (f"1 exchanges, beginning with: {messages[0].parts[0]['text']}", None, None)
    assert OUTLINE.write(Batch([], 2, None, None)).text == "2 exchanges without text."


def test_summaries_are_folded_by_their_lines_and_those_without_line_by_line():
    ours = summary("Rules:\n- Always use tabs.", lines=[["rule", "Always use tabs.", "m1"]])
    theirs = summary("Rules:\n- Never push on Fridays.")
    folded = OUTLINE.write(Batch((), 7, None, None, summaries=[ours, theirs]))
    assert folded.text == "Rules:\n- Always use tabs.\nEarlier summary:\n  Rules:\n- Never push on Fridays."
    assert folded.lines == [
        ["rule", "Always use tabs.", "m1"], ["earlier", "Rules:", "S"], ["earlier", "- Never push on Fridays.", "S"],
    ]  # fmt: skip
    assert (
        OUTLINE.write(Batch((), 7, None, None, summaries=[summary(""), summary(" ")])).text
        == "7 earlier exchanges."
    )
