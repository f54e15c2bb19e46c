"""`import --all`: every session of every program; silent if nothing changed."""

import errno
import itertools
import os
import re
import shutil

import orjson
import pytest

from agent_cases import cases
from codeh_history.store import create, log
from in_process import run_in_process
from program_files import SAMPLES, SESSION, Claude, Codex, Gemini, Pi, played, written
from program_formats import FORMATS
from support import lines, session_path
from terminal_output import on_terminal

WHERE = {
    "claude-code": (".claude", "projects/-work/{}.jsonl", "CLAUDE_CONFIG_DIR"),
    "codex": (".codex", "sessions/2026/01/02/rollout-2026-01-02T00-00-00-{}.jsonl", "CODEX_HOME"),
    "gemini-cli": (".", ".gemini/tmp/work/chats/session-2026-01-02T00-00-{}.jsonl", "GEMINI_CLI_HOME"),
    "pi": (".pi/agent", "sessions/--work--/2026-01-02_{}.jsonl", "PI_CODING_AGENT_DIR"),
    "copilot-cli": (".copilot", "session-state/{}/events.jsonl", "COPILOT_HOME"),
}


def all_of(home, *argv, env=None, code=0):
    """The lines that `import --all` prints."""
    done = run_in_process("import", "--all", *argv, home=home, env=env)
    assert (done.code, done.err) == (code, b""), done
    return done.lines


def at(home, program, data, folder=""):
    base, pattern, _ = WHERE[program]
    path = written(home / (folder or base) / pattern.format(SESSION), data)
    settled(path)
    return path


def settled(path):
    """As if it had been written a while ago."""
    then = path.stat().st_mtime - 3600
    os.utime(path, (then, then))


def test_where_no_program_has_a_session_that_is_noted(home):
    done = run_in_process("import", "--all")
    assert (done.code, done.out) == (0, b"")
    assert done.err.startswith(b"codeh-history: no sessions of other programs found; ")
    assert run_in_process("import", "--all", "-q").err == b""


@pytest.mark.parametrize("program", WHERE)
@pytest.mark.parametrize("by_variable", [False, True])
def test_sessions_are_found_in_the_default_or_configured_folder(
    program, by_variable, tmp_path
):  # fmt: skip
    path = at(tmp_path, program, SAMPLES[program](), "elsewhere" if by_variable else "")
    env = {WHERE[program][2]: str(tmp_path / "elsewhere")} if by_variable else {}
    (line,) = all_of(tmp_path, env=env)
    id = f"{program}-{SESSION}"
    assert {key: line[key] for key in ("session", "program", "path", "action")} == {
        "session": id, "program": program, "path": str(path), "action": "imported",
    }  # fmt: skip
    assert line["records"] == len(lines(session_path(tmp_path, id))) - 1
    assert line["left"]
    assert all_of(tmp_path, env=env) == []


def test_2026_11_27_branches_of_sessions_that_were_imported_without_them(tmp_path):
    at(tmp_path, "pi", SAMPLES["pi"]())
    (line,) = all_of(tmp_path)
    (branch,) = all_of(tmp_path, "--branches")
    assert branch["session"].startswith(f"{line['session']}-")
    assert all_of(tmp_path, "--branches") == all_of(tmp_path) == []


def test_a_folder_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    for program in ("claude-code", "pi"):
        at(tmp_path, program, SAMPLES[program]())
    scandir = os.scandir

    def refused(path):
        if str(path).endswith("projects"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    done = run_in_process("import", "--all", home=tmp_path)
    assert [line["program"] for line in done.lines] == ["pi"]
    note = f"{tmp_path}/.claude/projects: Permission denied; sessions in it are left out"
    assert note in done.err.decode()


def test_a_copy_of_a_moved_session_shows_its_newest_file(tmp_path):
    file = played(Claude(), "user a one")
    old = at(tmp_path, "claude-code", file.lines)
    file.model("b", "since then")
    new = written(tmp_path / f".claude/projects/-moved/{SESSION}.jsonl", file.lines)
    os.utime(new, (old.stat().st_mtime + 60,) * 2)
    assert [line["path"] for line in all_of(tmp_path)] == [str(old), str(new)]
    assert run_in_process("last", f"claude-code-{SESSION}", home=tmp_path).text == "since then"
    assert all_of(tmp_path) == []


def test_without_changes_nothing_is_printed_or_written(tmp_path):
    for program in WHERE:
        at(tmp_path, program, SAMPLES[program]())
    assert len(all_of(tmp_path)) == len(WHERE)
    for path in tmp_path.glob("sessions/*"):
        path.chmod(0o400)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    assert all_of(tmp_path) == []
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} | before == before


def test_only_what_changed_is_opened(tmp_path):
    first, second = Claude(), Pi()
    first.user("a", "one")
    second.user("a", "one")
    at(tmp_path, "claude-code", first.lines)
    path = at(tmp_path, "pi", second.lines)
    assert len(all_of(tmp_path)) == 2
    second.model("b", "two")
    written(path, second.lines)
    (line,) = all_of(tmp_path)
    assert (line["session"], line["action"], line["records"]) == (f"pi-{SESSION}", "updated", 1)


def test_new_messages_of_a_grown_file_are_appended(tmp_path):
    file = played(Claude(), "user u one")
    path = at(tmp_path, "claude-code", file.lines)
    all_of(tmp_path)
    for number in range(3):
        file.user(f"u{number}", "more")
        file.model(f"a{number}", "yes")
        settled(written(path, file.lines))
        os.utime(path, (number, number))
        (line,) = all_of(tmp_path)
        assert (line["action"], line["records"]) == ("updated", 2)
    assert len(lines(session_path(tmp_path, f"claude-code-{SESSION}"))) == 1 + 7


def test_sub_agents_and_checkpoints_of_gemini_cli_are_found(tmp_path):
    main, agent = Gemini(), Gemini()
    main.user("a", "one")
    agent.lines[0]["kind"] = "subagent"
    agent.user("b", "two")
    folder = at(tmp_path, "gemini-cli", main.lines).parent
    settled(written(folder / SESSION / "x.jsonl", agent.lines))
    for project in ("work", "other"):
        history = [{"role": "user", "parts": [{"text": project}]}]
        path = tmp_path / f".gemini/tmp/{project}/checkpoint-tag.json"
        settled(written(path, [{"history": history}]))
    names = [SESSION, f"{SESSION}-x", "other-checkpoint-tag", "work-checkpoint-tag"]
    assert sorted(line["session"] for line in all_of(tmp_path)) == [f"gemini-cli-{name}" for name in names]
    header = lines(session_path(tmp_path, f"gemini-cli-{SESSION}-x"))[0]
    assert header["parent"]["session"] == f"gemini-cli-{SESSION}"


@pytest.mark.parametrize(("history", "messages"), [
    ([{"role": "user", "parts": [{"text": "one"}]}] * 2, 2), ([], 0), ({"history": []}, 0),
], ids=["bare", "bare and empty", "empty"])  # fmt: skip
def test_a_checkpoint_of_any_form_is_read(history, messages, tmp_path):
    settled(written(tmp_path / ".gemini/tmp/work/checkpoint-tag.json", [history]))
    assert [line["records"] for line in all_of(tmp_path)] == [messages] * bool(messages)
    assert all_of(tmp_path) == []


def test_a_session_is_reported_only_once_it_is_durable(tmp_path, monkeypatch):
    for program in WHERE:
        at(tmp_path, program, SAMPLES[program]())
    sync, done = os.fdatasync, 0

    def cut_off(fd):
        nonlocal done
        done += 1
        if done > 1:
            raise OSError(errno.EIO, "disk is broken")
        sync(fd)

    monkeypatch.setattr(os, "fdatasync", cut_off)
    results = all_of(tmp_path, code=74)
    assert sorted(line["action"] for line in results) == ["failed"] * (len(WHERE) - 1) + ["imported"]
    assert all("durability is unknown" in line["reason"] for line in results if line["action"] == "failed")
    monkeypatch.undo()
    assert all_of(tmp_path) == []


def test_a_terminal_shows_how_far_it_is(tmp_path):
    for program in WHERE:
        at(tmp_path, program, SAMPLES[program]())
    shown = on_terminal("import", "--all", home=tmp_path, HOME=str(tmp_path))
    assert "importing" in shown
    assert f"{len(WHERE)}/{len(WHERE)}" in shown
    assert f"{len(WHERE)} imported" in shown
    assert "importing" not in on_terminal("import", "--all", home=tmp_path, HOME=str(tmp_path))


def test_without_its_cache_it_finds_the_same(tmp_path):
    at(tmp_path, "pi", SAMPLES["pi"]())
    all_of(tmp_path)
    (tmp_path / "cache" / "cache.sqlite").write_bytes(b"damaged")
    assert all_of(tmp_path) == []
    shutil.rmtree(tmp_path / "cache")
    assert all_of(tmp_path) == []


def test_one_failure_stops_no_other_and_is_reported_once(tmp_path):
    broken = at(tmp_path, "claude-code", [{"something": "else"}])
    at(tmp_path, "pi", SAMPLES["pi"]())
    failed, done = all_of(tmp_path, code=65)
    assert (failed["action"], failed["path"], failed["session"]) == ("failed", str(broken), None)
    assert "not a session of claude-code" in failed["reason"]
    assert done["action"] == "imported"


def test_selected_programs_and_files(tmp_path):
    for program in WHERE:
        at(tmp_path, program, SAMPLES[program]())
    old = tmp_path / ".codex" / WHERE["codex"][1].format(SESSION)
    os.utime(old, (1, 1))
    assert all_of(tmp_path, "--from", "codex", "--since", "2d") == []
    both = all_of(tmp_path, "--from", "codex", "--from", "pi")
    assert [line["program"] for line in both] == ["codex", "pi"]


def test_an_older_or_compressed_form_of_a_session_is_left_out(tmp_path):
    path = at(tmp_path, "codex", played(Codex(), "user one").lines)
    path.with_name(path.name + ".zst").write_bytes(b"\x28\xb5\x2f\xfdgarbage")
    assert len(all_of(tmp_path)) == 1
    path = at(tmp_path, "gemini-cli", SAMPLES["gemini-cli"]())
    path.with_suffix(".json").write_text('{"sessionId": "x", "projectHash": "y", "messages": []}')
    assert [line["path"] for line in all_of(tmp_path)] == [str(path)]


def test_files_without_messages_and_links_are_not_sessions(tmp_path):
    path = at(tmp_path, "claude-code", [{"type": "mode", "mode": "normal", "sessionId": SESSION}])
    (path.parent / "empty.jsonl").write_bytes(b"")
    os.symlink(path, path.parent / "link.jsonl")
    assert all_of(tmp_path) == []


def test_a_copy_that_is_locked_is_tried_again(tmp_path, monkeypatch):
    import fcntl

    file = played(Pi(), "user a one")
    path = at(tmp_path, "pi", file.lines)
    all_of(tmp_path)
    file.user("b", "two")
    settled(written(path, file.lines))
    minutes = itertools.count(0.0, 60.0)
    monkeypatch.setattr(log.time, "monotonic", lambda: next(minutes))
    with session_path(tmp_path, f"pi-{SESSION}").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert [line["action"] for line in all_of(tmp_path, code=75)] == ["failed"]
    assert [line["action"] for line in all_of(tmp_path)] == ["updated"]


@pytest.mark.parametrize(
    "argv", [["x.jsonl"], ["--into", "x"], ["--from", "gemini"], ["--since", "soon"]], ids=" ".join
)
def test_exclusive_options(argv, tmp_path):
    assert run_in_process("import", "--all", *argv, home=tmp_path).code == 2


def test_lines_are_json_and_small(tmp_path):
    file = Claude()
    for number in range(200):
        file.user(f"u{number}", "x", "nowhere")
    at(tmp_path, "claude-code", file.lines)
    (line,) = all_of(tmp_path)
    assert len(orjson.dumps(line)) < 1000


def test_list_shows_program_sessions_without_importing_them(tmp_path):
    paths = {program: str(at(tmp_path, program, SAMPLES[program]())) for program in WHERE}
    run_in_process("append", "-s", "own", "-m", "one", home=tmp_path)
    rows = run_in_process("list", "--all-programs", "--jsonl", home=tmp_path).lines
    assert {row["program"]: row["path"] for row in rows if row["program"]} == paths
    assert {row["id"] for row in rows} == {"own", *(f"{program}-{SESSION}" for program in WHERE)}
    assert [row["id"] for row in run_in_process("list", "--jsonl", home=tmp_path).lines] == ["own"]


@pytest.mark.parametrize(
    "folder",
    [".claude", ".claude/projects", ".claude/projects/-work", "", ".codex/sessions/2026", ".codex"],
)
def test_a_folder_of_a_program_is_imported(folder, tmp_path):
    for program in ("claude-code", "codex"):
        at(tmp_path, program, SAMPLES[program]())
    done = run_in_process("import", "-q", str(tmp_path / folder), home=tmp_path)
    if not folder:
        assert (done.code, done.text) == (65, "")
        return
    program = "codex" if "codex" in folder else "claude-code"
    assert done.text == f"{program}-{SESSION}"


def laid(home):
    """Put each sample file, with its own session, where its program keeps it; return the other paths."""
    others = []
    base = Codex(rollout=SESSION)
    for text in ("one", "two"):
        base.user(text)
    again = played(Codex(rollout=f"9{SESSION[1:]}", continues=base), "user three")
    fork = Codex(id=f"8{SESSION[1:]}", continues=again, forked_from_id=SESSION)
    base.user("taken back")
    for file in (base, again, fork):
        settled(file.write(home / ".codex" / "sessions" / "2026" / "01" / "03"))
    for number, case in enumerate(cases()):
        old = case.session.stem[-36:]
        new = f"{number:08x}{old[8:]}"
        name = case.session.name.replace(old, new)
        if case.program not in WHERE:
            path = home / "opencode" / f"{number}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(re.sub(rb"ses_[0-9a-f]{10}", b"ses_%010x" % number, case.session.read_bytes()))
            others.append(str(path))
            continue
        folder, pattern, _ = WHERE[case.program]
        if case.program == "gemini-cli":
            name, old = f"session-{number}.jsonl", "5e551000"
            new = f"{number:08x}"
        path = home / folder / pattern.format("").rpartition("/")[0] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(case.session.read_bytes().replace(old.encode(), new.encode()))
        if case.session.with_suffix("").is_dir():
            shutil.copytree(case.session.with_suffix(""), path.with_suffix(""))
        settled(path)
    for name, (values, as_bytes) in FORMATS.items():
        path = home / "formats" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(as_bytes(values()))
        others.append(str(path))
    return others


def test_2026_11_23_a_second_run_without_changes_appends_nothing(tmp_path):
    others = laid(tmp_path)

    def run():
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        run_in_process("import", "--all", home=tmp_path)
        for path in others:
            run_in_process("import", path, home=tmp_path)
        return {path.name: path.read_bytes() for path in (tmp_path / "sessions").glob("*.jsonl")}

    first = run()
    assert len(first) > 100
    assert run() == first


def test_2026_11_26_a_session_that_another_process_imports_meanwhile_is_updated(tmp_path, monkeypatch):
    """Hooks of one program run at the same time."""
    path = written(tmp_path / "session.jsonl", SAMPLES["pi"]())
    assert run_in_process("import", str(path), home=tmp_path).code == 0
    taken = create.is_taken
    answers = iter([False])  # as it was when the other process began
    monkeypatch.setattr(create, "is_taken", lambda target: next(answers, None) is None and taken(target))
    done = run_in_process("import", str(path), home=tmp_path)
    assert (done.code, done.text) == (0, f"pi-{SESSION}"), done.err
