"""The built-in writer: an outline of what there is, in its room, and words for nothing."""

from __future__ import annotations

from codeh_history.summaries import outline
from codeh_history.summaries.window import Batch
from codeh_history.summaries.writer import Outline
from talks import talk, view


def test_a_batch_is_outlined_in_the_room_that_its_size_gives() -> None:
    messages = view(talk(12)).messages
    made = Outline().of_batch(Batch(messages, 12, None, None))
    assert made.text == outline.outline(messages, outline.room(outline.size(messages)))
    assert "12" in made.text
    assert made.shortened is None


def test_summaries_are_folded_and_where_nothing_is_in_them_it_is_said_how_many_they_were() -> None:
    texts = ["Preferences:\n- Always use tabs.", "Preferences:\n- Never push on Fridays."]
    folded = Outline().of_summaries(texts, 7)
    assert "tabs" in folded
    assert "Fridays" in folded
    assert Outline().of_summaries(["", " "], 7) == "7 earlier exchanges."
    Outline().stop()
    assert Outline().of_summaries(texts, 7) == folded
