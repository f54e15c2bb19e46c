"""ATIF's trajectories, each trap by name."""

import orjson
import pytest

from interchange import imported, sessions, short
from program_copies import settings
from program_formats import atif, single
from support import lines, session_path


def test_a_trajectory(tmp_path):
    done = imported(tmp_path, single(atif()))
    assert done.text == "atif-s1"
    assert b"not imported: 1 sub-agent" in done.err
    (records,) = sessions(tmp_path, done)
    assert short(records) == [
        ("user", "one+[image: images/1.png]"),
        ("codeh", "(hm)+see+f A+g B"),
        ("tool", "A=of A+B=[sub-agent: t2]"),
        ("codeh", "two"),
    ]
    assert settings(records) == {"system": "be good"}
    said = next(r for r in records if r.get("kind") == "codeh")
    assert (said["model"], said["usage"]["input"], said["usage"]["cached"]) == ("gpt-5", 9, 3)
    assert records[0]["imported"]["version"] == "ATIF-v1.7"


def test_sub_agents_of_a_trajectory_as_branches(tmp_path):
    found = sessions(tmp_path, imported(tmp_path, single(atif()), "t.json", "--branches"))
    assert [records[0]["id"] for records in found] == ["atif-s1", "atif-s1-t2"]
    assert found[1][0]["parent"]["session"] == "atif-s1"


def test_the_official_models_take_the_sample(tmp_path):
    official = pytest.importorskip("atif")
    value = official.Trajectory.model_validate(atif()[0]).to_json_dict()
    assert imported(tmp_path, orjson.dumps(value)).text == "atif-s1"
    assert len(short(lines(session_path(tmp_path, "atif-s1")))) == 4
