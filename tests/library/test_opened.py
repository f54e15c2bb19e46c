"""A session that a program holds: found by what it is called there, wherever the program goes, and gone when it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeh_history.base.errors import NotFound
from codeh_history.library.opened import Opened, own
from inside import lay

HEADER = b'{"type":"session","version":1,"id":"demo"}\n'


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    lay(home, HEADER, "demo")
    return {"CODEH_HOME": str(home)}


def test_a_session_is_found_by_id_prefix_or_path_and_begun_where_that_is_wanted(
    environ: dict[str, str], home: Path
) -> None:
    assert Opened(environ, "demo", create=False).path == str(home / "sessions" / "demo.jsonl")
    assert Opened(environ, "de", create=False).name == "demo"
    new = Opened(environ, "new", create=True)
    assert not new.there
    assert new.look(new.call(), new.target).messages == []
    with pytest.raises(NotFound, match=r"none"):
        Opened(environ, "none", create=False)


def test_a_path_stays_the_same_file_wherever_the_program_goes(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.jsonl").write_bytes(HEADER)
    monkeypatch.chdir(tmp_path)
    found = Opened(environ, "./s.jsonl", create=False)
    os.chdir("/")
    assert found.path == str(tmp_path / "s.jsonl")
    assert found.there
    assert found.look(found.call(), found.target).id == "demo"


def test_one_that_was_removed_is_not_found_unless_it_may_be_begun(environ: dict[str, str]) -> None:
    held, begun = Opened(environ, "demo", create=False), Opened(environ, "demo", create=True)
    os.unlink(held.path)
    with pytest.raises(NotFound, match=r"no such session"):
        held.call()
    begun.call()


def test_a_verb_says_in_the_call_what_it_would_print(environ: dict[str, str]) -> None:
    found = Opened(environ, "demo", create=False)
    assert found.run("append", {"message": ["hi"]}).text != ""
    assert found.run("last", {"role": "user"}, argument=None).output == b"hi\n"


def test_a_copy_is_the_callers_to_change() -> None:
    value = {"a": [1, {"b": 2}]}
    copy = own(value)
    copy["a"][1]["b"] = 3
    assert value == {"a": [1, {"b": 2}]}
