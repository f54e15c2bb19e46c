"""`chat`: prompts by line from any stdin, a private history, and slash commands."""

import os
import re

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput
from codeh_history.commands import chat
from codeh_history.commands.chat import talk
from codeh_history.commands.chat.talk import Lines, Talk, set_up_readline
from codeh_history.store.resolve import for_writing
from fake_provider import configure
from strategies import encode
from support import ROOT, run, session_path


def nothing(_, __):
    return []


def prompts(tmp_path, data):
    (tmp_path / "in").write_bytes(data)
    with (tmp_path / "in").open("rb") as file:
        reader = Lines(Env({"CODEH_HOME": str(tmp_path)}, stdin=file.fileno()), nothing)
        return list(iter(reader.prompt, None))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []), (b"a\nb\n", ["a", "b"]), (b"a", ["a"]), (b"\n  \na\n\n", ["a"]), (b"a\\\nb\n", ["a\nb"]), (b"a\\\nb\\\nc\nd", ["a\nb\nc", "d"]),
        (b"path\\\\\nb\n", ["path\\", "b"]), (b"a\\", ["a"]), (b"a\r\nb\r\n", ["a", "b"]), ("ü\n".encode(), ["ü"]), (b"\\\n\\\n\n", []), (b"\\\na\n", ["\na"]),
        (b"x" * 200_000 + b"\ny", ["x" * 200_000, "y"]),
    ],
    ids=["nothing", "lines", "no end", "blanks", "two lines", "three lines", "a backslash", "at the end", "CRLF", "UTF-8", "blank lines", "first blank", "long"],
)  # fmt: skip
def test_a_line_is_a_prompt_unless_it_continues(tmp_path, data, expected):
    assert prompts(tmp_path, data) == expected


def test_invalid_utf_8_is_refused_and_the_next_line_is_read(tmp_path):
    (tmp_path / "in").write_bytes(b"ok \xff\nnext\n")
    with (tmp_path / "in").open("rb") as file:
        reader = Lines(Env({}, stdin=file.fileno()), nothing)
        with pytest.raises(
            BadData, match=r"^stdin: byte 3 of a line: not UTF-8; nothing of it was stored$"
        ):
            reader.prompt()
        assert reader.prompt() == "next"


def test_a_stdin_that_cannot_be_read_ends_the_chat():
    writable = os.open(os.devnull, os.O_WRONLY)  # as a closed stdin is opened
    try:
        reader = Lines(Env({}, stdin=writable), nothing)
        with pytest.raises(InputOutput, match=r"^stdin: Bad file descriptor$"):
            reader.prompt()
        assert reader.prompt() is None
    finally:
        os.close(writable)


def test_a_prompt_is_available_as_soon_as_its_line_ends():
    reading, writing = os.pipe()
    try:
        reader = Lines(Env({}, stdin=reading), nothing)
        os.write(writing, b"one\ntw")
        assert reader.prompt() == "one"
        os.write(writing, b"o\n")
        assert reader.prompt() == "two"
    finally:
        os.close(reading)
        os.close(writing)


# -- what was typed before -----------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _no_history():
    readline = pytest.importorskip("readline")
    yield
    readline.clear_history()
    readline.set_completer(None)


def remembered():
    import readline

    length = readline.get_current_history_length()
    return [readline.get_history_item(number) for number in range(1, length + 1)]


def test_history_keeps_lines_that_do_not_start_with_a_space(tmp_path):
    lines = Lines(Env({"CODEH_HOME": str(tmp_path / "home")}), nothing)
    for line in ("one", " secret", "", "two", "one"):
        lines.remember(line)
    path = tmp_path / "home" / "chat_history"
    assert path.read_text() == "one\ntwo\none\n"
    assert path.stat().st_mode & 0o777 == 0o600
    set_up_readline(lines.history, nothing)
    assert remembered() == ["one", "two", "one"]


def test_only_the_newest_come_back(tmp_path, monkeypatch):
    monkeypatch.setattr(talk, "RECENT", 3)
    (tmp_path / "chat_history").write_text("".join(f"{number}\n" for number in range(6)))
    set_up_readline(str(tmp_path / "chat_history"), nothing)
    assert remembered() == ["3", "4", "5"]


def test_an_unwritable_history_is_not_an_error(tmp_path):
    (tmp_path / "chat_history").mkdir()
    Lines(Env({"CODEH_HOME": str(tmp_path)}), nothing).remember("one")
    set_up_readline(str(tmp_path / "chat_history"), nothing)
    assert remembered() == []


def test_a_completer_is_called_once_and_returns_candidates_in_turn(tmp_path, monkeypatch):
    import readline

    calls = []

    def completer(before, word):
        calls.append((before, word))
        return ["undo", "undone"]

    set_up_readline(str(tmp_path / "chat_history"), completer)
    monkeypatch.setattr(readline, "get_line_buffer", lambda: "/model un")
    monkeypatch.setattr(readline, "get_begidx", lambda: 7)
    complete = readline.get_completer()
    assert [complete("un", state) for state in range(3)] == ["undo", "undone", None]
    assert calls == [("/model ", "un")]


# -- commands ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "word", "names"),
    [
        ("", "/re", ["/retry "]), ("", "/", ["/edit ", "/undo ", "/retry ", "/model ", "/profile ", "/attach ", "/system ", "/show ", "/fork ", "/help ", "/quit "]),
        ("", "", []), ("why ", "/re", []), ("/profile ", "", ["claude", "local"]), ("/profile ", "cl", ["claude"]),
        ("/model ", "", ["m-1"]), ("/attach ", "HOME/con", ["HOME/config.toml"]), ("/attach ", "HOME/se", ["HOME/sessions/"]),
        ("/undo ", "", []),
    ],
)  # fmt: skip
def test_completions_of_a_word(home, before, word, names):

    configured = configure(home, "http://localhost:9")
    run("append", "-s", "demo", "-m", "x", home=configured)
    answer = {"type": "message", "id": "m", "kind": "codeh", "role": "model", "parts": [{"text": "y"}]}
    with session_path(configured, "demo").open("ab") as file:
        file.write(encode([{**answer, "model": "m-1"}]))
    env = Env({"CODEH_HOME": str(configured)})
    talking = Talk(env, for_writing(env, "demo"), chat.Options(profile="local").part(chat.Asking), 1)
    at = word.replace("HOME", str(configured))
    completed = [name.replace(str(configured), "HOME") for name in chat.completions(talking, before, at)]
    assert completed == names


def test_the_page_names_what_may_be_typed():
    page = (ROOT / "docs" / "chat.md").read_text()
    rows = re.findall(r"^\| (`.*?) \| ", page, re.MULTILINE)
    assert set(re.findall(r"/[a-z]+", " ".join(rows))) == set(chat.COMMANDS)
