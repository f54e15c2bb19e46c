"""What we would send of another program's session is what that program would send, as recorded from the real ones.

A case (`agents/cases/PROGRAM/CASE`) whose view here is another one, on purpose, has an `ours.json`: why, and which.
`make test-agents` holds the records to the programs themselves; `make golden` rewrites what `ours.json` and the table
of docs/programs.md say.
"""

import json
import re

import pytest

import sent
from agent_cases import CASES, cases, chosen, older, ours, recorded, table, written
from coding_agents import AGENTS
from support import ROOT

PAGE = ROOT / "docs" / "programs.md"
EACH = [pytest.param(case, id=case.id) for case in cases()]


@pytest.mark.parametrize("case", EACH)
def test_the_view_is_what_the_program_would_send(case, tmp_path, request):
    turns = ours(case, tmp_path)
    if not case.chosen.exists():
        assert turns == recorded(case).get("turns")
        return
    if request.config.getoption("--golden"):
        case.chosen.write_text(written({"why": chosen(case)["why"], "turns": turns}))
    assert turns == chosen(case)["turns"]
    assert turns != recorded(case).get("turns"), "it is equal now: its ours.json can go"


@pytest.mark.parametrize("case", [pytest.param(c, id=c.id) for c in cases() if c.older.exists()])
def test_the_view_is_what_an_older_version_would_send_or_the_record_gives_the_reason(case, tmp_path):
    pinned = json.loads((CASES.parent / "older" / "package.json").read_bytes())["dependencies"]
    assert older(case)["version"] == pinned[AGENTS[case.program].package]
    is_equal = ours(case, tmp_path) == older(case).get("turns")
    assert is_equal != ("why" in older(case) or case.chosen.exists())


def test_2026_11_23_what_the_record_does_not_know_is_in_it():
    own = "The date has changed. Today's date is now 2026-01-03. DO NOT mention this to the user explicitly because they are already aware."
    notes = [f"{own}\n\nA thing that no version said.", f"<system-reminder>\n{own}\n</system-reminder>"]
    messages = [{"role": "user", "content": "Hi."}, {"role": "system", "content": notes[0]}]
    messages += [
        {"role": "user", "content": notes[1]},
        {"role": "user", "content": f"<system-reminder>\nNew.\n{own}\n</system-reminder>"},
    ]
    (turn,) = sent.turns("anthropic", {"messages": messages})
    assert [part["text"] for part in turn["parts"]] == [
        "Hi.",
        f"{own}\n\nA thing that no version said.",
        f"New.\n{own}",
    ]
    items = [
        {"role": "developer", "content": "<news>"},
        {"role": "user", "content": "<environment_context>x</environment_context>"},
    ]
    items.append({"role": "user", "content": "<environment_context>x</environment_context>\nand more"})
    (turn,) = sent.turns("openai-responses", {"input": items})
    assert [part["text"] for part in turn["parts"]] == ["<news>", items[2]["content"]]


def test_the_records_are_of_the_versions_that_are_pinned():
    pinned = json.loads((CASES.parent / "package.json").read_bytes())["dependencies"]
    for case in cases():
        assert recorded(case)["version"] == pinned[AGENTS[case.program].package], case.id
        assert case.about.endswith("."), case.id


def test_the_page_has_the_table_of_these_cases(request):
    page = PAGE.read_text()
    new = re.sub(
        r"(?s)(<!-- the table -->\n).*(<!-- its end -->)", lambda match: match[1] + table() + match[2], page
    )
    if request.config.getoption("--golden"):
        PAGE.write_text(new)
    assert PAGE.read_text() == new
