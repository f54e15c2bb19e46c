"""The program's output on a terminal, also for hostile text."""

import re

import orjson
import pytest

import support
import terminal
from in_process import write_session

EVIL = (
    "\x1b]0;owned\x07 \x1b[2J\x1b[31m \x9b31m \x9d0;x\x9c \x07\x08\x0b\x0c\x7f \u202egnp\u2066 \u200b \u2028 "
    "\U000e0041 &#27;[2J &#x202e; &#155; [bold]x[/bold] [click](http://x\x1b) :skull: \x00"
)
STYLES = re.compile(r"\x1b\[[0-9;]*m")
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def on_terminal(*argv, home=None, columns=80, **env):
    """The output of a command, both streams, on a terminal of this many columns."""
    return of_process([*support.program(), *argv], home, columns, env)


def of_process(argv, home, columns, env):
    """The same for any command line."""
    merged = support.environ({"NO_COLOR": "", "TERM": "xterm-256color", **env}, home)
    merged.pop("COLUMNS", None)
    return terminal.shown(argv, merged, columns=columns).decode().replace("\r\n", "\n")


@pytest.fixture
def hostile(home):
    """A home whose session has hostile text in every field."""
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
    write_session(home, b"".join(orjson.dumps(record) + b"\n" for record in records), "demo")
    write_session(home, b'{"role":"\\u001b[31m","parts":[]}\n', "bad")
    return home
