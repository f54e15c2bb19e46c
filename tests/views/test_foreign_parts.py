"""Parts in another program's blocks: found under its names for them, and none that would be a path."""

import orjson
import pytest

from codeh_history.base.errors import BadData
from codeh_history.views.foreign_parts import foreign_parts, place_of
from memory_store import MemoryStore

HELLO = {"type": "text", "text": "hello"}


class Foreign(MemoryStore):
    """A store that another program writes to."""

    def foreign(self, ids, heads):
        names = ((id, f"{head}{id}") for id in ids for head in heads)
        return {id: self.held[name] for id, name in names if name in self.held}


@pytest.mark.parametrize("name", ["block_1", "f:msg:block_1", "w:f:msg:block_1"])
def test_a_block_is_found_under_each_of_its_names(name):
    stores = [Foreign(), Foreign()]
    stores[1].held[name] = orjson.dumps(HELLO)
    place = place_of({"flowId": "f", "workspaceId": "w"})
    assert foreign_parts(stores, ["block_1", "block_1"], place) == {"block_1": {"text": "hello"}}


@pytest.mark.parametrize(("data", "why"), [(None, "is missing"), (b'{"type":"x"}', "holds no part")])
def test_what_cannot_be_read_is_named_or_noted(data, why):
    store = Foreign()
    if data is not None:
        store.held["b"] = data
    with pytest.raises(BadData, match=f"^block b {why}"):
        foreign_parts([store], ["b"], ("", ""))
    lost = {}
    assert foreign_parts([store], ["b"], ("", ""), lost) == {"b": {"text": "[block b is missing]"}}
    assert why in lost["b"]


@pytest.mark.parametrize(
    ("id", "place"), [("../x", ("", "")), ("b", ("a/b", "")), ("b", ("f", "../w")), ("", ("", ""))]
)
def test_no_name_leaves_the_store(id, place):
    with pytest.raises(BadData, match="no block id"):
        foreign_parts([Foreign()], [id], place)
