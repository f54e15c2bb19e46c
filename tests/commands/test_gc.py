"""`gc`: what it removes shows in no view, whatever is undone; blocks go only where nothing names them."""

import os
import time

from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.commands.gc.unused import _sorted, spent
from codeh_history.session.fold import fold
from codeh_history.session.records import dumps, lines_of, parse
from shown_contents import contents
from support import lines, run, session_path

DAY = 86400


def collected(data):
    return b"".join(_sorted(data)[0])


@given(data=some.files_of(), undone=st.lists(st.integers(0, 11), max_size=4))
def test_deltas_that_go_show_in_no_view_whatever_is_undone(data, undone):
    more = b"\n" + b"".join(
        dumps({"type": "revert", "id": f"undo{n}", "of": f"r{number}", "ts": some.TS}) + b"\n"
        for n, number in enumerate(undone)
    )
    assert contents(fold(parse(lines_of(collected(data) + more)))) == contents(
        fold(parse(lines_of(data + more)))
    )


@st.composite
def streams(draw):
    """Few ids, many deltas, commits and updates: where a delta's meaning hangs by a thread."""
    log = []
    known = ["m"]
    for number in range(draw(st.integers(1, 10))):
        kind = draw(st.sampled_from(["open", "delta", "delta", "commit", "whole", "update", "revert"]))
        of = draw(st.sampled_from(known))
        if kind == "open":
            log.append(
                {"type": "open", "id": draw(st.sampled_from(["m", "n"])), "kind": "codeh", "ts": some.TS}
            )
        elif kind == "delta":
            log.append({"type": "delta", "of": of, "parts": [{"text": f"d{number}"}]})
        elif kind in ("commit", "whole"):
            parts = {"parts": [{"text": f"c{number}"}]} if kind == "whole" else {}
            log.append({"type": "commit", "of": of, "ts": some.TS, **parts})
        elif kind == "update":
            log.append({"type": "update", "id": f"u{number}", "of": of, "parts": [{"text": f"u{number}"}]})
            known.append(f"u{number}")
        else:
            log.append(
                {"type": "revert", "id": f"x{number}", "of": draw(st.sampled_from(known)), "ts": some.TS}
            )
    return draw(some.with_copies(log)) if draw(st.booleans()) else log


@given(log=streams(), undone=st.lists(st.sampled_from([*"mn", *(f"u{n}" for n in range(10))]), max_size=4))
def test_updates_and_undo_around_a_stream(log, undone):
    more = [{"type": "revert", "id": f"z{n}", "of": id, "ts": some.TS} for n, id in enumerate(undone)]
    whole, tail = some.encode(log), some.encode(more)
    assert contents(fold(parse(lines_of(collected(whole) + tail)))) == contents(
        fold(parse(lines_of(whole + tail)))
    )


def count(*records):
    return len(spent(parse(lines_of(some.encode(list(records)))).records))


OPEN = {"type": "open", "id": "m", "kind": "codeh", "ts": some.TS}
DELTA = {"type": "delta", "of": "m", "parts": [{"text": "Hel"}]}
WHOLE = {"type": "commit", "of": "m", "ts": some.TS, "parts": [{"text": "Hello"}]}
JOINED = {"type": "commit", "of": "m", "ts": some.TS}
UPDATE = {"type": "update", "id": "u", "of": "m", "parts": [{"text": "new"}]}


def test_which_deltas_go():
    assert count(OPEN, DELTA, DELTA, WHOLE) == 2
    assert count(OPEN, DELTA, {**WHOLE, "parts": 0, "blockIds": ["0" * 64]}) == 0  # damaged: no commit
    assert count(OPEN, DELTA, {"type": "commit", "of": "m", "blockIds": ["0" * 64]}) == 1
    assert count(OPEN, DELTA) == 0  # pending
    assert count(OPEN, DELTA, JOINED) == 0  # the only place where the content stands
    assert count(OPEN, DELTA, JOINED, WHOLE) == 0
    assert count(OPEN, DELTA, UPDATE, DELTA, WHOLE) == 0  # an answer that came twice
    assert count(OPEN, DELTA, UPDATE, {"type": "commit", "of": "u"}, WHOLE) == 0
    assert count(OPEN, DELTA, UPDATE, {**WHOLE, "of": "u"}) == 0  # undone with the update
    assert count(OPEN, DELTA, WHOLE, UPDATE, DELTA) == 1
    assert count(OPEN, OPEN, DELTA, WHOLE) == 0
    assert count(OPEN, DELTA, {**WHOLE, "id": "c"}) == 0  # such a commit can be undone


# -- the command --------------------------------------------------------------------------------------


BIG = "x" * 5000


def aged(home, days):
    """Make every block look as old as that."""
    then = time.time() - days * DAY
    for path in (home / "blocks").rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))


def blocks(home):
    return sorted(p.name for p in (home / "blocks").rglob("*") if p.is_file())


def persisted(home, session, text=BIG):
    id = run("append", "-s", session, "-m", text, home=home).text
    assert run("persist", session, "-i", home=home).code == 0
    return id


def test_blocks_go_with_the_last_session_that_names_them(home):
    persisted(home, "a")
    persisted(home, "b")  # the same content: the same block
    persisted(home, "c", "y" * 5000)
    run("fork", "c", "--into", "d", home=home)
    aged(home, 8)
    assert len(blocks(home)) == 2
    for name in ("a", "c"):
        session_path(home, name).unlink()
    assert run("gc", "--yes", home=home).out == b""
    session_path(home, "b").unlink()
    dry = run("gc", home=home)
    assert lines(dry.out) == [{"store": str(home / "blocks"), "blocks": 1, "bytes": 5011, "removed": False}]
    assert b"--yes" in dry.err
    assert len(blocks(home)) == 2
    assert lines(run("gc", "--yes", home=home).out)[0]["removed"] is True
    assert len(blocks(home)) == 1
    assert run("show", "d", home=home).code == 0


def test_the_trash_and_damaged_lines_keep_blocks(home):
    persisted(home, "a")
    persisted(home, "b", "y" * 5000)
    run("rm", "a", home=home)
    path = session_path(home, "b")
    path.write_bytes(path.read_bytes().replace(b'{"type":"ref"', b'{"type":"ref'))
    aged(home, 8)
    assert run("gc", "--yes", home=home).out == b""
    assert len(blocks(home)) == 2
    assert run("rm", "--restore", "a", home=home).code == 0
    assert run("last", "a", home=home).text == BIG


def test_a_young_block_stays_and_a_rewritten_one_is_young(home):
    persisted(home, "a")
    session_path(home, "a").unlink()
    aged(home, 6.9)
    assert run("gc", "--yes", home=home).out == b""
    aged(home, 7.1)
    persisted(home, "b")
    session_path(home, "b").unlink()
    assert run("gc", "--yes", home=home).out == b""
    aged(home, 7.1)
    assert lines(run("gc", "--yes", home=home).out)[0]["blocks"] == 1
    assert blocks(home) == []


def test_a_directory_that_others_may_share_is_left_alone(home, tmp_path):
    env = {"CODEH_BLOCKS": str(tmp_path / "shared")}
    run("append", "-s", "a", "-m", BIG, home=home)
    run("persist", "a", "-i", home=home, env=env)
    session_path(home, "a").unlink()
    env["CODEH_NOW"] = "2100-01-01T00:00:00Z"
    kept = run("gc", "--yes", home=home, env=env)
    assert (kept.code, kept.out) == (0, b"")
    assert b"--shared" in kept.err
    assert lines(run("gc", "--yes", "--shared", home=home, env=env).out)[0]["blocks"] == 1


def test_deltas_of_a_committed_stream_go(home):
    run("append", "-s", "a", "-m", "hi", home=home)
    path = session_path(home, "a")
    with path.open("ab") as file:
        file.write(some.encode([OPEN, DELTA, DELTA, WHOLE, {**OPEN, "id": "n"}, {**DELTA, "of": "n"}]))
    path.chmod(0o600)
    shown = run("show", "a", "--items", home=home).out
    assert b"Hello" in shown
    before = path.read_bytes()
    assert lines(run("gc", home=home).out) == [
        {"session": "a", "deltas": 2, "bytes": 2 * len(dumps(DELTA)) + 2, "removed": False}
    ]
    assert path.read_bytes() == before
    assert lines(run("gc", "--yes", home=home).out)[0]["removed"] is True
    assert [record["type"] for record in lines(path)] == [
        "session",
        "message",
        "open",
        "commit",
        "open",
        "delta",
    ]
    assert run("show", "a", "--items", home=home).out == shown
    assert run("gc", "--yes", home=home).out == b""


def test_what_killed_processes_left_is_swept(home):
    persisted(home, "a")
    half = session_path(home, "a").parent / ".a.jsonl.00000000.tmp"
    block = next((home / "blocks").iterdir()) / ".0.00000000.tmp"
    for path in (half, block):
        path.write_bytes(b"half")
        os.utime(path, (0, 0))
    young = half.with_name(".a.jsonl.11111111.tmp")
    young.write_bytes(b"half")
    assert run("gc", home=home).code == 0
    assert half.exists()
    assert run("gc", "--yes", home=home).code == 0
    assert not half.exists()
    assert not block.exists()
    assert young.exists()
