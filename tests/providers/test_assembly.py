"""Streamed answers are put together by index."""

from codeh_history.providers.assembly import Assembly, grown


def test_texts_grow_by_item_and_field_until_the_item_has_come_as_a_whole():
    assembly = Assembly()
    for index, field, piece in ((2, "text", "a"), (0, "text", "b"), (2, "other", "c"), (2, "text", "d")):
        assembly.append(index, field, piece)
    assembly.items[5] = {}
    assert assembly.indexes() == [0, 2, 5]
    assert assembly.texts(2) == {"text": "ad", "other": "c"}
    assembly.forget(2)
    assert (assembly.texts(2), assembly.indexes()) == ({}, [0, 5])


def test_an_object_grows_by_its_deltas():
    before = {"role": "a", "text": "x", "held": {"n": 1}, "list": [{"index": 0, "text": "p"}, 7], "kept": 1}
    delta = {
        "role": "a",
        "text": "y",
        "held": {"m": "2"},
        "list": [{"index": 0, "text": "q"}, 8],
        "kept": None,
    }
    assert grown(before, delta) == {
        "role": "a", "text": "xy", "held": {"n": 1, "m": "2"}, "list": [{"index": 0, "text": "pq"}, 7, 8], "kept": 1,
    }  # fmt: skip
