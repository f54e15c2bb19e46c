"""What can still be read of a session's file, whosever it is: all of it, with what is wrong and where."""

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.commands.rescue import source
from inside import lay
from program_files import Claude, written
from strategies import encode


@pytest.fixture
def env(home):
    return Env({"CODEH_HOME": str(home)})


def texts(found):
    return [part["text"] for message in found.view.messages for part in message.parts]


def talk():
    made = Claude()
    made.user("u1", "hi")
    made.said("a1", "ho")
    made.user("u2", "more")
    return made


def test_a_programs_file_is_known_though_its_first_lines_are_damaged(env, tmp_path):
    path = written(tmp_path / "s.jsonl", [b"damage"] * 30 + talk().lines)
    found = source.read(env, None, str(path))
    assert (found.program, texts(found)) == ("claude-code", ["hi", "ho", "more"])
    assert {problem["line"] for problem in found.problems} >= {1, 30}


def test_a_file_of_any_name_is_read(env, tmp_path):
    path = written(tmp_path / "broken copy.txt", talk().lines)
    assert source.read(env, None, str(path)).program == "claude-code"
    with pytest.raises(Usage, match=r"rescue reads a file or a session, never a stream"):
        source.read(env, None, "-")


def test_one_of_ours_is_read_past_its_damage(env, home):
    log = [
        {"type": "message", "id": id, "kind": "user", "role": "user", "parts": [{"text": id}]}
        for id in "ab"
    ]
    lay(
        home,
        b'{"type":"session","version":1,"id":"s"}\n' + encode(log[:1]) + b"{damage\n" + encode(log[1:]),
    )
    found = source.read(env, "s", None)
    assert (found.program, texts(found)) == (None, ["a", "b"])
    assert [problem["line"] for problem in found.problems] == [3]


def test_where_no_message_can_be_read_it_is_said(env, home, tmp_path):
    lay(home, b'{"type":"session","version":1,"id":"s"}\n{damage\n')
    with pytest.raises(BadData, match=r"no message in it can be read"):
        source.read(env, "s", None)
    made = Claude()
    made.line("system", "x", subtype="note", content="nothing said")
    with pytest.raises(BadData, match=r"no message of claude-code in it can be read"):
        source.read(env, None, str(written(tmp_path / "empty.jsonl", made.lines)))


def test_of_many_sessions_in_a_file_none_is_chosen(env, tmp_path):
    batch = [{"messages": [{"role": "user", "content": text}]} for text in ("one", "two")]
    with pytest.raises(
        BadData, match=r"more than one session of openai-jsonl; `codeh-history import` it, and rescue one"
    ):
        source.read(env, None, str(written(tmp_path / "b.jsonl", batch)))
