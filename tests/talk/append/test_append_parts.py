"""What `append` stores besides text: exchanges, tool calls and results; and that secrets are removed first."""

import base64

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.session.records import MAX_DEPTH
from codeh_history.talk.append.jsonl import parse_exchange as checked
from codeh_history.talk.append.options import Options
from codeh_history.talk.append.parts import Cleaning, calls, response_of
from in_process import run_in_process

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
        (orjson.dumps({**ENTRY, "toolsUsed": [1]}), "f: `toolsUsed` must be a list of names"),
        (orjson.dumps({**ENTRY, "timestamp": 7}), "f: `timestamp` "), (b'"text"', "f: a history entry (an object) expected"),
        (orjson.dumps({**ENTRY, "id": ""}), "f: `id` must be text"), (orjson.dumps({**ENTRY, "id": 7}), "f: `id` must be text"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_one_is_said_by_field(data, why):
    with pytest.raises(BadData) as error:
        checked(data, "f")
    assert str(error.value).startswith(why)


def test_with_an_id_it_is_stored_once(home):
    entry = orjson.dumps({**ENTRY, "id": "e1"})
    for _ in range(2):
        assert run_in_process("append", "-s", "s", "--exchange", "-", home=home, stdin=entry).text == "e1"
    assert (home / "sessions/s.jsonl").read_bytes().count(b"\n") == 3
    other = entry.replace(b'"r"', b'"other"')
    assert run_in_process("append", "-s", "s", "--exchange", "-", home=home, stdin=other).code == 65
    assert (home / "sessions/s.jsonl").read_bytes().count(b"\n") == 3


DEEP = '{"a":' * (MAX_DEPTH - 5) + "1" + "}" * (MAX_DEPTH - 5)


@pytest.mark.parametrize(
    ("names", "args", "ids"),
    [
        ([], [], []), (["a"], [], []), (["a"], ["{}"], ["i"]), (["a", "b"], ["{}", "{}"], []), (["a", "b"], [], ["i", "j"]),
        ([], [], ["i"]), (["a", "b"], [], ["", ""]),
    ],
)  # fmt: skip
def test_all_calls_have_their_arguments_and_ids_or_none(names, args, ids):
    values = {"call": names, "args": args, "call_id": ids, "result": "a" if ids and not names else None}
    Options(**{name: value for name, value in values.items() if value}).check()


def test_calls_stand_in_their_order_each_with_its_own():
    assert calls(["a", "b"], ['{"x":1}', "{}"], ["i", ""]) == [
        {"functionCall": {"id": "i", "name": "a", "args": {"x": 1}}}, {"functionCall": {"name": "b", "args": {}}},
    ]  # fmt: skip
    assert calls(["a"], [], []) == [{"functionCall": {"name": "a", "args": {}}}]
    assert calls([], [], []) == []


@pytest.mark.parametrize(
    ("text", "response"),
    [
        ('{"a": 1}', {"a": 1}), (' \n{"a":1}\n', {"a": 1}), ("{}", {}), ("done", {"output": "done"}), ("", {"output": ""}),
        ("[1]", {"output": "[1]"}), ("7", {"output": "7"}), ("{a}", {"output": "{a}"}), ('{"a":1}{', {"output": '{"a":1}{'}),
        (DEEP, "as it is"), (f'{{"a":{DEEP}}}', {"output": f'{{"a":{DEEP}}}'}),
    ],
    ids=["object", "with blanks", "empty", "text", "nothing", "list", "number", "no JSON", "more behind", "deep", "too deep"],
)  # fmt: skip
def test_a_json_object_is_the_response_and_anything_else_is_its_output(text, response):
    found = response_of(text)
    assert found == response or (response == "as it is" and "output" not in found)


SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"[:16]


def part(data, mime="text/plain"):
    return {"inlineData": {"mimeType": mime, "data": base64.b64encode(data).decode()}}


def test_what_was_found_is_counted_by_kind_and_never_shown(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        cleaning = Cleaning(Env({}, stderr=err.fileno()))
        cleaning.report()
        plain = [{"text": "nothing here"}]
        assert cleaning.value(plain, "parts") is plain
        clean = cleaning.value([{"text": f"my token is {SECRET} and again {SECRET}"}], "parts")
        assert SECRET not in str(clean)
        assert "[redacted:" in str(clean)
        cleaning.report()
    said = (tmp_path / "err").read_text()
    assert said.count("\n") == 1
    assert "secret" in said
    assert SECRET not in said


def test_a_text_file_is_looked_into_and_of_another_it_is_said(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        cleaning = Cleaning(Env({}, stderr=err.fileno()))
        found = cleaning.file("a.txt", part(f"token={SECRET}\n".encode()))
        assert SECRET.encode() not in base64.b64decode(found["inlineData"]["data"])
        assert (tmp_path / "err").read_text() == ""
        image = part(b"\x89PNG\xff\0", "image/png")
        assert cleaning.file("i.png", image) == image
    assert (tmp_path / "err").read_text() == (
        "codeh-history: i.png (image/png): stored unchanged: --redact reads only text\n"
    )
