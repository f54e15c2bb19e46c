"""A program that goes on with what we write for it sends what we would send, as recorded from the real ones.

`agents/written` holds the sessions and the records; `make test-agents ARGS='--record written again'` makes the
programs say anew what they send. A record holds for the file that it was made of, so that must be what we write today.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import written_cases
from agent_cases import CASES, Case
from agents import AGENTS
from inside import inside
from written_cases import Json, Shared, Written, digest, hash_of, ours, read, shown

SHARED = [
    pytest.param(one, made, id=f"{one.folder.name}-{made.program}") for one, made in written_cases.shared()
]
AGAIN = [pytest.param(case, made, id=case.id) for case, made in written_cases.again()]


@pytest.mark.parametrize(("case", "made"), SHARED)
def test_a_program_sends_of_our_file_what_we_would_send(
    case: Shared, made: Written, tmp_path: Path
) -> None:
    recorded = read(case.record(made.program))
    assert hash_of(made.data()) == recorded.get("file"), "make test-agents ARGS='--record written'"
    expected = shown(ours(made.session, made.speaks, tmp_path))
    _compare({key: recorded.get(key) for key in expected}, expected, recorded.get("why"))


@pytest.mark.parametrize(("case", "made"), AGAIN)
def test_a_program_sends_its_own_session_as_before(case: Case, made: Written, tmp_path: Path) -> None:
    recorded = read(written_cases.AGAIN).get(case.id, {})
    assert hash_of(made.data()) == recorded.get("file"), "make test-agents ARGS='--record again'"
    expected = digest(ours(made.session, made.speaks, tmp_path))
    _compare({"sha256": recorded.get("sha256")}, {"sha256": expected}, recorded.get("why"))


def _compare(recorded: Json, ours: Json, why: str | None) -> None:
    if why is None:
        assert recorded == ours
    else:
        assert recorded != ours, "it is equal now: its `why` can go"
        assert why.endswith(".")


@pytest.mark.parametrize(("case", "made"), SHARED)
def test_what_is_written_is_read_back(case: Shared, made: Written, tmp_path: Path) -> None:
    """The same texts, calls and results; and its program would lose nothing of it."""
    file = tmp_path / "written.jsonl"
    file.write_bytes(made.data())
    assert inside("verify", str(file), home=tmp_path).code == 0
    back, before = (ours(one, made.speaks, tmp_path) for one in (file, made.session))
    assert _numbered(back) == _numbered(before), case.about


def _numbered(turns: list[Json]) -> list[Json]:
    """The turns with numbers for the ids of calls, which may be in use twice before they are written."""
    numbers = itertools.count()
    waiting: dict[str, list[int]] = {}
    found = []
    for turn in turns:
        parts = []
        for part in turn["parts"]:
            if "call" in part:
                waiting.setdefault(part["id"], []).append(number := next(numbers))
                part = {**part, "id": number}
            elif "result" in part:
                part = {**part, "result": waiting[part["result"]].pop(0)}
            parts.append(part)
        found.append({**turn, "parts": parts})
    return found


def test_the_records_are_of_the_versions_that_are_pinned() -> None:
    pinned = json.loads((CASES.parent / "package.json").read_bytes())["dependencies"]
    for one, made in written_cases.shared():
        assert read(one.record(made.program))["version"] == pinned[AGENTS[made.program].package]
        assert one.about.endswith(".")
