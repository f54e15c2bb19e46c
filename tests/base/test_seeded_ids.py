"""With `CODEH_ID_SEED` two acknowledged records never share an id, whatever became of the file in between."""

import pytest

from answers import STREAMS
from codeh_history.talk.receive import answer
from codeh_history.talk.receive.answer import Streaming
from codeh_history.talk.receive.pending import Pending
from in_process import run_in_process, write_session
from support import lines

SEED = {"CODEH_ID_SEED": "s", "CODEH_NOW": "2026-01-02T03:04:05Z"}
HEADER = '{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n'


def run(*argv, home, **more):
    outcome = run_in_process(*argv, home=home, env=SEED, **more)  # type: ignore[arg-type]
    assert outcome.code == 0, outcome.err
    return outcome.text


@pytest.mark.parametrize(
    "again", [["append", "-s", "s", "-m", "n"], ["clear", "-s", "s"], ["undo", "-s", "s"]]
)
def test_repeated_offset_gives_another_id(home, again):
    """`persist -i` shortens the file; blank lines bring it to where the second message was stored."""
    first = run("append", "-s", "s", "-m", "x" * 5000, home=home)
    path = home / "sessions" / "s.jsonl"
    size = path.stat().st_size
    second = run("append", "-s", "s", "-m", "y", home=home)
    run("persist", "s", "-i", home=home)
    with path.open("ab") as file:
        file.write(b"\n" * (size - path.stat().st_size))
    run(*again, home=home)
    ids = [record["id"] for record in lines(path)]
    assert len(ids) == len(set(ids)) == 4
    assert {first, second} < set(ids)


def test_batch_at_a_repeated_offset(home):
    path = write_session(home, HEADER.encode())
    batch = b'{"role":"user","parts":[{"text":"a"}]}\n' * 20
    first = run("append", "--jsonl", "-s", "s", home=home, stdin=batch).split()
    kept = path.read_bytes()
    for shift in range(1, 20):  # lines that went from before them
        at = len(HEADER)
        gone = kept[at:].split(b"\n", shift)[-1]
        path.write_bytes(HEADER.encode() + gone)
        second = run("append", "--jsonl", "-s", "s", home=home, stdin=batch).split()
        assert not set(second) & set(first[shift:])


def test_seeded_ids_are_independent_of_stream_timing(tmp_path, monkeypatch):
    """Each piece is written when it is read: as many deltas, and as large, as there are pieces."""
    monkeypatch.setattr(Pending, "flush_seconds", 0.0)
    monkeypatch.setattr(Streaming, "flush_seconds", 0.0)
    ids, deltas = [], []
    for size in (1 << 16, 40, 1):
        monkeypatch.setattr(answer, "CHUNK", size)
        ids.append(ids_of(tmp_path / str(size)))
        deltas.append((tmp_path / str(size) / "sessions" / "s.jsonl").read_bytes().count(b'"delta"'))
    assert ids[0] == ids[1] == ids[2]
    assert deltas[0] < deltas[1] <= deltas[2]


def ids_of(home):
    """The ids of records after streams that ended well, were cut, and were begun again."""
    run("append", "-s", "s", "-m", "hi", home=home)
    for name in ("gemini", "anthropic", "openai-responses"):
        run("append", "-s", "s", "--from", "auto", home=home, stdin=STREAMS[name](f"{name}-1"))
    run("append", "-s", "s", "--stream", home=home, stdin=b"a text\nof some\nlines\n")
    whole = STREAMS["openai-chat"]("r2")
    cut = whole[: len(whole) // 2] + b"\n\n"
    run("append", "-s", "s", "--from", "auto", home=home, stdin=cut + whole)
    assert run_in_process("append", "-s", "s", "--from", "auto", home=home, env=SEED, stdin=cut).code == 75
    run("append", "-s", "s", "--jsonl", home=home, stdin=b'{"role":"user","parts":[{"text":"a"}]}\n' * 2)
    run("compact", "-i", "s", "--max-items", "4", home=home)
    records = lines(home / "sessions" / "s.jsonl")
    ids = [record["id"] for record in records if "id" in record and record["type"] != "update"]
    assert len(ids) == len(set(ids)) > 10
    return ids
