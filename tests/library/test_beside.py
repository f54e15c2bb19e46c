"""A program that uses the library sees Python and orjson as they are without it, whatever it imports first."""

import subprocess
import sys

import pytest

from support import environ

USED = """
import os, tempfile
from codeh_history import Session, BadData
ANSWER = '{"candidates":[{"content":{"role":"model","parts":[{"text":"So."}]},"finishReason":"STOP"}]}'
with Session.open("s", create=True) as s:
    s.append("Why?")
    s.append_response(ANSWER.encode())
    s.append("And then?")
    s.payload("gemini")
    s.ask("Go on", to="gemini", via="cat > /dev/null; echo '" + ANSWER + "'")
    s.curate(), s.compact(budget=5000), s.export("html"), s.summarize(max_conversations=1, min_batch=1), s.calls()
try:
    Session.open("s").append_response(b"[tru")
except BadData:
    pass
"""
SEEN = """
import dataclasses, enum, inspect, json, sys, types, uuid
import orjson
Colour = enum.Enum("Colour", "RED")
Point = dataclasses.make_dataclass("Point", [("x", int, 1)])
print(orjson.dumps([Colour.RED, Point(), uuid.UUID(int=1)]))
print(orjson.JSONDecodeError.__mro__)
print([type(sys.modules[name]) for name in ("dataclasses", "enum", "inspect", "json", "uuid")])
print(inspect.isfunction(print), inspect.signature(Point), inspect.getsourcefile(json) == json.__file__)
"""
SIGNED = """
import inspect, pickle, copy
from codeh_history import HistoryError, NotFound, Session
print("budget" in inspect.getdoc(Session) or bool(inspect.signature(Session.append).parameters))
print(type(pickle.loads(pickle.dumps(NotFound("x")))) is NotFound, copy.copy(NotFound("y")).code)
"""


def printed(code, home):
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code], check=False, capture_output=True, env=environ({}, home),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


BEFORE = {
    "imported": "import codeh_history\n",
    "used": USED,
    "used after json": "import json, enum\n" + USED,
    "used before pydantic": USED + "import pydantic\n",
}


@pytest.mark.parametrize("before", BEFORE)
def test_a_program_sees_what_it_sees_without_the_library(before, home):
    assert printed(BEFORE[before] + SEEN, home) == printed(SEEN, home)


def test_its_methods_and_errors_can_be_looked_at_and_sent(home):
    assert printed(USED + SIGNED, home) == ["True", "True 3"]


def test_in_the_command_what_is_imported_later_is_whole(home):
    """A command that has loaded orjson without them, and then what a program of its own needs."""
    ran = "import sys\nfrom codeh_history.main import run\nfrom codeh_history.base.env import Env\n"
    ran += "code = run(['list', '-q'], Env())\nassert not code, code\n"
    looked = "\n".join(line for line in SEEN.splitlines() if not line.startswith("print(orjson"))
    assert printed(ran + looked, home)[1:] == printed(looked, home)[1:]
