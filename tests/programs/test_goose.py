"""goose's database: what its agent sees, each trap by name."""

import orjson
import pytest

from codeh_history.programs import goose as goose_reader
from codeh_history.programs.model import Session
from in_process import run_ok
from program_copies import shown
from program_databases import GOOSE, database, goose
from support import session_path


def imported(home, tables, *more):
    path = home / "sessions.db"
    path.write_bytes(database(GOOSE)([tables]))
    return run_ok("import", str(path), *more, home=home)


def test_what_only_the_user_sees_is_counted(tmp_path):
    tables = goose()[0]
    tables["messages"][7]["metadata_json"] = {"userVisible": True, "agentVisible": False}
    done = imported(tmp_path, tables)
    for kind in (b"content (systemNotification)", b"message that the agent does not see"):
        assert b"not imported: 1 " + kind in done.err
    assert shown(tmp_path, "goose-g1")[-1] == "A=of A"


def test_a_compaction_since_is_a_summary(tmp_path):
    tables = goose()[0]
    compacted = tables["messages"][2:4]
    for row in tables["messages"][:2]:
        row["metadata_json"] = {}
    del tables["messages"][2:4]
    imported(tmp_path, tables)
    before = session_path(tmp_path, "goose-g1").read_bytes()
    for row in tables["messages"][:6]:
        row["metadata_json"] = {"agentVisible": False}
    tables["messages"][6:6] = compacted
    imported(tmp_path, tables)
    assert session_path(tmp_path, "goose-g1").read_bytes().startswith(before)
    assert shown(tmp_path, "goose-g1") == ["S:in short", "I go on"]


IMAGE = {"type": "image", "data": "iVBORw==", "mimeType": "image/jpeg"}
FOR_USERS = {"annotations": {"audience": ["user"]}}


@pytest.mark.parametrize(
    ("block", "part", "left"),
    [
        (IMAGE, {"inlineData": {"mimeType": "image/jpeg", "data": "iVBORw=="}}, []),
        ({**IMAGE, **FOR_USERS}, None, ["image for the user alone"]),
        ({"type": "text", "text": "x", **FOR_USERS}, None, ["text for the user alone"]),
        (
            {"type": "redactedThinking", "data": "x"},
            {"native": {"provider": "anthropic", "value": {"type": "redacted_thinking", "data": "x"}}},
            [],
        ),
        ({"type": ["text"]}, None, ["content (['text'])"]),
    ],
    ids=["an image", "an image for users", "a text for users", "thoughts that are sealed", "no kind"],
)
def test_a_content_is_a_part_or_is_counted(block, part, left):
    session = Session("goose", "g")
    assert goose_reader.part_of(session, block) == part
    assert list(session.skipped) == left


def test_2026_11_27_a_compaction_and_a_further_response_have_usage(tmp_path):
    tables = goose()[0]
    tables["usage_ledger"].append({**tables["usage_ledger"][2], "id": 4})
    imported(tmp_path, tables)
    total = orjson.loads(run_ok("usage", "--json", home=tmp_path).out)["total"]
    assert (total["responses"], total["input"], total["output"]) == (4, 99 + 9 + 19 + 19, 4 + 5 + 5)
