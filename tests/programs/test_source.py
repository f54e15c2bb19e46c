"""A source's values one at a time, in bounded memory; a damaged one costs only itself."""

import orjson
import pytest

from codeh_history.programs.model import Session
from codeh_history.programs.protocol import Head, Source, Unreadable
from codeh_history.programs.source import first_objects, is_whole, line_objects, objects, sessions


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (b"[1]", True), (b" \n[", True), (b'{"a":1}\n', False), (b'{"a":1}', False), (b'{\n"a": 1}', True), (b'{"a":\n{"b":1}\n}', False), (b"\xef\xbb\xbf[", True),
        (b"text", False), (b"", False), (b'{"a":\n 1}', True), (b'{\n"a":1}\n{"b":1}\n', False),
    ],
)  # fmt: skip
def test_whether_a_file_is_one_value_or_lines(data, *, whole):
    """An object that goes over lines, none of which is one by itself."""
    assert is_whole(data) is whole


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a":1}', [{"a": 1}]), (b'[{"a":1},5,{"b":2}]', [{"a": 1}, {"b": 2}]), (b'[{"a":1},{"b":', [{"a": 1}, {}]), (b'{"a":[1,{"b":2', {"a": [1, {"b": 2}]}),
        (b"\xef\xbb\xbf{}", [{}]), (b"5", []), (b"x", []), (b"", []), (b"[" + b"{}," * 30 + b"{}]", [{}] * 20),
    ],
)  # fmt: skip
def test_a_partial_value_is_enough_to_recognise_the_program(data, expected):
    assert first_objects(data) == (expected if isinstance(expected, list) else [expected])


class Whole(Source):
    """A source that is one value."""

    def __init__(self, data):
        super().__init__(data, "x")
        self.head = Head(data, (), whole=is_whole(data))


def read(data):
    problems = []
    values = list(objects(Whole(data), problems))
    return values, [problem.reason for problem in problems]


def deep(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


ENDS, REST = "unexpected end of JSON", "; the rest is not read"
ONE, TWO = {1: {"a": 1}}, {1: {"a": 1}, 2: {"b": 2}}
VALUES = {  # the bytes; the values that are read, by number; what the reason says, where there is one
    "a number in a list": (b'[{"a":1},5,{"b":2}]', {1: {"a": 1}, 3: {"b": 2}}, "conversation 2: not an object"),
    "lines": (b'{"a":1}\n{"b":2}\n', TWO, ""), "an object of two lines": (b'{\n"a":1}', ONE, ""),
    "an empty list": (b"[]", {}, ""), "a list that is none": (b'[{"a":1}, x]', ONE, "not JSON"),
    "a list that ends": (b'[{"a":1},{"b":2},{"c"', TWO, f"{ENDS} after 2 conversations{REST}"),
    "an object that ends": (b'{\n"a":1,\n"b":[1,2', {1: {"a": 1, "b": [1, 2]}}, f"{ENDS}; what precedes it is read"),
    "above 64 bits": (b'[{"a":1},{"a":123456789012345678901234567890},{"a":2}]', ONE, f"after 1 conversations{REST}"),
    "just above": (b'[{"a":1},{"a":9223372036854775808},{"a":2}]', ONE, f" after 1 conversations{REST}"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "values", "why"), VALUES.values(), ids=VALUES)
def test_values_are_numbered_and_read_up_to_damage(data, values, why):
    read_values, reasons = read(data)
    assert dict(read_values) == values
    assert len(reasons) == bool(why)
    assert not why or why in reasons[0]


def test_a_file_of_no_value_is_unreadable():
    with pytest.raises(Unreadable):
        read(b"[x")


def test_a_too_deeply_nested_value_is_skipped_alone():
    values, reasons = read(orjson.dumps([deep(200), deep(245), deep(2)]))
    assert [number for number, _ in values] == [1, 3]
    assert "nested deeper" in reasons[0]


def made(data):
    def read(value, number):
        if "skip" in value:
            raise Unreadable(f"{number} is skipped")
        return Session("x", str(number), settings=value)

    return list(sessions(Whole(data), read))


def test_each_object_is_a_session_that_carries_the_problems_after_it():
    sessions = made(b'[{"a":1},5,{"skip":1},{"b":1},6]')
    assert [(session.id, len(session.problems)) for session in sessions] == [("1", 2), ("4", 1)]
    with pytest.raises(Unreadable, match="1 is skipped"):
        made(b'[{"skip":1}]')
    with pytest.raises(Unreadable, match="not an object"):
        made(b"[5]")
    with pytest.raises(Unreadable, match="no conversation in it"):
        made(b"[]")


def read_lines(data):
    problems = []
    values = list(line_objects(Source(data, "x"), problems, recognises))
    return values, problems


def recognises(head):
    return any("own" in value for value in head.objects)


A, OWN = b'{"a":1}', b'{"own":{"x":{}}}'
CASES = {
    # the bytes; the numbers of what is read; what is wrong on which line, and whether it was mended
    "objects": (A + b"\n" + A + b"\n", [1, 2], []), "without the last end": (A + b"\n" + A, [1, 2], []), "blank lines": (b"\n \n" + A + b"\n", [3], []),
    "a mark first": (b"\xef\xbb\xbf" + A + b"\n", [1], []), "a mark later": (A + b"\n\xef\xbb\xbf" + A + b"\n", [1], [(2, False)]),
    "no object": (b"5\n[]\n" + A + b"\n", [3], [(1, False), (2, False)]), "no JSON": (b"x\n" + A + b"\n", [2], [(1, False)]),
    "a torn last line": (A + b'\n{"a', [1], [(2, False)]), "a whole line at the end of a torn one": (b'{"a":"x' + OWN + b"\n" + A + b"\n", [1, 2], [(1, True)]),
    "another's at its end": (b'{"a":"x' + A + b"\n", [], [(1, False)]), "torn at the end of the file": (b'{"a":"x' + OWN, [1], [(1, True)]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "numbers", "wrong"), CASES.values(), ids=CASES)
def test_a_damaged_line_costs_itself(data, numbers, wrong):
    values, problems = read_lines(data)
    assert [number for number, _ in values] == numbers
    assert [(problem.line, problem.mended is not None) for problem in problems] == wrong
    assert {problem.effect for problem in problems} <= {"skips"}


def test_the_complete_object_of_a_joined_line_is_read_and_a_torn_line_named():
    values, problems = read_lines(b'{"type":"x","text":"{' + OWN + b"\n")
    assert values == [(1, {"own": {"x": {}}})]
    assert "not JSON" in problems[0].reason
    assert [problem.reason for problem in read_lines(b'{"a')[1]] == ["torn last line"]


def test_beside_a_file_in_memory_nothing_is_read():
    held = Source(b"ab\ncd", "x")
    assert (list(held.lines()), held.names("y")) == ([b"ab\n", b"cd"], [])
    for ask in (lambda: held.beside("y"), lambda: held.member("y", 1), lambda: list(held.rows("y") or ())):
        with pytest.raises(Unreadable):
            ask()
