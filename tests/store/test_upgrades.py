"""Homes that earlier versions wrote are read, changed and read again, by this program and by another reader of format 1.

`fixtures/homes` has what was written before there were compactions, before summaries kept their lines, and by 0.1.0.
"""

import shutil
import subprocess
from base64 import b64encode

import orjson
import pytest

from conformance import Case, shape, view_of
from node import node, script
from support import ROOT, lines, run

HOMES = sorted((ROOT / "fixtures" / "homes").iterdir())
SESSIONS = ("blocks", "long", "trip")
CHANGES = {
    "append": "append -s trip And now?",
    "undo": "undo long",
    "compact": "compact long -i --budget 200",
    "summarize": "summarize long -i --max-conversations 2 --min-batch 1",
    "hydrate": "hydrate blocks -i",
    "update": "update :1 -s trip -m Where?",
}


@pytest.fixture(params=HOMES, ids=lambda path: path.name)
def home(request, tmp_path):
    """A copy of an old home, with a cache that nothing can read."""
    copy = tmp_path / "home"
    shutil.copytree(request.param, copy)
    (copy / "cache").mkdir()
    (copy / "cache" / "tokens.sqlite").write_bytes(b"of an older version")
    (copy / "cache" / "cache.sqlite").write_bytes(b"not a database")
    return copy


def test_an_old_home_is_read_without_a_word(home):
    listed = run("list", "--jsonl", home=home)
    assert {row["id"] for row in listed.lines} == set(SESSIONS)
    assert listed.err == b""
    for session in SESSIONS:
        for verb in ("show", "verify", "stats", "payload --to gemini --prefill", "export --to markdown"):
            done = run(*verb.split(), session, home=home)
            assert (done.code, done.err) == (0, b""), (verb, session)


@pytest.mark.parametrize("change", CHANGES)
def test_an_old_session_is_changed_by_adding_to_it(home, change):
    argv = CHANGES[change].split()
    session = next(word for word in argv if word in SESSIONS)
    path = home / "sessions" / f"{session}.jsonl"
    old = path.read_bytes()
    done = run(*argv, home=home)
    assert done.code == 0, done.err
    new = path.read_bytes()
    assert new != old
    assert change == "hydrate" or new.startswith(old)  # `hydrate -i` replaces the file
    assert run("verify", session, home=home).code == 0


def test_another_reader_of_format_1_reads_what_was_added(home, tmp_path):
    for change in CHANGES.values():
        assert run(*change.split(), home=home).code == 0
    blocks = {path.name: orjson.loads(path.read_bytes()) for path in home.glob("blocks/??/*")}
    logs = [(home / "sessions" / f"{name}.jsonl").read_bytes() for name in SESSIONS]
    requests = [{"log64": b64encode(log).decode(), "blocks": blocks} for log in logs]
    done = subprocess.run(
        [node(), ROOT / "tests" / "session" / "conformance.mjs", script("reader.ts", tmp_path)],
        input=b"".join(orjson.dumps(each) + b"\n" for each in requests), capture_output=True, check=False,
    )  # fmt: skip
    assert done.stderr == b""
    ours = [shape(view_of(Case("", "", log, blocks, {}), tmp_path)) for log in logs]
    assert all(view["messages"] for view in ours)
    assert lines(done.stdout) == orjson.loads(orjson.dumps(ours))
