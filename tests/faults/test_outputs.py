"""A stdout that is closed, full, or that nobody reads any more, in every command that prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from nursery import Nursery
from profiles import Tally
from verbs import COMMANDS

from codeh_history.commands import COMMANDS as VERBS

PRINTING = [name for name, command in COMMANDS.items() if command.prints]


def changed(home: Path, before: dict[str, bytes]) -> bool:
    return tree(home) != before


def tree(home: Path) -> dict[str, bytes]:
    """The files of sessions and trash."""
    files = [path for folder in ("sessions", "trash") for path in (home / folder).glob("*")]
    return {str(path): path.read_bytes() for path in files}


def test_every_verb_is_among_the_commands() -> None:
    assert {command.argv[0] for command in COMMANDS.values()} == set(VERBS)


@pytest.mark.parametrize("stdout", ["closed", "full"])
@pytest.mark.parametrize("name", PRINTING)
def test_what_cannot_be_printed_is_74(
    name: str, stdout: str, place: Path, nursery: Nursery, tally: Tally
) -> None:
    """And says that it was stored all the same, where it was."""
    command = COMMANDS[name]
    command.prepare(place := place / "home")
    before = tree(place)
    done = nursery.run(command.argv, place, env=command.env, stdin=command.stdin, stdout=stdout)
    assert done.code == 74, done
    last = done.err.decode().splitlines()[-1]
    assert last.startswith("codeh-history: stdout: ")
    assert ("stored all the same: " in last) == changed(place, before)
    assert changed(place, before) == command.writes
    assert last.count("stored all the same") <= 1
    tally("stdout closed or full", 1)


@pytest.mark.parametrize("name", PRINTING)
def test_a_reader_that_went_away_ends_it_silently(
    name: str, place: Path, nursery: Nursery, tally: Tally
) -> None:
    """141, and what was to be stored is stored."""
    command = COMMANDS[name]
    command.prepare(place := place / "home")
    before = tree(place)
    done = nursery.run(
        [*command.argv, *QUIET.get(name, ["-q"])],
        place,
        env=command.env,
        stdin=command.stdin,
        stdout="broken",
    )
    assert (done.code, done.err) == (141, b"")
    assert changed(place, before) == command.writes
    tally("a reader that goes away", 1)


QUIET = {"completion": [], "context": []}
