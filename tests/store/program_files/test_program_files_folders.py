"""Where programs keep their sessions: which files are there, in which state, and which are known already."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.programs.protocol import Place
from codeh_history.store.program_files import folders
from codeh_history.store.program_files.folders import Found, Known, below, folder_of, found

CLAUDE = "projects/p/s.jsonl"
CODEX = "sessions/2026/01/02/rollout-x.jsonl"


def laid(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}\n")
    return folder


def paths(env: Env, *programs: str) -> list[str]:
    return [file.path for file in found(env, programs)]


def test_the_folder_is_the_environments_else_below_the_home() -> None:
    place = Place("CLAUDE_CONFIG_DIR", ".claude", ("*",))
    assert folder_of(Env({"HOME": "/h"}), place) == "/h/.claude"
    assert folder_of(Env({"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c/../d"}), place) == "/d"
    assert folder_of(Env({"HOME": "/h", "CLAUDE_CONFIG_DIR": ""}), place) == "/h/.claude"
    assert folder_of(Env({"HOME": "/h"}), Place("X", "", ("*",))) == ""


def test_files_are_found_by_program_and_name_and_links_to_files_are_none(tmp_path: Path) -> None:
    laid(
        tmp_path / ".claude",
        CLAUDE,
        "projects/p/notes.txt",
        "projects/deep/er/s.jsonl",
        "s.jsonl",
        "projects/q/b.jsonl",
    )
    laid(tmp_path / ".codex", CODEX)
    (tmp_path / ".claude/projects/q/link.jsonl").symlink_to("b.jsonl")
    env = Env({"HOME": str(tmp_path)})
    claude = [str(tmp_path / ".claude" / name) for name in (CLAUDE, "projects/q/b.jsonl")]
    assert paths(env, "claude-code") == claude
    assert paths(env, "codex", "claude-code") == [str(tmp_path / ".codex" / CODEX), *claude]
    assert paths(Env({"HOME": str(tmp_path / "none")}), "claude-code", "codex") == []


def test_the_older_form_of_a_file_is_left_out(tmp_path: Path) -> None:
    laid(tmp_path / ".codex", CODEX, f"{CODEX}.zst", CODEX.replace("-x", "-y") + ".zst")
    assert paths(Env({"HOME": str(tmp_path)}), "codex") == [
        str(tmp_path / ".codex" / name) for name in (CODEX, CODEX.replace("-x", "-y") + ".zst")
    ]


@pytest.mark.parametrize("start", ["", "projects", "projects/p"])
def test_a_folder_of_a_program_is_known_from_any_of_its_own_on(tmp_path: Path, start: str) -> None:
    root = laid(tmp_path / ".claude", CLAUDE)
    assert below(str(root / start)) == [str(root / CLAUDE)]
    assert below(str(tmp_path / "none")) == []


def file(path: Path) -> Found:
    info = path.stat()
    return Found("codex", str(path), [info.st_ino, info.st_size, info.st_mtime_ns])


def test_a_file_is_known_while_it_is_what_it_was_and_was_not_just_written(tmp_path: Path) -> None:
    env = Env({"CODEH_HOME": str(tmp_path / "home")})
    for name, age in (("old", 3600), ("new", 0)):
        (tmp_path / name).write_bytes(b"x")
        then = (tmp_path / name).stat().st_mtime - age
        os.utime(tmp_path / name, (then, then))
    known = Known(env)
    known.keep(file(tmp_path / "old"), [1, "a"])
    known.keep(file(tmp_path / "new"), None)
    known.save()
    again = Known(env)
    assert again.has(file(tmp_path / "old"))
    assert not again.has(file(tmp_path / "new"))
    assert again.grows(file(tmp_path / "old")) == [1, "a"]
    with (tmp_path / "old").open("ab") as theirs:
        theirs.write(b"y")
    assert not again.has(file(tmp_path / "old"))
    assert again.grows(file(tmp_path / "old")) == [1, "a"]  # the same file, of which the end is new
    (tmp_path / "other").write_bytes(b"zz")
    (tmp_path / "other").rename(tmp_path / "old")
    assert again.grows(file(tmp_path / "old")) is None


def test_the_time_of_a_file_is_that_of_the_newest_of_it() -> None:
    assert Found("p", "f", [1, 2, 3_000_000]).millis == 3
    assert Found("p", "f", [1, 2, 3_000_000, 9, 5_000_000]).millis == 5


def test_what_stands_in_the_log_of_a_database_is_a_state_of_it_too(tmp_path: Path) -> None:
    (tmp_path / "db-wal").write_bytes(b"")
    assert folders._log(str(tmp_path / "db")) == []
    (tmp_path / "db-wal").write_bytes(b"xy")
    assert folders._log(str(tmp_path / "db"))[0] == 2
    assert folders._log(str(tmp_path / "none")) == []
