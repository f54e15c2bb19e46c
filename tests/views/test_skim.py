"""Reading a plain log in bounded memory gives what the fold gives, or says that it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.session.fold import fold
from codeh_history.session.model import Message
from codeh_history.session.records import Log, lines_of, parse
from codeh_history.store import read
from codeh_history.views import skim as skimming
from codeh_history.views.skim import NeedsFold, Skim
from plain_logs import plain_files


def look(message: Message) -> tuple[Any, ...]:
    calls = any(not p["functionCall"].get("id") for p in message.parts if "functionCall" in p)
    return (
        message.id, message.kind, message.role, message.ts, message.committed, message.parts, message.pending,
        message.raw, message.idless if calls and message.committed else None, message.fields,
    )  # fmt: skip


def skimmed(pieces: list[Log]) -> tuple[Skim, list[Message]] | None:
    skim = Skim(pieces)
    try:
        found = dict(skim.messages())
    except NeedsFold:
        return None
    assert sorted(found) == list(range(1, skim.placed + 1))
    return skim, [found[number] for number in sorted(found)]


@given(data=plain_files() | some.files_of())
def test_it_equals_the_fold(data: bytes) -> None:
    log = parse(lines_of(data))
    view = fold(log)
    found = skimmed([log])
    event(f"plain: {found is not None}")
    if found is None:
        return
    skim, messages = found
    assert [look(m) for m in messages] == [look(m) for m in view.messages]
    assert (skim.header, skim.meta, skim.damage) == (view.header, view.meta, view.log.damage)


@given(data=plain_files(), step=st.sampled_from([3, 50, 1000]))
def test_pieces_of_a_file_are_the_file(
    data: bytes, step: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    whole = read.read_log(data)
    pieces = list(skimming.logs(str(path), big=0, step=step))
    assert [(r.offset, r.raw, r.data) for log in pieces for r in log.records] == [
        (r.offset, r.raw, r.data) for r in whole.records
    ]
    assert [(d.offset, d.line, d.reason) for log in pieces for d in log.damage] == [
        (d.offset, d.line, d.reason) for d in whole.damage
    ]


LINE = '{"type":"message","id":"%s","kind":"user","role":"user","parts":[]}\n'
CALL = '{"type":"message","id":"%s","kind":"codeh","parts":[{"functionCall":{"name":"f"}}]}'


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"clear","id":"x"}', '{"type":"revert","id":"x","of":"a"}',
        '{"type":"update","id":"x","of":"a","parts":[]}', '{"type":"summary","id":"x","summary":"s"}',
        '{"type":"compaction","id":"x","ops":[]}', '{"type":"ref","id":"x","role":"user","blockIds":[]}',
        LINE % "a", f'{{"type":"open","id":"m","kind":"codeh"}}\n{CALL % "n"}\n{{"type":"commit","of":"m","parts":[]}}',
    ],
)  # fmt: skip
def test_what_needs_the_fold(line: str) -> None:
    assert skimmed([parse(lines_of((LINE % "a" + LINE % "b").encode()))]) is not None
    assert skimmed([parse(lines_of((LINE % "a" + LINE % "b" + line + "\n").encode()))]) is None


def test_many_ids_are_told_apart() -> None:
    from array import array

    hashes = array("q", (hash(f"id{n}") for n in range(70_000)))
    assert not skimming.repeated(hashes)
    hashes.append(hash("id12345"))
    assert skimming.repeated(hashes)


def test_an_older_form_comes_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text('[\n{"role":"user","parts":[{"text":"hi"}]}\n]\n')
    (log,) = skimming.logs(str(path), big=0)
    assert [r.data["parts"] for r in log.records] == [[{"text": "hi"}]]
