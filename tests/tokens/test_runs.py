"""Counts remembered for whole runs of lines: the same numbers, or counted again."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from codeh_history.session.fold import View, fold
from codeh_history.store.read import read_log
from codeh_history.tokens import formula, memory, open_counter, part_tokens
from codeh_history.tokens.counter import Counter
from length import examples
from strategies import encode, files_of

PLAIN = open_counter(None)
SIZE = 4  # of a run, here


def line(number: int, text: str = "") -> dict[str, Any]:
    return {
        "type": "message", "id": f"m{number}", "ts": "2026-01-02T03:04:05.000Z", "kind": "user", "role": "user",
        "parts": [{"text": text or f"text {number}"}],
    }  # fmt: skip


def remembering(cache: str, name: str | None = None, model: str | None = None) -> Counter:
    """A new counter with this memory; vocabularies are loaded once."""
    counter = open_counter(name, model=model, cache=cache)
    counter.run = SIZE
    counter._exact = open_counter(counter.vocabulary)._exact  # type: ignore[method-assign]
    return counter


def view_of(data: bytes) -> View:
    return fold(read_log(data))


def cost(counter: Counter, view: View) -> int:
    """What all messages cost, counted one by one."""
    return sum(counter.message + sum(p) for m, p in zip(view.messages, part_tokens(PLAIN, view.messages), strict=True)
               if formula.sent(m))  # fmt: skip


@settings(max_examples=examples(60))
@given(data=files_of(), more=files_of())
def test_remembered_and_counted_are_the_same(data: bytes, more: bytes) -> None:
    """Of any log, and again with other lines after it: undone, edited, cleared, compacted, torn."""
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "tokens.sqlite")
        for lines in (data, data, data + b"\n" + more, more):
            view = view_of(lines)
            counter = remembering(cache)
            expected = part_tokens(PLAIN, view.messages)
            assert part_tokens(counter, view.messages) == expected
            assert part_tokens(remembering(cache), view.messages) == expected
            assert formula.recalled(remembering(cache), view.messages) == cost(PLAIN, view)


def test_a_run_is_one_look_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = str(tmp_path / "tokens.sqlite")
    data = encode([line(number) for number in range(2 * SIZE + 1)])
    part_tokens(remembering(cache), view_of(data).messages)
    asked: list[str] = []
    recall = memory.recall

    def counted(path: str, keys: list[bytes], table: str = "tokens") -> Any:
        asked.extend([table] * len(keys))
        return recall(path, keys, table)

    monkeypatch.setattr(memory, "recall", counted)
    part_tokens(remembering(cache), view_of(data).messages)
    assert asked == ["runs", "runs", "tokens"]


def test_a_run_with_something_undone_or_edited_is_another(tmp_path: Path) -> None:
    cache = str(tmp_path / "tokens.sqlite")
    base = [line(number, "word " * (number + 1)) for number in range(3 * SIZE)]
    changes: list[list[dict[str, Any]]] = [
        [],
        [{"type": "revert", "id": "r", "of": "m1", "ts": "t"}],
        [{"type": "update", "id": "u", "of": "m1", "parts": [{"text": "x " * 50}]}, {"type": "commit", "of": "u"}],
        [{"type": "clear", "id": "c", "ts": "t"}, line(99)],
    ]  # fmt: skip
    totals = set()
    for change in changes:
        view = view_of(encode([*base, *change]))
        found = part_tokens(remembering(cache), view.messages)
        assert found == part_tokens(PLAIN, view.messages)
        totals.add(sum(map(sum, found)))
    assert len(totals) == len(changes)


def test_equal_bare_lines_count_each(tmp_path: Path) -> None:
    """Runs of the same bytes have one key and are still several runs."""
    cache = str(tmp_path / "tokens.sqlite")
    view = view_of(b'{"role":"user","parts":[{"text":"hello world"}]}\n' * (4 * SIZE + 1))
    part_tokens(remembering(cache), view.messages)
    assert formula.recalled(remembering(cache), view.messages) == cost(PLAIN, view)


def test_another_vocabulary_or_media_rule_remembers_its_own(tmp_path: Path) -> None:
    cache = str(tmp_path / "tokens.sqlite")
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    records = [{**line(number), "parts": [image, {"text": "日本語 strange"}]} for number in range(2 * SIZE)]
    view = view_of(encode(records))
    for name, model in ((None, None), ("cl100k_base", None), (None, "gpt-5"), (None, "gemini-3-pro")):
        counter = remembering(cache, name, model)
        assert part_tokens(counter, view.messages) == part_tokens(
            open_counter(name, model=model), view.messages
        )
