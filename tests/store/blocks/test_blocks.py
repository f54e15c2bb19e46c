"""Blocks from several stores: each from the first that has it unaltered; a missing one is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocks.stored import ONE, TWO, block
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput
from codeh_history.store.blocks import copy_missing, fetch, open_stores, sizes
from codeh_history.store.blocks.protocol import batches
from memory_store import MemoryStore

THREE = block(b'{"text":"three"}')
NONE = block(b"never stored")[0]


def store(*held, name="memory"):
    made = MemoryStore()
    made.name = made.place = name
    made.mset(dict(held))
    made.trips.clear()
    return made


class Down(MemoryStore):
    """A store that is not there."""

    name = place = "down"

    def mget(self, ids):
        raise InputOutput("down: away")


def test_each_comes_from_the_first_that_has_it_with_one_look_a_store():
    first, second, third = store(ONE), store(ONE, TWO), store(ONE, TWO)
    assert fetch([first, second, third], [TWO[0], ONE[0], ONE[0]]) == dict([ONE, TWO])
    assert [each.trips for each in (first, second, third)] == [["mget"], ["mget"], []]
    assert fetch([first], []) == {}
    assert len(first.trips) == 1


def test_an_altered_block_is_as_good_as_none():
    spoiled = store((ONE[0], b"altered"), name="here")
    assert fetch([spoiled, store(ONE)], [ONE[0]]) == dict([ONE])
    with pytest.raises(BadData, match=rf"^block {ONE[0]} in here is altered: restore it"):
        fetch([spoiled, store()], [ONE[0]])
    lost = {}
    assert fetch([spoiled], [ONE[0], NONE], lost) == {}
    assert lost[ONE[0]] == f"block {ONE[0]} in here is altered"
    assert lost[NONE] == f"block {NONE} is missing from here"


def test_a_store_that_fails_is_an_error_only_where_the_others_do_not_have_it_all():
    assert fetch([Down(), store(ONE)], [ONE[0]]) == dict([ONE])
    with pytest.raises(InputOutput, match=r"down: away"):
        fetch([Down(), store(ONE)], [ONE[0], TWO[0]])


def test_sizes_are_those_of_whichever_store_has_it():
    assert sizes([store(ONE), store(ONE, TWO)], [ONE[0], TWO[0], NONE]) == {
        id: len(data) for id, data in (ONE, TWO)
    }


def test_the_first_store_gets_what_it_lacks_and_what_none_has_is_named():
    first, second = store(ONE), store(ONE, TWO, THREE)
    assert copy_missing([first, second], [ONE[0], TWO[0]]) == 1
    assert first.held == dict([ONE, TWO])
    with pytest.raises(BadData, match=rf"block {NONE} is missing"):
        copy_missing([first, second], [NONE, THREE[0]])
    assert THREE[0] not in first.held
    lost = {}
    copy_missing([first, second], [NONE, THREE[0]], lost)
    assert THREE[0] in first.held
    assert list(lost) == [NONE]


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=9))
def test_batches_keep_all_ids_in_order_within_the_limit(sizes):
    groups = list(batches(sizes, 10))
    assert [id for batch in groups for id in batch] == list(sizes)
    for batch, following in zip(groups, [*groups[1:], None], strict=False):
        assert batch
        total = sum(sizes[id] for id in batch)
        assert total <= 10
        if following:
            assert total + sizes[following[0]] > 10


def test_reads_look_in_the_store_that_is_named_then_at_home():
    places = [each.name for each in open_stores(Env({"CODEH_HOME": "/h", "CODEH_BLOCKS": "/b"}))]
    assert places == ["/b", "/h/blocks"]
    (alone,) = open_stores(Env({"CODEH_HOME": "/h"}))
    assert (alone.name, alone.shared) == ("/h/blocks", False)
    for url in ("file:///h/blocks", "dir:/h/blocks"):
        (same,) = open_stores(Env({"CODEH_HOME": "/h", "CODEH_BLOCKS": url}))
        assert same.name == "/h/blocks"
