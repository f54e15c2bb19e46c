"""A program that goes on with what we write for it sends what we would send, as recorded from the real ones.

`agents/written` holds the sessions and the records; `make test-agents ARGS='--record written again'` makes the
programs say anew what they send. A record holds for the file that it was made of, so that must be what we write today.
"""

import json
import re

import pytest

import written_cases
from agent_cases import CASES
from codeh_history.programs.registry import WRITTEN
from coding_agents import AGENTS, PROMPT, SAID
from in_process import run_ok
from sent import numbered
from support import ROOT
from written_cases import digest, hash_of, ours, read, shown, spoken

PAGE = ROOT / "docs" / "programs.md"
SHARED = [
    pytest.param(one, made, id=f"{one.folder.name}-{made.program}") for one, made in written_cases.shared()
]
AGAIN = [pytest.param(case, made, id=case.id) for case, made in written_cases.again()]


@pytest.mark.parametrize(("case", "made"), SHARED)
def test_a_program_sends_of_our_file_what_we_would_send(case, made, tmp_path):
    recorded = read(case.record(made.program))
    assert hash_of(made.data()) == recorded.get("file"), "make test-agents ARGS='--record written'"
    expected = shown(ours(made.session, made.speaks, tmp_path))
    _compare({key: recorded.get(key) for key in expected}, expected, recorded.get("why"))


@pytest.mark.parametrize(("case", "made"), AGAIN)
def test_a_program_sends_its_own_session_as_before(case, made, tmp_path):
    recorded = read(written_cases.AGAIN).get(case.id, {})
    assert hash_of(made.data()) == recorded.get("file"), "make test-agents ARGS='--record again'"
    expected = digest(ours(made.session, made.speaks, tmp_path))
    _compare({"sha256": recorded.get("sha256")}, {"sha256": expected}, recorded.get("why"))


def _compare(recorded, ours, why):
    if why is None:
        assert recorded == ours
    else:
        assert recorded != ours, "it is equal now: its `why` can go"
        assert why.endswith(".")


@pytest.mark.parametrize(("case", "made"), SHARED)
def test_written_session_is_read_back(case, made, tmp_path):
    """The same texts, calls and results; and its program would lose nothing of it."""
    file = tmp_path / "written.jsonl"
    file.write_bytes(made.data())
    run_ok("verify", str(file), home=tmp_path)
    speaks = "anthropic" if made.program in ("opencode", "kilo") else made.speaks  # it speaks to all
    back, before = (ours(path, speaks, tmp_path) for path in (file, made.session))
    assert numbered(back) == numbered(before), case.about


def test_a_session_that_each_program_went_on_with_has_what_it_had(tmp_path):
    recorded = read(written_cases.THROUGH)
    added = [
        {"role": "model", "parts": [{"text": SAID}]}, {"role": "user", "parts": [{"text": PROMPT}]}
    ]  # fmt: skip
    before = ours(written_cases.ROUND, "anthropic", tmp_path)
    assert recorded["turns"] == spoken([*before, *added * len(WRITTEN)])
    assert recorded["programs"] == list(WRITTEN)


def test_the_page_has_the_table_of_these_records(request):
    page = PAGE.read_text()
    new = re.sub(
        r"(?s)(<!-- the table of what is written -->\n).*(<!-- its end too -->)",
        lambda match: match[1] + written_cases.table() + match[2],
        page,
    )
    if request.config.getoption("--golden"):
        PAGE.write_text(new)
    assert PAGE.read_text() == new


def test_the_records_are_of_the_versions_that_are_pinned():
    pinned = json.loads((CASES.parent / "package.json").read_bytes())["dependencies"]
    for case, made in written_cases.shared():
        assert read(case.record(made.program))["version"] == pinned[AGENTS[made.program].package]
        assert case.about.endswith(".")
