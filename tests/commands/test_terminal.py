"""On a terminal: laid out by rich, and nothing that a session holds can act on it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

import support
import terminal

EVIL = (
    "\x1b]0;owned\x07 \x1b[2J\x1b[31m \x9b31m \x9d0;x\x9c \x07\x08\x0b\x0c\x7f \u202egnp\u2066 \u200b \u2028 "
    "\U000e0041 &#27;[2J &#x202e; &#155; [bold]x[/bold] [click](http://x\x1b) :skull: \x00"
)
STYLES = re.compile(r"\x1b\[[0-9;]*m")
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def on_terminal(*argv: str, home: Path, columns: int = 80, **env: str) -> str:
    """What a command writes to a terminal of so many columns, both streams."""
    master, slave = terminal.opened(columns)
    merged = support.environ({"NO_COLOR": "", "TERM": "xterm-256color", **env}, home)
    merged.pop("COLUMNS", None)
    process = subprocess.Popen(
        [*support.program(), *argv], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=merged
    )
    os.close(slave)
    shown = b"".join(terminal.chunks(master))
    process.wait(60)
    return shown.decode().replace("\r\n", "\n")


@pytest.fixture
def hostile(home: Path) -> Path:
    """A home whose session is hostile wherever it can be."""
    evil = {"text": f"{EVIL}\n# {EVIL}\n```{EVIL}\n{EVIL}\n```\n| a |\n|---|\n| {EVIL} |"}
    parts = [
        evil, {**evil, "thought": True}, {"functionCall": {"id": EVIL, "name": EVIL, "args": {EVIL: EVIL}}},
        {"inlineData": {"mimeType": f"image/png{EVIL}", "data": EVIL, "displayName": EVIL}},
        {"fileData": {"mimeType": EVIL, "fileUri": EVIL}}, {"native": {"provider": EVIL, "value": {"type": EVIL}}},
        {EVIL: 1},
    ]  # fmt: skip
    records = [
        {"type": "session", "version": 1, "id": EVIL, "created": EVIL, "cwd": EVIL},
        {"type": "meta", "set": {"title": EVIL, "tags": [EVIL], "system": EVIL}},
        {"type": "message", "id": "u" + EVIL, "ts": EVIL, "kind": "user", "role": "user", "parts": [evil],
         "references": [{"number": EVIL, "title": EVIL, "url": EVIL}], "attached": [{"part": 0, "name": EVIL}]},
        {"type": "message", "id": "m" + EVIL, "ts": EVIL, "kind": "codeh", "role": "model", "model": EVIL,
         "provider": EVIL, "parts": parts},
        {"type": "message", "id": "t", "kind": "tool", "role": "user",
         "parts": [{"functionResponse": {"id": EVIL, "name": EVIL, "response": {"output": EVIL}}}]},
        {"type": "open", "id": "o" + EVIL, "kind": "codeh", "role": "model"},
        {"type": "delta", "of": "o" + EVIL, "parts": [evil]},
        {"type": "abort", "of": "o" + EVIL, "reason": EVIL},
        {"type": "summary", "id": "s" + EVIL, "summary": EVIL, "covers": [EVIL], "periodStart": EVIL},
        {"type": "revert", "id": "r" + EVIL, "of": EVIL},
    ]  # fmt: skip
    (home / "sessions").mkdir(parents=True)
    (home / "sessions" / "demo.jsonl").write_bytes(
        b"".join(orjson.dumps(record) + b"\n" for record in records)
    )
    (home / "sessions" / "bad.jsonl").write_text('{"role":"\\u001b[31m","parts":[]}\n')
    return home


@pytest.mark.parametrize(
    "argv",
    [
        "show demo", "show demo --jsonl", "show demo --items", "show demo --json", "show demo -n 1", "last demo",
        "last demo --json", "last demo --code", "list", "list --json", "search . demo", "search --words x", "search . --jsonl",
        "stats demo", "stats demo --json", "status demo", "status demo --json", "verify demo", "verify demo --json",
        "compact demo --explain --budget 9k", "compact demo --explain --json --budget 9k", "stats demo --top 9",
        "verify bad", "verify demo --to anthropic", "show bad", "show \x1b[31m", "expand : demo", "expand u demo", "expand s demo",
    ],
)  # fmt: skip
@pytest.mark.parametrize("env", [{}, {"TERM": "dumb"}], ids=["rich", "dumb"])
def test_nothing_acts_on_the_terminal(argv: str, env: dict[str, str], hostile: Path) -> None:
    shown = on_terminal(*argv.split(" "), home=hostile, **env)
    assert shown
    assert "Traceback" not in shown
    assert "bug:" not in shown
    found = UNSAFE.search(STYLES.sub("", shown))
    assert found is None, shown[max(0, found.start() - 60) : found.end() + 20]


def test_json_on_a_terminal_is_the_same_json(hostile: Path) -> None:
    shown = on_terminal("show", "demo", "--jsonl", home=hostile, columns=9999)
    piped = support.run("show", "demo", "--jsonl", "-q", home=hostile)
    assert [orjson.loads(line) for line in shown.splitlines() if line.startswith("{")] == piped.lines


@pytest.fixture
def plain(home: Path) -> Path:
    support.run("append", "-s", "demo", "-m", "hello **you**")
    support.run("append", "-s", "demo", "--role", "model", "-m", "so **bold**\n\n- one\n- two")
    return home


def test_markdown_is_the_models(plain: Path) -> None:
    shown = on_terminal("show", "demo", home=plain)
    assert "hello **you**" in shown
    assert "\x1b[1m**bold**\x1b[0m" in shown
    assert "  - one\n  - two\n" in STYLES.sub("", shown)


def test_no_colour(plain: Path) -> None:
    colours = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    assert colours.search(on_terminal("show", "demo", home=plain))
    assert not colours.search(on_terminal("show", "demo", home=plain, NO_COLOR="1"))
    assert "\x1b" not in on_terminal("show", "demo", home=plain, TERM="dumb")


def test_lines_fit_the_terminal(plain: Path) -> None:
    support.run("append", "-s", "demo", "-m", "word " * 200)
    for argv in ("show demo", "stats demo"):
        shown = STYLES.sub("", on_terminal(*argv.split(), home=plain, columns=60))
        assert max(map(len, shown.split("\n"))) <= 60


def test_a_table_of_sessions(plain: Path) -> None:
    support.run("set", "-s", "demo", "title=Greetings")
    heading, row = STYLES.sub("", on_terminal("list", home=plain)).rstrip("\n").split("\n")
    assert heading.split() == ["id", "last", "messages", "calls", "pending", "title", "cwd"]
    assert row.split()[0] == "demo"
    assert row.split()[3:5] == ["2", "Greetings"]


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_an_id_is_listed_whole_however_long_the_titles_are(columns: int, home: Path) -> None:
    id = "claude-code-5e551000-0000"
    support.run("append", "-s", id, "-m", "word " * 100)
    shown = STYLES.sub("", on_terminal("list", home=home, columns=columns)).splitlines()
    assert [line.split()[0] for line in shown if line[0] != " "] == ["id", id]
    assert max(map(len, shown)) <= columns
    assert "title" in "".join(shown[:-1])
    assert "word" in shown[-1]
    assert (len(shown) == 2) == (columns > 80)  # else the id has a line of its own


def test_without_a_title_a_session_is_listed_by_its_first_prompt(plain: Path) -> None:
    for n in range(3):
        support.run(
            "append", "-s", f"s{n}", "-m", f"question {n}", env={"CODEH_NOW": f"2026-01-0{n + 3}T22:00:00Z"}
        )
    shown = STYLES.sub("", on_terminal("list", "-n", "2", home=plain, TZ="Asia/Kolkata", columns=90))
    rows = [row.split() for row in shown.splitlines()[1:]]
    assert [row[0] for row in rows] == ["demo", "s2"]
    assert rows[1][1:3] == ["2026-01-06", "03:30"]
    assert rows[1][4:6] == ["question", "2"]
    assert "hello **you**" in shown


def test_a_pipe_needs_no_rich(plain: Path) -> None:
    code = (
        "import sys\nfrom codeh_history.main import run\nfrom codeh_history.base.env import Env\n"
        "for line in sys.argv[1:]:\n    run(line.split(), Env())\nassert 'rich' not in sys.modules"
    )
    lines = ["show demo", "last demo", "list", "search o", "status demo", "stats demo", "verify demo"]
    argv = [sys.executable, "-c", code, *lines]
    done = subprocess.run(argv, capture_output=True, env=support.environ(home=plain), check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("regex", "red"), [("l+", ["ll"]), ("(h|y)(e|o)+u?", ["he", "you"]), ("$", [])])
def test_search_marks_what_it_found(regex: str, red: list[str], plain: Path) -> None:
    shown = on_terminal("search", regex, "demo", home=plain).split("\n")[0]
    assert re.findall(r"\x1b\[1;31m(.*?)\x1b\[0m", shown) == red
    assert STYLES.sub("", shown) == "demo:1:user: hello **you**"


def test_words_are_marked_too(plain: Path) -> None:
    shown = on_terminal("search", "--words", "you HELL", "demo", home=plain)
    assert re.findall(r"\x1b\[1;31m(.*?)\x1b\[0m", shown) == ["hello", "you"]
