"""A record above 64 MiB is read by nobody: none is acknowledged, and large parts go to blocks by themselves.

All readers draw the line at the same byte.
"""

import os

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.session import records
from codeh_history.store import begun, file, lines, log, read
from codeh_history.views import skim as skimming
from in_process import run_in_process, run_ok

HEADER = b'{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n'
LIMIT = 10_000  # bytes of a line, here
LAST = b'{"type":"message","id":"z","kind":"user","role":"user","parts":[{"text":"the last word"}]}\n'


def message(size):
    """A message whose line has so many bytes."""
    start, end = b'{"type":"message","id":"long","kind":"user","role":"user","parts":[{"text":"', b'"}]}'
    return start + b"x" * (size - len(start) - len(end)) + end


@pytest.fixture
def limit(monkeypatch):
    """A number so small that it costs nothing to come near it; all that is written comes to one of these."""
    for module in (file, log, lines, records, begun):
        monkeypatch.setattr(module, "LONGEST", LIMIT)
    return LIMIT


# -- reading: one line for all ------------------------------------------------------------------------------


def whole(path, _step):
    return [r.data["id"] for r in read.read_log(read.read_bytes(str(path), skip=True)).records]


def skimmed(path, step):
    with pytest.MonkeyPatch.context() as patch:
        blocks = skimming.blocks
        patch.setattr(skimming, "blocks", lambda fd, size, _, **how: blocks(fd, size, step, **how))
        return [r.data["id"] for part in skimming.logs(str(path), big=0) for r in part.records]


def backwards(path, step):
    with path.open("rb") as opened, pytest.MonkeyPatch.context() as patch:
        patch.setattr(begun, "_STEP", step)
        lines = begun.lines_backwards(opened.fileno(), path.stat().st_size)
        return [orjson.loads(line)["id"] for line in lines][::-1]


@pytest.mark.parametrize("over", [-2, -1, 0, 1, 2, 500, 1023, 1024, 5000])
@pytest.mark.parametrize("ended", [True, False])
def test_every_reader_draws_the_line_at_the_same_byte(tmp_path, limit, over, *, ended):
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER + message(LIMIT + over) + (b"\n" + LAST if ended else b""))
    expected = ["s", *(["long"] if over <= 0 else []), *(["z"] if ended else [])]
    for step in (64, 1000, 1024, 4096):
        for reader in (whole, skimmed, backwards):
            assert reader(path, step) == expected, (reader, step)


# -- writing ------------------------------------------------------------------------------------------------

TEXT = "y" * 20_000
MANY = [{"text": "y" * 100}] * 200  # no part of it is large


def session(home):
    run_ok("append", "-s", "s", "-m", "first", home=home)
    return home / "sessions" / "s.jsonl"


WRITERS = {
    "append": (["append", "-s", "s"], TEXT.encode()),
    "append to a new session": (["append", "-s", "new"], TEXT.encode()),
    "append --pin": (["append", "-s", "s", "--pin"], TEXT.encode()),
    "append --result": (["append", "-s", "s", "--result", "f", "--call-id", "c"], TEXT.encode()),
    "append --jsonl": (["append", "-s", "s", "--jsonl"], orjson.dumps({"role": "user", "parts": [{"text": TEXT}]})),
    "append --from": (
        ["append", "-s", "s", "--from", "gemini"],
        orjson.dumps({"candidates": [{"content": {"role": "model", "parts": [{"text": TEXT}]}, "finishReason": "STOP"}]}),
    ),
    "update": (["update", ":1", "-s", "s", "-F", "-"], TEXT.encode()),
    "import": (
        ["import", "-", "--from", "contents", "--into", "new"],
        orjson.dumps([{"role": "user", "parts": [{"text": TEXT}]}]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_a_large_part_goes_to_the_block_store_on_its_own(home, limit, name):
    argv, stdin = WRITERS[name]
    session(home)
    outcome = run_ok(*argv, stdin=stdin)
    target = "new" if "new" in argv else "s"
    assert TEXT.encode() in run_in_process("export", target, "--to", "contents").out
    lines_ = (home / "sessions" / f"{target}.jsonl").read_bytes().split(b"\n")
    assert max(map(len, lines_)) <= limit
    assert b"blocks" in outcome.err


def test_a_long_line_of_a_batch_comes_back_in_its_own_spelling(home, limit):
    session(home)
    line = b'{"parts": [ {"text": "%b"} ], "role": "user"}' % TEXT.encode()
    run_ok("append", "-s", "s", "--jsonl", stdin=line)
    record = orjson.loads(read.read_bytes(str(home / "sessions" / "s.jsonl")).split(b"\n")[-2])
    assert record["type"] == "ref"
    assert run_in_process("last", "s").text == TEXT


BATCH = orjson.dumps({"role": "user", "parts": MANY})
REFUSED = {
    "many small parts": (["append", "-s", "s", "--jsonl"], BATCH),
    "one too long among others": (
        ["append", "-s", "s", "--jsonl"],
        b'{"role":"user","parts":[{"text":"a"}]}\n' + BATCH,
    ),
    "set": (["set", "-s", "s", "system=@/dev/stdin"], TEXT.encode()),
    "import": (["import", "-", "--from", "contents", "--into", "new"], b"[" + BATCH + b"]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_record_that_stays_too_long_is_named_and_nothing_is_stored(home, limit, name):
    argv, stdin = REFUSED[name]
    path = session(home)
    before = path.read_bytes()
    (home / "system").write_bytes(stdin)
    outcome = run_in_process(*[a.replace("/dev/stdin", str(home / "system")) for a in argv], stdin=stdin)
    assert (outcome.code, outcome.out) == (65, b""), outcome.err
    assert b"a record has at most 10,000; nothing was stored" in outcome.err
    assert path.read_bytes() == before
    assert not (home / "sessions" / "new.jsonl").exists()


def test_what_is_hydrated_in_place_never_becomes_too_long(home, limit):
    path = session(home)
    run_in_process("append", "-s", "s", stdin=TEXT.encode())
    before = path.read_bytes()
    outcome = run_in_process("hydrate", "s", "-i")
    assert outcome.code == 65
    assert b"the session is unchanged" in outcome.err
    assert path.read_bytes() == before
    assert TEXT.encode() in run_in_process("hydrate", "s").out


def test_a_line_too_long_that_another_program_wrote_does_not_stop_a_replacement(home, limit):
    path = session(home)
    answer = {"of": "m", "parts": [{"text": "answer"}]}
    begun = {"type": "open", "id": "m", "kind": "codeh", "role": "model"}
    stream = [begun, {"type": "delta", **answer}, {"type": "commit", **answer}]
    with path.open("ab") as file:
        file.write(message(20_000) + b"\n" + b"".join(orjson.dumps(line) + b"\n" for line in stream))
    assert run_in_process("gc", "--yes").lines[0]["deltas"] == 1
    assert message(20_000) in path.read_bytes()


def test_a_fork_holds_what_its_session_holds(home, limit):
    session(home)
    run_in_process("append", "-s", "s", stdin=TEXT.encode())
    run_ok("fork", "s", "--into", "copy")
    assert run_in_process("last", "copy").text == TEXT


def test_where_the_store_fails_nothing_is_stored(home, limit):
    path = session(home)
    before = path.read_bytes()
    (home / "blocks").write_bytes(b"no folder")
    outcome = run_in_process("append", "-s", "s", stdin=TEXT.encode())
    assert outcome.code == 74, outcome.err
    assert path.read_bytes() == before


@pytest.mark.slow
def test_the_limit_is_64_mib_for_the_program_itself(home):
    size = 64 << 20
    run_ok("append", "-s", "s", stdin=b"x" * size)
    (line,) = (home / "sessions" / "s.jsonl").read_bytes().split(b"\n")[1:2]
    assert orjson.loads(line)["type"] == "ref"
    assert len(run_in_process("last", "s").out) == size + 1
    run_ok("append", "-s", "s", stdin=b"x" * (size - 1000))
    run_ok("show", "s", "-n", "1")
    log.append(Env({}), str(home / "sessions" / "s.jsonl"), lambda _: message(size) + b"\n")
    with pytest.raises(BadData):
        log.append(Env({}), str(home / "sessions" / "s.jsonl"), lambda _: b"x" * (size + 1) + b"\n")
    assert b"damaged" not in run_in_process("list").err
    assert os.path.getsize(home / "sessions" / "s.jsonl") < 3 * size
