"""Where programs keep their sessions: which files are there, in which state, and which are known already."""

import os
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.programs.protocol import Place
from codeh_history.store.program_files import folders
from codeh_history.store.program_files.folders import below, files_of, folder_of

CLAUDE = "projects/p/s.jsonl"
CODEX = "sessions/2026/01/02/rollout-x.jsonl"


def laid(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}\n")
    return folder


def paths(env, *programs):
    return [file.path for file in files_of(env, programs)]


def test_the_folder_is_the_environments_else_below_the_home():
    place = Place("CLAUDE_CONFIG_DIR", ".claude", ("*",))
    assert folder_of(Env({"HOME": "/h"}), place) == "/h/.claude"
    assert folder_of(Env({"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c/../d"}), place) == "/d"
    assert folder_of(Env({"HOME": "/h", "CLAUDE_CONFIG_DIR": ""}), place) == "/h/.claude"
    assert folder_of(Env({"HOME": "/h"}), Place("X", "", ("*",))) == ""


def test_files_are_found_by_program_and_name_and_links_to_files_are_none(tmp_path):
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


def test_the_older_form_of_a_file_is_left_out(tmp_path):
    laid(tmp_path / ".codex", CODEX, f"{CODEX}.zst", CODEX.replace("-x", "-y") + ".zst")
    assert paths(Env({"HOME": str(tmp_path)}), "codex") == [
        str(tmp_path / ".codex" / name) for name in (CODEX, CODEX.replace("-x", "-y") + ".zst")
    ]


@pytest.mark.parametrize("start", ["", "projects", "projects/p"])
def test_a_folder_of_a_program_is_known_from_any_of_its_own_on(tmp_path, start):
    root = laid(tmp_path / ".claude", CLAUDE)
    assert below(str(root / start)) == [str(root / CLAUDE)]
    assert below(str(tmp_path / "none")) == []


def test_what_stands_in_the_log_of_a_database_is_a_state_of_it_too(tmp_path):
    (tmp_path / "db").touch()
    os.utime(tmp_path / "db", (1, 1))
    info = (tmp_path / "db").stat()
    (tmp_path / "db-wal").write_bytes(b"")
    assert folders._stamp(str(tmp_path / "db"), info, None) == (info.st_ino, 0, 10**9)
    (tmp_path / "db-wal").write_bytes(b"xy")
    assert folders._stamp(str(tmp_path / "db"), info, None).changed > 10**9


def test_what_a_session_has_beside_its_file_is_a_state_of_it_too(tmp_path):
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "more" / "a").mkdir(parents=True)
    states = set()
    for time, change in enumerate([Path.touch, Path.touch, Path.unlink], 1):
        change(tmp_path / "more" / "a" / "file")
        for path in (tmp_path / "a.jsonl", tmp_path / "more" / "a", *tmp_path.glob("more/a/*")):
            os.utime(path, (time, 1 if path.suffix else time))
        states.add(folders._stamp(str(tmp_path / "a.jsonl"), (tmp_path / "a.jsonl").stat(), "more/{}"))
    assert len(states) == 3
