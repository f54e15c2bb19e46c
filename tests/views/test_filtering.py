"""What every filter does with its ops, and rewriting a session's lines."""

import orjson
import pytest
from hypothesis import given

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.commands.curate import Options
from codeh_history.session.by_reference import all_ids
from codeh_history.session.fold import fold
from codeh_history.session.ops import drop, insert, replace
from codeh_history.session.records import block_of, parse
from codeh_history.store.resolve import Target
from codeh_history.views import filtering, rewrite
from in_process import write_session
from strategies import encode, files_of
from support import append_text

LOG = [
    {"type": "session", "version": 1, "id": "s"},
    *({"type": "message", "id": id, "kind": "user", "role": "user", "parts": [{"text": id}]} for id in "abc"),
]  # fmt: skip
OPS = [
    drop(["a"], "w"),
    replace("b", 0, block_of({"text": "b"}), {"text": "B"}, "w"),
    insert("b", {"kind": "info", "parts": [{"text": "one"}]}, "w"),
    insert("c", {"id": "mine", "kind": "info", "parts": [{"text": "two"}]}, "w"),
]


class Ran:
    """A filter with these ops, on the session of a home, and what it printed."""

    def __init__(self, home, ops, fields=None, *, in_place=False):
        out, err = home.parent / "out", home.parent / "err"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            env = Env({"CODEH_NOW": "2026-01-02T03:04:05Z"}, stdout=stdout.fileno(), stderr=stderr.fileno())
            target = Target(str(home / "sessions" / "s.jsonl"), "-s")
            options = Options(in_place=in_place)
            self.view = filtering.run(env, target, lambda _: (ops, fields or {}), options, None)
        self.out, self.err = out.read_bytes(), err.read_text()


def texts(view):
    return [(message.kind, message.parts) for message in view.messages]


@pytest.mark.parametrize("ops", [[], OPS, OPS[:1], OPS[1:2]])
def test_printed_recorded_and_returned_views_are_equal(home, ops):
    path = write_session(home, encode(LOG))
    printed = Ran(home, ops)
    assert path.read_bytes() == encode(LOG)
    recorded = Ran(home, ops, {"policy": "p"}, in_place=True)
    assert recorded.out == b""
    assert path.read_bytes().startswith(encode(LOG))
    shown = texts(printed.view)
    assert texts(recorded.view) == shown
    for data in (printed.out, path.read_bytes()):
        assert texts(fold(parse(data))) == shown


def test_one_record_holds_all_ops(home):
    path = write_session(home, encode(LOG))
    Ran(home, OPS, {"policy": "p", "budget": 7}, in_place=True)
    record = orjson.loads(path.read_bytes().splitlines()[-1])
    id = record["id"]
    assert {**record, "ops": []} == {
        "type": "compaction", "id": id, "ts": "2026-01-02T03:04:05.000Z", "policy": "p", "budget": 7, "ops": [],
    }  # fmt: skip
    assert record["ops"] == OPS


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({}, "s: nothing to change, nothing to undo"),
        ({"budget": 32000}, "s: nothing to change, nothing to undo: below 32,000 tokens"),
        ({"budget": 32000, "before": 1500, "counter": "approx"}, "s: nothing to change, nothing to undo: 1,500 of 32,000 tokens by approx"),
        ({"budget": 9000, "counter": "characters"}, "s: nothing to change, nothing to undo: below 9,000 characters"),
        ({"budget": 9000, "before": 80, "counter": "characters"}, "s: nothing to change, nothing to undo: 80 of 9,000 characters"),
    ],
)  # fmt: skip
def test_no_change_records_nothing_and_is_noted(home, fields, note):
    path = write_session(home, encode(LOG))
    assert Ran(home, [], fields, in_place=True).err == f"codeh-history: {note}\n"
    assert path.read_bytes() == encode(LOG)


def test_in_place_needs_a_named_session():
    with pytest.raises(Usage, match=r"-i changes a session: name one instead of -"):
        filtering.run(Env({}), Target("-", "argument"), lambda _: ([], {}), Options(in_place=True), None)


@pytest.mark.parametrize("sizes", [[], [0], [5], [1 << 20, 1], [9, (1 << 16) + 1, 3], [700_000] * 5])
def test_all_lines_are_written_in_order(tmp_path, sizes):
    lines = [bytes([65 + number]) * size for number, size in enumerate(sizes)]
    with (tmp_path / "out").open("wb") as out:
        filtering.write_lines(Env({}, stdout=out.fileno()), iter(lines))
    assert (tmp_path / "out").read_bytes() == b"".join(lines)


HEADER = b'{"type":"session","version":1,"id":"s"}\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'


@given(files_of(refs=True))
def test_rewrite_pairs_every_line_with_its_record(data):
    pairs = list(rewrite.records(data))
    assert b"".join(line for line, _ in pairs) == data
    right = [record.data for record in parse(data).records]
    assert [record.data for _, record in pairs if record is not None] == right


def test_line_that_imitates_a_skipped_one_hides_no_other():
    data = HEADER + b"\0skipped 99999999999\n" + LINE
    assert [record is not None for _, record in rewrite.records(data)] == [True, False, True]


@given(files_of(refs=True))
def test_all_named_blocks_are_listed(data):
    named = [id for record in parse(data).records for id in all_ids(record.data)]
    assert rewrite.block_ids(data) == list(dict.fromkeys(named))


@pytest.fixture
def session(home):
    return write_session(home, HEADER + LINE)


def test_concurrent_append_is_rewritten(session):
    seen = []

    def louder(data):
        seen.append(data)
        if len(seen) == 1:
            append_text(session, "y")
        return [data.replace(b'"text":', b'"text" :')]

    assert rewrite.in_place(Env({}), Target(str(session), "-s"), louder)
    assert len(seen) == 2
    assert session.read_bytes() == seen[1].replace(b'"text":', b'"text" :')
    assert session.read_bytes().count(b'"text" :') == 2


def test_unchanged_file_is_not_replaced(session):
    before = session.stat()
    assert not rewrite.in_place(Env({}), Target(str(session), "-s"), lambda data: [data])
    assert session.stat().st_ino == before.st_ino

    def done_already(data):
        """Another does the same, after the first look."""
        session.write_bytes(data.replace(b'"x"', b'"y"'))
        return [data.replace(b'"x"', b'"y"')]

    assert not rewrite.in_place(Env({}), Target(str(session), "-s"), done_already)


def test_damage_is_kept_and_strict_refuses(session):
    session.write_bytes(HEADER + b"{damage\n" + LINE)
    env = Env({})
    env.quiet = True
    target = Target(str(session), "-s")
    with pytest.raises(BadData, match=r"1 damaged line skipped"):
        rewrite.in_place(env, target, lambda _: [b""], strict=True)
    assert rewrite.in_place(env, target, lambda data: [data.replace(b'"x"', b'"y"')])
    assert session.read_bytes() == HEADER + b"{damage\n" + LINE.replace(b'"x"', b'"y"')


@pytest.mark.parametrize(
    ("path", "why"), [("-", "has no file to replace"), ("old.json", "`import` it into")]
)
def test_sessions_without_a_file_of_ours_are_refused(path, why):
    with pytest.raises(Usage, match=why):
        rewrite.in_place(Env({}), Target(path, "argument"), lambda data: [data])


def test_replaced_line_keeps_its_line_end():
    assert rewrite.with_same_end(b"new", b"old\n") == b"new\n"
    assert rewrite.with_same_end(b"new", b"old") == b"new"
