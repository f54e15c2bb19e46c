"""`append --exchange`: a history entry is stored as its two messages, once, and a wrong one not at all."""

import orjson
import pytest

from codeh_history.append.exchange import checked
from codeh_history.base.errors import BadData, Usage
from inside import inside

ENTRY = {"userMessage": "q", "assistantResponse": "r"}


@pytest.mark.parametrize("more", [{}, {"source": "direct"}, {"toolsUsed": ["ls"]}, {"timestamp": "2026-01-01T00:00:00Z"},
                                  {"id": "c1"}, {"assistantResponse": ""}, {"later": [1]}, {"id": None}])  # fmt: skip
def test_an_entry_is_taken_as_it_is(more):
    assert checked(orjson.dumps({**ENTRY, **more}), "f") == {**ENTRY, **more}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "f: not JSON"), (b"[]", "f: a history entry (an object) expected"),
        (b"{}", "f: `userMessage` is missing, `assistantResponse` is missing; nothing was stored"),
        (orjson.dumps({**ENTRY, "userMessage": 7}), "f: `userMessage` must be text"),
        (orjson.dumps({**ENTRY, "userMessage": " \n"}), "f: `userMessage` is empty; nothing was stored"),
        (orjson.dumps({**ENTRY, "timestamp": "soon"}), "f: `timestamp` is not a time"),
        (orjson.dumps({**ENTRY, "toolsUsed": "ls"}), "f: `toolsUsed` must be a list of names"),
        (orjson.dumps({**ENTRY, "id": ""}), "f: `id` must be text"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_one_is_said_by_field(data, why):
    with pytest.raises(BadData) as error:
        checked(data, "f")
    assert str(error.value).startswith(why)


def test_an_unknown_source_is_exit_2():
    with pytest.raises(Usage, match=r"^f: `source` must be one of"):
        checked(orjson.dumps({**ENTRY, "source": "ftp", "timestamp": "soon"}), "f")


def test_without_an_id_it_gets_one_that_both_messages_hang_on(home):
    env = {"CODEH_NOW": "2026-01-02T03:04:05Z"}
    done = inside("append", "-s", "s", "--exchange", "-", home=home, stdin=orjson.dumps(ENTRY), env=env)
    _, asked, answered = (
        orjson.loads(line) for line in (home / "sessions/s.jsonl").read_bytes().splitlines()
    )
    assert done.text == asked["id"]
    assert answered["id"].startswith(asked["id"])
    assert [line["parts"] for line in (asked, answered)] == [[{"text": "q"}], [{"text": "r"}]]
    assert asked["ts"] == "2026-01-02T03:04:05.000Z"
    (again,) = orjson.loads(inside("export", "s", "--to", "exchanges", home=home).out)
    assert (again["userMessage"], again["assistantResponse"]) == ("q", "r")


def test_with_an_id_it_is_stored_once(home):
    entry = orjson.dumps({**ENTRY, "id": "e1"})
    for _ in range(2):
        assert inside("append", "-s", "s", "--exchange", "-", home=home, stdin=entry).text == "e1"
    assert (home / "sessions/s.jsonl").read_bytes().count(b"\n") == 3
    other = entry.replace(b'"r"', b'"other"')
    assert inside("append", "-s", "s", "--exchange", "-", home=home, stdin=other).code == 65
    assert (home / "sessions/s.jsonl").read_bytes().count(b"\n") == 3
