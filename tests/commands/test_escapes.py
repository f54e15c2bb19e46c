"""Every command on a terminal: nothing that a session, a file, a provider or a name says can drive it."""

import os
import pty
import re
import threading
from pathlib import Path

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.escape import shown
from codeh_history.main import run
from terminal_output import EVIL, STYLES, UNSAFE, hostile

__all__ = ["hostile"]
DRAWN = ("show", "curate", "compact", "summarize", "redact")  # with styles of our own
NAME = "f\x1b]0;x\x07\u202e.json"
COMMANDS = """\
payload demo --to gemini --unanswered stub
payload demo --to anthropic --model m --unanswered stub --pretty
payload demo --to openai-chat --model m --unanswered stub
payload demo --to openai-responses --model m --unanswered drop
payload demo --to gemini --tools @FILE
payload demo --to gemini --user-template FILE
payload bad --to gemini
curate demo
curate demo --report
curate -s demo -i --report
compact demo --budget 50 --counter approx --report
compact demo --budget 500 --counter approx --plan
compact demo --max-items 2 --report
compact -s demo -i --budget 50 --counter approx --report
summarize demo --max-conversations 1 --min-batch 1
summarize demo --max-conversations 1 --min-batch 1 --via FAILS
summarize demo --max-conversations 1 --min-batch 1 --via SPEAKS
redact demo
redact demo --rules FILE
redact -s demo -i --yes
fixture demo
persist demo --all
persist -s demo -i --all
hydrate demo
repair demo --report
rescue demo --report --json
repair -s demo -i --report
export demo --to contents
export demo --to exchanges
export demo --to persisted
export demo --to refs
export demo --to markdown
calls demo
calls demo --via FAILS
context demo
undo -s demo
undo -s demo --id r
update -s demo :1 -m x
commit -s demo
clear -s demo
set -s demo tools=@FILE
fork demo
rm bad
prune --keep 1
import FILE
append -s demo -m x
append -s demo --result x -m y
append -s demo -m x --references FILE
append -s demo --exchange FILE
append -s demo --attach FILE
append -s demo --from auto < whole
append -s demo --from auto --echo < whole
append -s demo --from auto --echo < stream
append -s demo --from auto --echo < cut
append -s demo --from auto < error
append -s demo --from auto < other-error
append -s demo --from auto < page
ask -s demo -m x --to gemini --via ANSWERS --echo
ask -s demo -m x --to gemini --via REFUSES
search ( demo
show demo --strict
show demo --curated
show bad --strict
list --json
search . --jsonl demo""".splitlines()


def event(text, **more):
    parts = [{"text": text}, {"functionCall": {"name": EVIL, "args": {"a": EVIL}}}]
    return orjson.dumps(
        {"candidates": [{"content": {"role": "model", "parts": parts}, **more}], "responseId": EVIL}
    )


@pytest.fixture
def files(hostile):
    """What is given to commands, as hostile as the session."""
    page = f"<html>\x1b]0;x\x07 \x9b31m {EVIL}</html>"
    error = {"error": {"code": 400, "message": EVIL, "status": EVIL}}
    other = {"type": "error", "error": {"type": EVIL, "message": EVIL}}
    piece = b"data: " + event("he " + EVIL) + b"\n\n"
    whole = event("hello " + EVIL, finishReason="STOP")
    for name, data in {
        NAME: b'{"a\\u001b[31m": "(\\u009b31m", "role":"\\u001b[2J"}\x1b]0;x\x07', "page": page.encode(),
        "whole": whole, "error": orjson.dumps(error), "other-error": orjson.dumps(other),
        "stream": piece + piece + b"data: " + whole + b"\n\n", "cut": piece + b'data: {"candi\x1b]0;x\x07',
    }.items():  # fmt: skip
        (hostile / name).write_bytes(data)
    return hostile


def on_terminal(argv, home, stdin):
    """What a command writes to a terminal, both streams; run here."""
    master, slave = pty.openpty()
    chunks = []

    def read():
        try:
            while chunk := os.read(master, 65536):
                chunks.append(chunk)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    environ = {
        "CODEH_HOME": str(home),
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "CODEH_TRACEBACK": "1",
        "TERM": "xterm",
    }
    try:
        with stdin.open("rb") as file:
            run(argv, Env(environ, stdin=file.fileno(), stdout=slave, stderr=slave))
    finally:
        os.close(slave)
        reader.join()
        os.close(master)
    return b"".join(chunks).decode("utf-8", "surrogateescape").replace("\r\n", "\n")


@pytest.mark.parametrize("line", COMMANDS)
def test_no_command_lets_anything_through(line, files):
    command, _, given = line.partition(" < ")
    words = {
        "FILE": str(files / NAME), "@FILE": f"@{files / NAME}", "FAILS": f"cat '{files}/page' >&2; exit 3",
        "SPEAKS": f"cat '{files}/page'", "ANSWERS": f"cat >/dev/null; cat '{files}/stream'",
        "REFUSES": f"cat >/dev/null; cat '{files}/error'",
    }  # fmt: skip
    argv = [words.get(word, word) for word in command.split()]
    said = on_terminal(argv, files, files / given if given else Path(os.devnull))
    assert said
    found = UNSAFE.search(STYLES.sub("", said) if command.startswith(DRAWN) else said)
    assert found is None, said[max(0, found.start() - 60) : found.end() + 20]
    assert not re.search("[\ud800-\udfff]", said)


def test_what_is_shown_of_json_is_the_same_json():
    value = {EVIL: [EVIL, {"text": EVIL + "日本 \U000e0041 ok"}]}
    data = shown(orjson.dumps(value))
    assert orjson.loads(data) == value
    assert not UNSAFE.search(data.decode())
    assert shown(b"a\x1b[31m\xff\n\tb") == b"a^[[31m\\xff\n\tb"
