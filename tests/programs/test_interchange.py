"""aider's histories, LangChain's dumps and ATIF, each trap by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from inside import inside
from program_copies import settings
from program_formats import AIDER, atif, langchain, lined, listed, single
from support import lines, session_path


def imported(home: Path, data: bytes, name: str = "file.json", *more: str) -> Any:
    (home / name).write_bytes(data)
    done = inside("import", str(home / name), *more, home=home)
    assert done.code == 0, done
    return done


def sessions(home: Path, done: Any) -> list[list[Any]]:
    return [lines(session_path(home, id)) for id in done.text.split()]


def short(records: list[Any]) -> list[tuple[str, str]]:
    """What a session's messages say, each as kind and text."""
    found = []
    for record in records:
        if record["type"] != "message":
            continue
        texts = []
        for part in record["parts"]:
            call, response = part.get("functionCall"), part.get("functionResponse")
            media = part.get("inlineData") or part.get("fileData")
            texts.append(
                f"{call['name']} {call['id']}" if call
                else f"{response['id']}={next(iter(response['response'].values()))}" if response
                else media["mimeType"] if media
                else f"({part['text']})" if part.get("thought") else part["text"]
            )  # fmt: skip
        found.append((record["kind"], "+".join(texts)))
    return found


# -- aider ---------------------------------------------------------------------------------------------------


def test_several_runs_in_one_file_are_sessions_each(tmp_path: Path) -> None:
    done = imported(tmp_path, AIDER.encode(), ".aider.chat.history.md")
    ids = done.text.split()
    assert [id[:25] for id in ids] == ["aider-2026-01-01-10-00-00", "aider-2026-01-02-12-00-00"]
    first, second = sessions(tmp_path, done)
    assert short(second) == [("user", "two"), ("codeh", "three")]
    assert first[0]["created"] == "2026-01-01T10:00:00.000Z"
    assert first[0]["imported"]["version"] == "0.86.1"


def test_marks_of_aider_within_an_answer_are_the_answers(tmp_path: Path) -> None:
    """Its own splitter drops each line that begins with `# `, and takes quotations and headings for its marks."""
    first, _ = sessions(tmp_path, imported(tmp_path, AIDER.encode()))
    asked, answered, again, _ = short(first)
    assert asked == ("user", "one\nmore of it")
    assert "# a comment, not a header" in answered[1]
    assert "> a quotation in the answer\n#### A heading in the answer" in answered[1]
    assert again == ("user", "why?")


def test_commands_and_notes_are_counted_models_and_rounded_usage_come_along(tmp_path: Path) -> None:
    done = imported(tmp_path, AIDER.encode())
    assert b"not imported: 1 command" in done.err
    answer = next(r for r in sessions(tmp_path, done)[0] if r.get("kind") == "codeh")
    assert answer["model"] == "gpt-5"
    assert {key: answer["usage"][key] for key in ("input", "output", "cached")} == {
        "input": 2100, "output": 1234, "cached": 300,
    }  # fmt: skip


def test_a_history_without_blanks_at_line_ends(tmp_path: Path) -> None:
    text = "\n".join(line.rstrip() for line in AIDER.splitlines())
    _, second = sessions(tmp_path, imported(tmp_path, text.encode()))
    assert short(second) == [("user", "two"), ("codeh", "three")]


def test_a_run_that_goes_on_is_appended_to(tmp_path: Path) -> None:
    ids = imported(tmp_path, AIDER.encode()).text
    before = session_path(tmp_path, ids.split()[1]).read_bytes()
    assert imported(tmp_path, AIDER.encode()).text == ids
    assert session_path(tmp_path, ids.split()[1]).read_bytes() == before
    assert imported(tmp_path, f"{AIDER}\n#### four  \n\nfive\n".encode()).text == ids
    assert session_path(tmp_path, ids.split()[1]).read_bytes().startswith(before)


# -- LangChain -----------------------------------------------------------------------------------------------

LANGCHAIN = [
    ("user", "one+image/png"),
    ("codeh", "f A"),
    ("tool", "A=failed"),
    ("codeh", "(hm)+two"),
]


@pytest.mark.parametrize("form", ["dict", "lc"])
def test_both_forms_of_langchain(form: str, tmp_path: Path) -> None:
    (records,) = sessions(tmp_path, imported(tmp_path, listed(langchain(form))))
    assert short(records) == LANGCHAIN
    assert settings(records) == {"system": "be good"}
    called = next(r for r in records if r.get("id") == "run-1")
    assert (called["provider"], called["model"], called["usage"]["cached"]) == ("openai-chat", "gpt-5", 1)
    assert records[-1]["parts"][0]["thoughtSignature"] == "s"
    failed = next(r for r in records if r.get("kind") == "tool")["parts"][0]["functionResponse"]
    assert failed["response"] == {"error": "failed"}


def test_a_state_and_lines_of_langchain(tmp_path: Path) -> None:
    state = {"thread_id": "t1", "values": {"messages": langchain("lc")}}
    done = imported(tmp_path, single([state]))
    assert done.text == "langchain-t1"
    assert short(sessions(tmp_path, done)[0]) == LANGCHAIN
    history = {"messages": langchain()}
    one, two = imported(tmp_path, lined([history, history]), "x.jsonl").text.split()
    assert two == f"{one}-2"


def test_older_calls_of_langchain(tmp_path: Path) -> None:
    more = {
        "tool_calls": [{"id": "A", "function": {"name": "f", "arguments": '{"x":1}'}}],
        "reasoning_content": "hm",
    }
    message = {"type": "ai", "data": {"content": "", "additional_kwargs": more}}
    odd = {
        "type": "ai",
        "data": {"content": [{"type": "hologram"}], "invalid_tool_calls": [{"name": "g", "args": "{"}]},
    }
    (records,) = sessions(tmp_path, imported(tmp_path, listed([message, odd])))
    assert short(records) == [("codeh", "(hm)+f A"), ("codeh", "g call_2")]


@pytest.mark.parametrize("dump", ["messages_to_dict", "dumpd"])
def test_what_langchain_itself_writes(dump: str, tmp_path: Path) -> None:
    core = pytest.importorskip("langchain_core.messages")
    load = pytest.importorskip("langchain_core.load")
    given = core.messages_from_dict(langchain())
    value = core.messages_to_dict(given) if dump == "messages_to_dict" else load.dumpd(given)
    (records,) = sessions(tmp_path, imported(tmp_path, orjson.dumps(value)))
    assert short(records) == LANGCHAIN


# -- ATIF ----------------------------------------------------------------------------------------------------


def test_a_trajectory(tmp_path: Path) -> None:
    done = imported(tmp_path, single(atif()))
    assert done.text == "atif-s1"
    assert b"not imported: 1 sub-agent" in done.err
    (records,) = sessions(tmp_path, done)
    assert short(records) == [
        ("user", "one+[image: images/1.png]"),
        ("codeh", "(hm)+see+f A+g B"),
        ("tool", "A=of A+B=[sub-agent: t2]"),
        ("codeh", "two"),
    ]
    assert settings(records) == {"system": "be good"}
    said = next(r for r in records if r.get("kind") == "codeh")
    assert (said["model"], said["usage"]["input"], said["usage"]["cached"]) == ("gpt-5", 9, 3)
    assert records[0]["imported"]["version"] == "ATIF-v1.7"


def test_sub_agents_of_a_trajectory_as_branches(tmp_path: Path) -> None:
    found = sessions(tmp_path, imported(tmp_path, single(atif()), "t.json", "--branches"))
    assert [records[0]["id"] for records in found] == ["atif-s1", "atif-s1-t2"]
    assert found[1][0]["parent"]["session"] == "atif-s1"


def test_step_ids_that_do_not_count_from_one_are_named(tmp_path: Path) -> None:
    value = atif()[0]
    value["steps"][2]["step_id"] = 9
    (tmp_path / "t.json").write_bytes(orjson.dumps(value))
    done = inside("verify", str(tmp_path / "t.json"), home=tmp_path)
    assert (done.code, b"step 3 has the id 9" in done.out) == (1, True)


def test_the_official_models_take_the_sample(tmp_path: Path) -> None:
    official = pytest.importorskip("atif")
    value = official.Trajectory.model_validate(atif()[0]).to_json_dict()
    assert imported(tmp_path, orjson.dumps(value)).text == "atif-s1"
    assert len(short(lines(session_path(tmp_path, "atif-s1")))) == 4
