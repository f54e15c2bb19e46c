"""The lines of a source that are objects: a damaged one costs itself, and a whole one that ran into it is read."""

import pytest

from codeh_history.programs.protocol import Refused
from codeh_history.programs.source import Held, line_objects


def read(data):
    problems = []
    found = list(line_objects(Held(data, "x"), problems, recognises))
    return found, problems


def recognises(head):
    return any("own" in one for one in head.objects)


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
    found, problems = read(data)
    assert [number for number, _ in found] == numbers
    assert [(problem.line, problem.mended is not None) for problem in problems] == wrong
    assert {problem.effect for problem in problems} <= {"skips"}


def test_of_a_joined_line_the_whole_object_is_read():
    found, problems = read(b'{"type":"x","text":"{' + OWN + b"\n")
    assert found == [(1, {"own": {"x": {}}})]
    assert "not JSON" in problems[0].reason


def test_a_torn_line_is_said_to_be_one():
    assert [problem.reason for problem in read(b'{"a')[1]] == ["torn last line"]


def test_beside_a_file_in_memory_nothing_is_read():
    held = Held(b"ab\ncd", "x")
    assert (list(held.lines()), held.names("y")) == ([b"ab\n", b"cd"], [])
    for ask in (lambda: held.beside("y"), lambda: held.member("y", 1), lambda: list(held.rows("y") or ())):
        with pytest.raises(Refused):
            ask()
