"""ShareGPT's files, each trap by name."""

import pytest

from inside import inside
from program_copies import settings
from program_formats import lined, listed, sharegpt
from support import lines, session_path
from training_files import imported, said


@pytest.mark.parametrize("write", [lined, listed])
def test_sharegpt(write, tmp_path):
    (tmp_path / "x.json").write_bytes(write(sharegpt()))
    done = inside("import", str(tmp_path / "x.json"), home=tmp_path)
    one, two = done.text.split()
    assert two == "sharegpt-x1"
    assert b"not imported: 1 turn of alien" in done.err
    first = lines(session_path(tmp_path, one))
    assert said(first) == ["one", "call_1", "call_1", "two"]
    assert settings(first) == {
        "system": "be good",
        "tools": [{"name": "f", "parameters": {"type": "object"}}],
    }
    assert said(lines(session_path(tmp_path, two))) == ["three"]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ('{"name": "f", "arguments": {}}', ["f"]),
        ('[{"name": "f", "arguments": {}}, {"name": "g", "parameters": {}}]', ["f", "g"]),
        ('{"function": {"name": "f", "arguments": "{}"}, "id": "A"}', ["f"]),
        ("no call at all", []),
    ],
)
def test_calls_of_sharegpt(call, names, tmp_path):
    turns = [{"from": "human", "value": "one"}, {"from": "function_call", "value": call}]
    (records,) = imported(tmp_path, listed([{"conversations": turns}]))
    assert [
        part["functionCall"]["name"] for part in records[-1]["parts"] if "functionCall" in part
    ] == names
    assert names or records[-1]["parts"] == [{"text": call}]
