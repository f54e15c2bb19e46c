"""Parts in the block store and in other programs' blocks."""

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.session.records import block_of, dumps
from codeh_history.views.stored_parts import foreign_parts, hydrated, place_of, unfetched
from memory_store import MemoryStore
from strategies import view_of

PART = {name: {"text": name} for name in ("old", "new", "shown", "hidden", "gone", "cleared", "undone")}
ID = {name: block_of(part) for name, part in PART.items()}


class Counted(MemoryStore):
    """A store that keeps what it was asked for."""

    def __init__(self, *names):
        super().__init__()
        self.requests = []
        self.mset({ID[name]: dumps(PART[name]) for name in names})

    def mget(self, ids):
        self.requests.append(list(ids))
        return super().mget(ids)


def ref(id, *names):
    blocks = [ID[name] for name in names]
    return {"type": "ref", "id": id, "kind": "user", "role": "user", "flowId": "s", "blockIds": blocks}


LOG = [
    ref("z", "cleared"),
    {"type": "clear", "id": "x"},
    ref("a", "old", "shown"),
    ref("b", "hidden"),
    ref("c", "undone"),
    {"type": "revert", "id": "r", "of": "c"},
    {"type": "compaction", "id": "k", "ops": [
        {"op": "drop", "ids": ["b"], "why": "w"},
        {"op": "replace", "id": "a", "part": 0, "block": ID["old"], "blockId": ID["new"], "why": "w"},
    ]},
]  # fmt: skip


def test_only_shown_blocks_are_fetched_in_one_mget():
    store = Counted("new", "shown")
    view = hydrated(Env({}), view_of(LOG), stores=[store])
    assert [message.parts for message in view.messages] == [[PART["new"], PART["shown"]]]
    assert [sorted(ids) for ids in store.requests] == [sorted([ID["new"], ID["shown"]])]
    assert list(unfetched(view)) == []


def test_everything_includes_hidden_and_replaced_parts():
    names = {id: name for name, id in ID.items()}
    assert {names[id] for id in unfetched(view_of(LOG), everything=True)} == {
        "cleared", "old", "shown", "hidden", "new",
    }  # fmt: skip
    assert {names[id] for id in unfetched(view_of(LOG), {"b"}, everything=True)} == {"hidden"}
    assert list(unfetched(view_of(LOG), {"b"})) == []


def test_no_store_access_without_references():
    view = view_of([{"type": "message", "id": "a", "kind": "user", "role": "user", "parts": [PART["old"]]}])
    assert hydrated(Env({"CODEH_BLOCKS": "nowhere://"}), view) is view


def test_the_same_part_is_fetched_once():
    store = Counted("old")
    view = hydrated(Env({}), view_of([ref("a", "old", "old"), ref("b", "old")]), stores=[store])
    assert [message.parts for message in view.messages] == [[PART["old"]] * 2, [PART["old"]]]
    assert store.requests == [[ID["old"]]]


@pytest.mark.parametrize("data", [b"7", b"[]", b'"text"', b"{", b"\xff"])
def test_block_that_is_not_a_part_counts_as_missing(data):
    import hashlib

    id, store = hashlib.sha256(data).hexdigest(), Counted()
    store.mset({id: data})
    view = view_of([{**ref("a"), "blockIds": [id]}])
    with pytest.raises(BadData, match=rf"^block {id} in .* holds no part$"):
        hydrated(Env({}), view, stores=[store])
    lost = {}
    (message,) = hydrated(Env({}), view, stores=[store], lost=lost).messages
    assert message.parts == [{"text": f"[block {id} is missing]"}]
    assert "holds no part" in lost[id]


HELLO = {"type": "text", "text": "hello"}


@pytest.mark.parametrize("name", ["block_1", "f:msg:block_1", "w:f:msg:block_1"])
def test_block_is_found_under_each_of_its_names(name):
    stores = [MemoryStore(), MemoryStore()]
    stores[1].held[name] = orjson.dumps(HELLO)
    place = place_of({"flowId": "f", "workspaceId": "w"})
    assert foreign_parts(stores, ["block_1", "block_1"], place) == {"block_1": {"text": "hello"}}


@pytest.mark.parametrize(("data", "why"), [(None, "is missing"), (b'{"type":"x"}', "holds no part")])
def test_unreadable_blocks_are_named_or_noted(data, why):
    store = MemoryStore()
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
def test_block_names_cannot_leave_the_store(id, place):
    with pytest.raises(BadData, match="not a block id"):
        foreign_parts([MemoryStore()], [id], place)
