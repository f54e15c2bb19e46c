"""Cline's and Roo Code's files, each trap by name."""

import json

import orjson

from cline_files import ID, Cline, call, read, roo_code, task
from in_process import run_in_process, run_ok
from program_copies import sent
from program_files import played
from support import lines, session_path

TASK = {"id": "1767225600000"}


def laid(home, messages, place=".config/Code/User/globalStorage/saoudrizwan.claude-dev", tasks=()):
    """A task of a version for VS Code, and its list of tasks."""
    folder = home / place
    file = folder / "tasks" / "1767225600000" / "api_conversation_history.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(orjson.dumps(messages))
    (folder / "state").mkdir()
    (folder / "state" / "taskHistory.json").write_text(json.dumps(tasks))
    return file


def test_a_session_has_the_title_directory_and_time_that_are_said_beside_it(tmp_path):
    path = played(Cline(), "user one; model two").write(tmp_path / ID)
    about = {"cwd": "/work", "started_at": "2026-01-02T03:04:05.000Z", "metadata": {"title": "A title"}}
    (tmp_path / ID / f"{ID}.json").write_text(json.dumps(about))
    assert run_ok("import", str(path), home=tmp_path).text.strip() == f"cline-{ID}"
    header, meta, _, answer = lines(session_path(tmp_path, f"cline-{ID}"))
    assert (header["cwd"], header["created"]) == ("/work", "2026-01-02T03:04:05.000Z")
    assert meta["set"]["title"] == "A title"
    assert (answer["model"], answer["usage"]["input"]) == ("loopback-model", 10)
    assert [*sent(tmp_path, f"cline-{ID}")] == ["one", "two"]


def test_an_agent_of_a_session_names_it(tmp_path):
    path = played(Cline(), "user look").write(tmp_path / ID, "agent-1", agent="subagent")
    assert run_ok("import", str(path), home=tmp_path).text.strip() == f"cline-{ID}-agent-1"
    header = lines(session_path(tmp_path, f"cline-{ID}-agent-1"))[0]
    assert header["parent"] == {"session": f"cline-{ID}", "at": None}


def test_a_result_of_objects_is_their_json_as_the_model_gets_it(tmp_path):
    file = played(Cline(), "user one")
    file.model(call("A"))
    file.result("A", [read("a.txt", "of A")])
    run_ok("import", str(file.write(tmp_path)), home=tmp_path)
    output = '[{"query":"a.txt","result":"of A","success":true}]'
    assert [*sent(tmp_path, f"cline-{ID}")][-1] == {"output": output}


def test_a_task_of_an_older_version_is_what_it_would_send(tmp_path):
    laid(tmp_path, task(), tasks=[{**TASK, "task": "Say it", "cwdOnTaskInitialization": "/work"}])
    (done,) = run_ok("import", "--all", home=tmp_path, env={"HOME": str(tmp_path)}).lines
    assert (done["session"], done["program"]) == ("cline-1767225600000", "cline")
    (row,) = orjson.loads(run_ok("list", "--json", home=tmp_path).text)
    assert (row["title"], row["cwd"]) == ("Say it", "/work")
    assert [*sent(tmp_path, "cline-1767225600000")][2:] == ["two", "A", {"output": "of A"}, "three"]


def test_what_a_task_cut_from_its_context_is_counted(tmp_path):
    messages = [*task(), *task()]
    file = laid(tmp_path, messages, tasks=[{**TASK, "conversationHistoryDeletedRange": [2, 3]}])
    done = run_ok("import", str(file), home=tmp_path)
    assert b"2 messages of what is no longer in the context" in done.err
    assert [*sent(tmp_path, done.text.strip())].count("three") == 1


def test_a_cut_of_more_than_there_is_is_none(tmp_path):
    file = laid(tmp_path, task(), tasks=[{**TASK, "conversationHistoryDeletedRange": [2, 9]}])
    id = run_ok("import", str(file), home=tmp_path).text.strip()
    assert [*sent(tmp_path, id)][-1] == "three"


def test_roo_code_sends_a_summary_in_place_of_what_it_condensed(tmp_path):
    laid(tmp_path, roo_code(), ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline")
    (done,) = run_ok("import", "--all", home=tmp_path, env={"HOME": str(tmp_path)}).lines
    assert done["session"] == "roo-code-1767225600000"
    summary, *others = sent(tmp_path, "roo-code-1767225600000")
    assert summary.endswith("in short")
    assert others == ["one", "A", {"output": "of A"}, "[earlier messages are hidden]", "five"]


def test_a_file_that_is_cut_off_is_read_up_to_there(tmp_path):
    path = played(Cline(), "user one; model two").write(tmp_path)
    path.write_bytes(path.read_bytes()[:-60])
    done = run_in_process("verify", str(path), home=tmp_path)
    assert (done.code, b"Cline forgets the session" in done.out) == (1, True)
    run_ok("import", str(path), home=tmp_path)
    assert [*sent(tmp_path, f"cline-{ID}")] == ["one", "two"]
