"""What we would send of another program's session is what that program would send, as recorded from the real ones.

A case (`agents/cases/PROGRAM/CASE`) whose view here is another one, on purpose, has an `ours.json`: why, and which.
`make test-agents` holds the records to the programs themselves; `make golden` rewrites what `ours.json` and the table
of docs/programs.md say.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agent_cases import CASES, Case, cases, chosen, ours, recorded, table, written
from coding_agents import AGENTS
from support import ROOT

PAGE = ROOT / "docs" / "programs.md"
NO_READER: tuple[str, ...] = ()  # whose sessions cannot be imported yet


def _params() -> list[object]:
    def marks(case: Case) -> list[pytest.MarkDecorator]:
        return [pytest.mark.xfail(reason="no reader yet")] if case.program in NO_READER else []

    return [pytest.param(case, id=case.id, marks=marks(case)) for case in cases()]


@pytest.mark.parametrize("case", _params())
def test_the_view_is_what_the_program_would_send(
    case: Case, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    found = ours(case, tmp_path)
    if not case.chosen.exists():
        assert found == recorded(case).get("turns")
        return
    if request.config.getoption("--golden"):
        case.chosen.write_text(written({"why": chosen(case)["why"], "turns": found}))
    assert found == chosen(case)["turns"]
    assert found != recorded(case).get("turns"), "it is equal now: its ours.json can go"


def test_the_records_are_of_the_versions_that_are_pinned() -> None:
    pinned = json.loads((CASES.parent / "package.json").read_bytes())["dependencies"]
    for case in cases():
        assert recorded(case)["version"] == pinned[AGENTS[case.program].package], case.id
        assert case.about.endswith("."), case.id


def test_the_page_has_the_table_of_these_cases(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text()
    new = re.sub(
        r"(?s)(<!-- the table -->\n).*(<!-- its end -->)",
        lambda found: found[1] + table(NO_READER) + found[2],
        page,
    )
    if request.config.getoption("--golden"):
        PAGE.write_text(new)
    assert PAGE.read_text() == new
