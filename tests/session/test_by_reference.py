"""The laws of content by reference, over random sessions: nothing that a reader sees hangs on it."""

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.session import by_reference
from codeh_history.session.fold import fold
from codeh_history.session.records import block_of, dumps, lines_of, parse
from codeh_history.store import foreign
from codeh_history.store.blocks import fetch
from codeh_history.views import rewrite
from codeh_history.views.persist import Hydration, Persisting
from codeh_history.views.stored_parts import hydrated, unfetched
from folding import w
from helpers.memory_store import MemoryStore
from plain_logs import contents as format_shown_by
from plain_logs import streamed

ENV = Env({"CODEH_HOME": "/nonexistent"})

EDITED_WHILE_STREAMING = (
    w()
    .add(type="session", version=1, id="s", created=some.TS)
    .a("a", "x")
    .u("b", "a", "a text that is stored")
    .d("a", " and its end")
    .bytes()
)


TEXTS_OF_A_DELTA = (
    w()
    .add(type="session", version=1, id="s", created=some.TS)
    .add(type="open", id="a", kind="codeh", role="model")
    .add(type="delta", of="a", parts=[{"text": "a text that is stored"}, {"text": " and its end, too"}])
    .add(type="commit", of="a")
    .bytes()
)


class Small(Persisting):
    """Into a store at hand; parts above 20 bytes are large, so that random sessions have both kinds."""

    def __init__(self, store, *, every=False):
        super().__init__(ENV, "s", every=every)
        self.stores = [store]

    def lines(self, items):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(by_reference, "LARGE", 20)
            return super().lines(items)

    def file(self, data):
        return b"".join(self.lines(rewrite.records(data)))


class Fetched(Hydration):
    def __init__(self, store, *, lost=None):
        super().__init__(ENV, lost)
        self.stores = [store]

    def file(self, data):
        return b"".join(self.lines(lines_of(data)))


def read(data, store=None):
    view = fold(foreign.read_log(data))
    return hydrated(ENV, view, stores=[store]) if store is not None else view


def contents(view):
    """What a view shows, and the numbers that calls without an id go by."""
    return {**format_shown_by(view), "idless": [(message.id, message.idless) for message in view.messages]}


def whole(data):
    """A generated session without the blocks it may name: these tests make their own."""
    store = MemoryStore()
    store.mset({block_of(part): dumps(part) for part in ({"text": "one"}, {"text": "two"})})
    return Fetched(store).file(data)


sessions = some.files_of().map(whole)
every = st.booleans()


@given(data=sessions, every=every)
def test_persist_then_hydrate_gives_the_same_bytes(data, every):
    store = MemoryStore()
    assert Fetched(store).file(Small(store, every=every).file(data)) == data


@given(data=sessions, every=every, undone=st.lists(st.integers(0, 11), max_size=4))
def test_persist_changes_no_view_and_no_undo(data, every, undone):
    store = MemoryStore()
    small = Small(store, every=every).file(data)
    more = b"\n" + b"".join(
        dumps({"type": "revert", "id": f"undo{n}", "of": f"r{number}", "ts": some.TS}) + b"\n"
        for n, number in enumerate(undone)
    )
    assert contents(read(small + more, store)) == contents(read(data + more))


@given(data=sessions, every=every)
def test_a_second_persist_finds_nothing_to_do(data, every):
    store = MemoryStore()
    once = Small(store, every=every).file(data)
    trips = len(store.trips)
    assert Small(store, every=every).file(once) == once
    assert len(store.trips) == trips


@given(data=sessions, every=every)
def test_blocks_are_parts_under_their_hashes_or_lines_that_need_one(data, every):
    store = MemoryStore()
    small = Small(store, every=every).file(data)
    named = {id for r in parse(small).records for id in by_reference.block_ids(r.data)}
    noted = [r.data.get("spelling", {}) for r in parse(small).records]
    kept = {note["id"] for note in noted if "id" in note}
    assert set(store.held) == named | kept
    for id, block in store.held.items():
        assert fetch([store], [id]) == {id: block}
        if id in named:
            assert orjson.dumps(orjson.loads(block)) == block
        else:
            assert block in data.split(b"\n")


@given(data=sessions, every=every)
def test_a_filters_output_by_reference_shows_the_same(data, every):
    """`persist demo` without -i: the stream of the view, small."""
    store = MemoryStore()
    view = read(data)
    items = (
        next(iter(rewrite.records(item + b"\n"))) if isinstance(item, bytes) else item
        for item in view.stream()
    )
    small = b"".join(Small(store, every=every).lines(items))
    assert contents(read(small, store)) == contents(read(streamed(view)))
    assert Fetched(store).file(small) == streamed(view)


@example(data=EDITED_WHILE_STREAMING, every=False)
@example(data=TEXTS_OF_A_DELTA, every=False)
@given(data=sessions, every=every)
def test_the_stream_of_what_lies_in_blocks_hydrates_to_the_stream_of_what_does_not(data, every):
    """`hydrate demo` and `persist demo` of a session by reference, whose view nobody hydrated."""
    store = MemoryStore()
    unread = read(Small(store, every=every).file(data))
    items = [item + b"\n" if isinstance(item, bytes) else item for item in unread.stream()]
    whole = b"".join(Fetched(store).lines(items))
    piped = contents(read(streamed(read(data))))
    assert contents(read(whole)) == piped
    pairs = (next(iter(rewrite.records(i))) if isinstance(i, bytes) else i for i in items)
    again = b"".join(Small(store, every=every).lines(pairs))
    assert contents(read(again, store)) == piped


@given(data=sessions, every=every)
def test_a_reader_fetches_with_one_mget_and_only_what_it_shows(data, every):
    store = MemoryStore()
    small = Small(store, every=every).file(data)
    shown = read(small)
    store.trips.clear()
    hydrated(ENV, shown, stores=[store])
    assert store.trips == (["mget"] if list(unfetched(shown)) else [])
    assert not list(unfetched(hydrated(ENV, shown, stores=[store])))


@given(data=sessions, every=every)
def test_hydrate_reads_with_one_mget(data, every):
    store = MemoryStore()
    small = Small(store, every=every).file(data)
    store.trips.clear()
    Fetched(store).file(small)
    assert store.trips == (["mget"] if store.held else [])


@given(data=sessions, every=every, more=st.data())
def test_a_missing_block_is_named_or_a_placeholder_stands_for_it(data, every, more):
    store = MemoryStore()
    small = Small(store, every=every).file(data)
    if not store.held:
        return
    lost = more.draw(st.sampled_from(sorted(store.held)))
    is_line = lost not in {id for r in parse(small).records for id in by_reference.block_ids(r.data)}
    del store.held[lost]
    with pytest.raises(BadData, match=f"{lost} is missing from memory"):
        Fetched(store).file(small)
    rest = Fetched(store, lost={}).file(small)
    assert is_line or lost.encode() in rest
    if is_line:
        assert contents(read(rest)) == contents(read(data))
    else:
        assert {message.id for message in read(rest).messages} <= set(read(data).all)


def test_what_is_stored_is_not_stored_again_when_the_file_grew_meanwhile():
    store = MemoryStore()
    persisting = Small(store)
    first = dumps({"type": "message", "id": "a", "kind": "user", "parts": [{"text": "x" * 99}]}) + b"\n"
    persisting.file(first)
    persisting.file(first + b'{"type":"clear","id":"c"}\n')
    assert store.trips == ["mset"]


WRITTEN = {  # a line, and how much is stored for it: its parts alone, or the line too
    "our own": (b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"\xc3\xa9 %s"}]}', 1),
    "spaced": (b'{"type": "message", "id": "a", "kind": "user", "parts": [{"text": "\\u00e9 %s"}], "x": {"parts": []}}', 2),
    "spaced, in UTF-8": (b'{"type": "message", "id": "a", "role": "user", "parts": [{"text": "\xc3\xa9 %s"}]}', 2),
    "a head and the rest": (b'{"type":"message","id":"a","ts":"t","kind":"user","role": "user", "parts": [{"text": "%s"}]}', 2),
    "escaped": (b'{"type":"message","id":"a","kind":"user","parts":[{"text":"\\u00e9 %s"}]}\r', 2),
    "bare": (b'{"role":"user","parts":[{"text":"%s"}]}', 2),
    "parts inside before": (b'{"x":{"parts":[{"text":"%s"}]},"type":"message","id":"a","kind":"user","parts":[{"text":"%s"}]}', 1),
    "another order": (b'{"parts":[{"text":"%s"}],"id":"a","kind":"user","type":"message"}', 1),
    "no kind": (b'{"type":"message","id":"a","role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"%s"}}}]}', 2),
    "a flow of its own": (b'{"type":"message","id":"a","kind":"user","flowId":"other","parts":[{"text":"%s"}]}', 2),
    "large integers": (b'{"type":"message","id":"a","kind":"user","parts":[{"text":"%s","n":18446744073709551617}]}', 2),
    "odd spacing": (b'{"type":"message","id":"a","kind":"user","parts":[ {"text":"%s"}]}', 2),
    "a key twice": (b'{"type":"message","id":"a","kind":"user","parts":[{"text":"x","text":"%s"}]}', 2),
    "parts twice": (b'{"type":"message","id":"a","kind":"user","parts":[],"parts":[{"text":"%s"}]}', 2),
    "update": (b'{"type": "update", "id": "u", "of": "a", "parts": [{"text": "%s"}]}', 2),
    "commit": (b'{"type": "commit", "of": "a", "parts": [{"text": "%s"}], "finish": "stop"}', 2),
    "compaction": (b'{"type": "compaction", "id": "k", "ops": [{"op": "replace", "id": "a", "part": 0, "block": "b", "with": {"text": "%s"}}]}', 2),
}  # fmt: skip


@pytest.mark.parametrize(("line", "count"), WRITTEN.values(), ids=WRITTEN)
def test_lines_of_other_writers_come_back_byte_for_byte(line, count):
    line = line.replace(b"%s", b"secret words " * 9)
    store = MemoryStore()
    small = Small(store).file(line + b"\n" + line + b"\n")
    assert b"secret" not in small.replace(b'"x":{"parts":[{"text":"' + b"secret words " * 9, b"").replace(
        b'\\"x\\":{\\"parts\\":[{\\"text\\":\\"' + b"secret words " * 9, b""
    )
    assert len(store.held) == count
    before = read(line + b"\n" + line + b"\n")
    assert contents(read(small, store)) == contents(before)
    assert [message.kind for message in read(small).messages] == [m.kind for m in before.messages]
    assert Fetched(store).file(small) == line + b"\n" + line + b"\n"


def test_a_damaged_line_stays_damaged():
    """A byte order mark counts only at the start of a file."""
    store = MemoryStore()
    line = dumps({"type": "message", "id": "a", "kind": "user", "parts": [{"text": "x" * 99}]}) + b"\n"
    marked = b"\xef\xbb\xbf" + line
    assert Small(store).file(line + marked) == Small(store).file(line) + marked
    assert Fetched(store).file(Small(store).file(marked)) == line
    assert len(store.held) == 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"compaction","id":"k","ops":[%s,%s]}\n',
        b'{"type": "compaction", "id": "k", "ops": [%s, %s]}\n',
    ],
)
def test_the_rest_of_a_compaction_is_persisted_later(line):
    """2026-11-27: `persist -i --all` after `persist -i` failed on a compaction with large and small parts."""
    ops = [
        {"op": "replace", "id": "a", "part": 0, "block": "b", "with": {"text": "x" * n}} for n in (99, 1)
    ]
    data = line % tuple(map(dumps, ops))
    store = MemoryStore()
    half = Small(store).file(data)
    small = Small(store, every=True).file(half)
    assert [half.count(b'"with"'), small.count(b'"with"')] == [1, 0]
    assert Fetched(store).file(small) == data


def test_fields_of_our_names_are_left_alone():
    for name in ("blockIds", "spelling", "idless"):
        line = dumps({"type": "message", "id": "a", "kind": "user", name: 1, "parts": [{"text": "x" * 99}]})
        assert Small(MemoryStore()).file(line + b"\n") == line + b"\n"


SPELLED = (
    b'{"type":"ref","id":"a","kind":"user","role":"user","blockIds":["%s"],"flowId":"s","spelling":%s}\n'
)


@pytest.mark.parametrize(
    "note",
    [
        b'{"before":"{\\"type\\":\\"message\\",\\"id\\":\\"b\\",\\"kind\\":\\"user\\",\\"parts\\":","after":"}","as":"compact"}',
        b'{"before":"{\\"type\\":\\"message\\",\\"id\\":\\"a\\",\\"parts\\":","after":"}\\n{}","as":"compact"}',
        b'{"before":"","after":"","as":"nobody"}', b'{"before":7,"after":"","as":"python"}', b'{"as":"python"}',
        b'{"id":"%s"}', b'{"id":7}', b"{}", b"7", b'"x"',
    ],
)  # fmt: skip
def test_a_spelling_that_says_something_else_is_not_believed(note):
    store = MemoryStore()
    data = dumps({"text": "x" * 99})
    store.mset({by_reference._sha256(data): data})
    (id,) = store.held
    line = SPELLED % (id.encode(), note.replace(b"%s", id.encode()))
    (record,) = parse(Fetched(store).file(line)).records
    assert record.data == {
        "type": "message", "id": "a", "kind": "user", "role": "user", "parts": [{"text": "x" * 99}]
    }  # fmt: skip
