"""What a filter prints: it folds to the same view, and unchanged lines keep their bytes."""

from __future__ import annotations

import orjson
from hypothesis import given
from test_ops import contents, read, streamed

import strategies as some
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse


@given(data=some.files_of(refs=True))
def test_what_a_filter_prints_folds_to_the_same_view(data: bytes) -> None:
    view = read(data)
    assert contents(read(streamed(view))) == contents(view)


@given(data=some.files_of(refs=True))
def test_a_second_pass_prints_the_same_bytes(data: bytes) -> None:
    once = streamed(read(data))
    assert streamed(read(once)) == once


@given(data=some.files_of(refs=True))
def test_unchanged_lines_keep_their_bytes(data: bytes) -> None:
    """The header, meta and unknown lines, and every message whose one line says what it shows."""
    log = parse(lines_of(data))
    view = fold(log)
    printed = streamed(view).split(b"\n")
    counting = [record for place, record in enumerate(log.records) if place not in view.dead]
    kept = [record.raw for record in counting if record.data["type"] in ("meta", "later")]
    dead = [record.data["of"] for record in log.records if record.data["type"] == "revert"]
    named = [r.data["id"] for r in log.records if r.data["type"] in ("message", "open")]
    touched = {r.data["of"] for r in log.records if "of" in r.data}
    updated = {r.data["id"] for r in log.records if r.data["type"] == "update" and r.data["of"] in touched}
    replaced = {op.get("id") for r in log.records if r.data["type"] == "compaction" for op in r.data["ops"]}
    for record in log.records:
        id = record.data.get("id")
        plain = record.data["type"] == "message" and record.bare is None and named.count(id) == 1
        if plain and id not in touched | updated | replaced and any(m.id == id for m in view.messages):
            kept.append(record.raw)
    for raw in kept:
        assert raw in printed or any(orjson.loads(raw).get("id") == id for id in dead)
