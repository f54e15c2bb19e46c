"""A line of requests: what it asks for, and that a wrong one is refused with what is wrong, and with its id."""

import orjson
import pytest
from hypothesis import given

from codeh_history.commands.serve.request import Cancel, Refusal, Request, read
from strategies import json_values


def asked(**fields):
    return read(orjson.dumps({"id": 1, "argv": ["list"], **fields}))


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({}, {}), ({"id": "x"}, {"id": "x"}), ({"stdin": "ü"}, {"stdin": "ü".encode()}), ({"stdin64": "/w=="}, {"stdin": b"\xff"}),
        ({"stdin": None, "stdin64": "YQ=="}, {"stdin": b"a"}), ({"stdin": ""}, {"stdin": b""}), ({"cwd": "/x"}, {"cwd": "/x"}),
        ({"env": {"A": "1", "B": None}}, {"environ": {"A": "1", "B": None}}), ({"stream": True}, {"stream": True}),
        ({"argv": ["append", "-m", ""]}, {"argv": ["append", "-m", ""]}),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_to_be_run(fields, found):
    line = orjson.dumps({"id": 1, "argv": ["list"], **fields})
    assert read(line) == Request(**{"id": 1, "argv": ["list"], **found})


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"argv": []}, "argv: a list of texts"), ({"argv": "list"}, "argv: a list"), ({"argv": ["a", 1]}, "argv: a list"),
        ({"argv": None}, "argv: a list"), ({"argv": ["a\0"]}, "hold no NUL"), ({"cwd": 1}, "cwd: a text"), ({"cwd": "\0"}, "hold no NUL"),
        ({"stream": 1}, "stream: true or false"), ({"env": []}, "env: an object"), ({"env": {"A": 1}}, "env: an object"),
        ({"env": {"": "x"}}, "env: an object"), ({"env": {"A=B": "x"}}, "env: an object"), ({"env": {"A": "\0"}}, "hold no NUL"),
        ({"stdin": 1}, "stdin: a text"), ({"stdin64": 1}, "stdin64: a text"), ({"stdin64": "?"}, "stdin64: not base64"),
        ({"stdin64": "YQ"}, "stdin64: not base64"), ({"stdin": "", "stdin64": ""}, "one of them"), ({"argvs": 1}, "argvs: no such field; did you mean argv"),
        ({"later": 1}, "later: no such field"), ({"argv": ["chat"]}, "chat is not for `serve`"), ({"argv": ["serve", "x"]}, "serve is not for"),
        ({"argv": ["--", "serve"]}, "serve is not for"), ({"argv": ["--", "--", "chat", "-s", "x"]}, "chat is not for"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_by_its_id(fields, why):
    found = asked(**fields)
    assert isinstance(found, Refusal)
    assert found.id == 1
    assert why in str(found.error)


@pytest.mark.parametrize("id", [None, True, 1.5, [], {}])
def test_an_id_is_a_text_or_an_integer(id):
    for line in ({"id": id, "argv": ["list"]}, {"cancel": id}):
        found = read(orjson.dumps(line))
        assert isinstance(found, Refusal)
        assert found.id is None
        assert str(found.error).endswith(": a text or an integer expected")


def test_a_request_is_cancelled_by_its_id_alone():
    assert read(b'{"cancel":"x"}') == Cancel("x")
    assert str(read(b'{"cancel":1,"id":2}').error) == "cancel goes alone"  # type: ignore[union-attr]


@pytest.mark.parametrize("line", [b"", b"{", b"\xff", b"[]", b"7", b'"x"'])
def test_a_line_that_is_no_object_is_nobodys(line):
    found = read(line)
    assert isinstance(found, Refusal)
    assert found.id is None


@given(json_values)
def test_no_line_is_a_bug(value):
    assert isinstance(read(orjson.dumps(value)), Refusal)
    assert isinstance(read(orjson.dumps({"id": 1, "argv": value, "env": value})), Request | Refusal)
