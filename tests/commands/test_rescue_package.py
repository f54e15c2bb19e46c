"""Where a rescued session goes: to the program it is of, to another one, or to a new session here, never over the old."""

import orjson
import pytest

from codeh_history.base.errors import Usage
from codeh_history.commands.rescue import Options, destination
from codeh_history.commands.rescue.source import Recovered
from codeh_history.store.resolve import Target
from inside import inside, lay
from strategies import encode, view_of

LOG = [
    {"type": "session", "version": 1, "id": "demo"},
    {"type": "message", "id": "a", "kind": "user", "role": "user", "parts": [{"text": "hi"}]},
    {"type": "message", "id": "b", "kind": "codeh", "role": "model", "parts": [{"text": "ho"}]},
]  # fmt: skip


def found(program):
    return Recovered(Target("f", "argument"), "s", view_of([]), [], program)


@pytest.mark.parametrize(
    ("given", "program", "to"),
    [({}, None, None), ({}, "codex", "codex"), ({"to": "pi"}, "codex", "pi"), ({"to": "pi"}, None, "pi"), ({}, "chatgpt", None),
     ({"install": True}, "codex", "codex")],
)  # fmt: skip
def test_it_goes_back_to_its_program_where_that_reads_files_of_ours(given, program, to):
    assert destination(Options(**given), found(program)) == to


@pytest.mark.parametrize(
    ("given", "program", "why"),
    [
        ({"to": "chatgpt"}, "codex", "--to chatgpt: one of "), ({"to": "x"}, None, "--to x: one of "), ({"install": True}, None, "--install requires --to"),
        ({"cwd": "/x"}, "chatgpt", "--cwd requires --to"), ({"title": "T"}, None, "--title requires --to"),
    ],
)  # fmt: skip
def test_what_goes_with_no_such_place_is_exit_2(given, program, why):
    with pytest.raises(Usage, match=rf"^{why}"):
        destination(Options(**given), found(program))


def test_of_ours_a_new_session_is_made_that_names_the_old_one(home):
    path = lay(home, encode(LOG[:2]) + b"{damage\n" + encode(LOG[2:]), "demo")
    before = path.read_bytes()
    done = inside("rescue", "demo", "--output", "new", home=home)
    assert (done.code, done.text) == (0, "new")
    assert path.read_bytes() == before
    header, *rest = (
        orjson.loads(line) for line in (home / "sessions" / "new.jsonl").read_bytes().splitlines()
    )
    assert (header["id"], header["parent"]) == ("new", {"session": "demo", "at": "b"})
    assert [line["id"] for line in rest] == ["a", "b"]
    assert inside("rescue", "demo", "--output", "new", home=home).code == 65
    assert inside("rescue", "demo", home=home).text == "demo-rescued"
