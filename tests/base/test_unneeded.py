"""orjson is loaded without what it imports for types of no session, and whoever needs that later has all of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGUN = "import sys; sys.path[:0] = {path!r}\nfrom codeh_history.base.unneeded import left_out\n"


def printed(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-ISc", BEGUN.format(path=sys.path) + code], capture_output=True,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def test_nothing_of_it_stays_loaded_or_stands_for_anything() -> None:
    names = ["dataclasses", "enum", "json", "uuid", "re", "ast", "tokenize"]
    assert printed(
        f"left_out(); print([n for n in {names} if n in sys.modules], 'orjson' in sys.modules)"
    ) == ["[] True"]


@pytest.mark.parametrize(
    "code",
    [
        "import json; print(json.loads('[1]'), issubclass(json.JSONDecodeError, ValueError))",
        "import dataclasses, enum, uuid\nprint([1], dataclasses.is_dataclass(dataclasses.make_dataclass('A', 'b')))",
        "import inspect; print([1], inspect.isfunction(left_out))",
        "from inspect import signature; print([1], str(signature(left_out)) == '() -> \\'None\\'')",
        "import typing, re, logging; print([1], True)",
        "left_out(); import orjson; print(orjson.loads('[1]'), True)",
    ],
)
def test_what_is_imported_afterwards_is_whole(code: str) -> None:
    assert printed(f"left_out()\n{code}") == ["[1] True"]


def test_what_is_loaded_already_stays_the_same() -> None:
    assert printed(
        "import json, enum; before = sys.modules['json'], sys.modules['enum']\nleft_out()\n"
        "print((sys.modules['json'], sys.modules['enum']) == before)"
    ) == ["True"]


def test_what_orjson_cannot_read_it_says_as_it_always_does() -> None:
    code = """if True:
        import orjson
        try:
            orjson.loads('["ü", tru')
        except ValueError as error:
            print(error, "|", error.msg, error.pos, error.doc, error.lineno, error.colno, error.args)
    """
    assert printed("left_out()\n" + code) == printed(code)
