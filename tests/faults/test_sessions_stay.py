"""No command takes a session away but those whose job it is, and these move it to the trash as it is."""

import pytest

from faults.verbs import COMMANDS

LATER = {"CODEH_NOW": "2100-01-01T00:00:00Z"}  # whatever is old enough to go is
REMOVING = {"rm", "prune --yes"}
REWRITING = {"redact -i", "persist -i", "hydrate -i", "gc", "sync"}


def sessions(home, folder):
    return {path.name: path.read_bytes() for path in (home / folder).glob("*.jsonl")}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_deletes_a_session(name, place, nursery):
    command, home = COMMANDS[name], place / "home"
    command.prepare(home)
    (home / "trash").mkdir(exist_ok=True)
    (home / "trash" / "old.1.jsonl").write_bytes(b'{"role":"user","parts":[{"text":"long ago"}]}\n')
    before, trash = sessions(home, "sessions"), sessions(home, "trash")
    done = nursery.run(command.argv, home, env={**command.env, **LATER}, stdin=command.stdin)
    assert done.code in (0, 1), done.err
    after, removed = sessions(home, "sessions"), sessions(home, "trash")
    back = {file.split(".")[0] for file in trash.keys() - removed.keys()}
    assert back == ({"demo"} if name == "rm --restore" else set())
    assert all(removed[file] == trash[file] for file in trash.keys() & removed.keys())
    gone = before.keys() - after.keys()
    assert bool(gone) == (name in REMOVING)
    assert {before[file] for file in gone} <= set(removed.values())
    kept = before.keys() & after.keys()
    assert name in REWRITING or all(after[file].startswith(before[file]) for file in kept)
