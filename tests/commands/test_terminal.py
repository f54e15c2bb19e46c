"""Terminal output: laid out by rich, and no content or name can control the terminal."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import orjson
import pytest

import support
import terminal
from codeh_history.base.env import Env
from codeh_history.base.escape import shown
from codeh_history.main import run
from terminal_output import EVIL, STYLES, UNSAFE, hostile, on_terminal

__all__ = ["hostile"]  # a fixture


@pytest.mark.parametrize(
    "argv",
    [
        "show demo", "show demo --jsonl", "show demo --items", "show demo --json", "show demo -n 1", "last demo",
        "last demo --json", "last demo --code", "list", "list --json", "search . demo", "search --words x", "search . --jsonl",
        "stats demo", "stats demo --json", "status demo", "status demo --json", "verify demo", "verify demo --json",
        "compact demo --explain --budget 9k", "compact demo --explain --json --budget 9k", "stats demo --top 9",
        "curate demo", "compact demo --budget 9k", "redact demo", "persist demo", "hydrate demo", "fixture demo",
        "curate demo --jsonl", "verify bad", "verify demo --to anthropic", "show bad", "show \x1b[31m", "expand : demo", "expand u demo", "expand s demo",
    ],
)  # fmt: skip
@pytest.mark.parametrize("env", [{}, {"TERM": "dumb"}], ids=["rich", "dumb"])
def test_no_view_passes_control_sequences_to_the_terminal(argv, env, hostile):
    shown = on_terminal(*argv.split(" "), **env)
    assert shown
    assert "Traceback" not in shown
    assert "bug:" not in shown
    unsafe = UNSAFE.search(STYLES.sub("", shown))
    assert unsafe is None, shown[max(0, unsafe.start() - 60) : unsafe.end() + 20]


def test_json_on_a_terminal_is_the_same_json(hostile):
    shown = on_terminal("show", "demo", "--jsonl", columns=9999)
    piped = support.run("show", "demo", "--jsonl", "-q", home=hostile)
    assert [orjson.loads(line) for line in shown.splitlines() if line.startswith("{")] == piped.lines


@pytest.mark.parametrize("verb", ["show", "stats", "status", "list", "search", "last", "stats --top 9"])
def test_a_message_of_a_model_is_shown_as_model(verb, called):
    command = {"search": "search . demo", "list": "list"}.get(verb, f"{verb} demo")
    shown = STYLES.sub("", on_terminal(*command.split()))
    assert not re.search(r"(?<![./\w])codeh\b(?![-/])", shown), shown


def test_stats_counts_tool_output_under_the_tool_role(called):
    shown = STYLES.sub("", on_terminal("stats", "demo"))
    rows = re.findall(r"^(user|model|tool) ", shown.partition("by tool")[0], re.MULTILINE)
    assert rows == ["user", "model", "tool"]


@pytest.fixture
def called(plain):
    support.run("append", "-s", "demo", "--call", "look", "--args", "{}", "--call-id", "c1")
    support.run("append", "-s", "demo", "--result", "look", "-m", "a long result " * 9)
    return plain


@pytest.fixture
def plain(home):
    support.run("append", "-s", "demo", "-m", "hello **you**")
    support.run("append", "-s", "demo", "--role", "model", "-m", "so **bold**\n\n- one\n- two")
    return home


FILTERS = ["curate", "compact --max-items 2", "repair", "redact", "persist --all", "hydrate", "fixture"]


@pytest.mark.parametrize("filter", FILTERS)
def test_a_filter_prints_a_preview_and_the_session_only_on_request(filter, called):
    support.run("append", "-s", "demo", "--kind", "error", "-m", "oops")
    support.run("append", "-s", "demo", "-m", "password=hunter2secret99")
    before = support.session_path(called, "demo").read_bytes()
    verb, *options = filter.split()
    shown = STYLES.sub("", on_terminal(verb, "demo", *options))
    assert '{"' not in shown
    changes = verb in ("curate", "compact")
    assert ("\nedit" in shown or "\ndrop" in shown) == changes
    if verb == "redact":
        assert "assignment        1\n" in shown
    if verb == "repair":
        assert shown == "codeh-history: demo: nothing to change\n"
    else:
        keep = "add > FILE to keep this" if verb == "fixture" else "add -i to keep this, or > FILE"
        assert keep in shown or "demo is unchanged: `redact demo -i --yes` removes it" in shown
    assert support.session_path(called, "demo").read_bytes() == before
    piped = support.run(verb, "demo", *options)
    again = on_terminal(verb, "demo", *options, "--jsonl", columns=999)
    assert [line for line in again.splitlines() if line.startswith("{")] == piped.out.decode().splitlines()


def test_a_filter_says_how_to_save_its_result_of_stdin_or_a_file(called):
    path = called / "copy.jsonl"
    path.write_bytes(support.session_path(called, "demo").read_bytes())
    shown = on_terminal("compact", str(path), "--max-items", "1", home=called)
    assert "codeh-history: copy is unchanged: add > FILE to keep this\n" in shown


def test_markdown_is_the_models(plain):
    shown = on_terminal("show", "demo")
    assert "hello **you**" in shown
    assert "\x1b[1m**bold**\x1b[0m" in shown
    assert "  - one\n  - two\n" in STYLES.sub("", shown)


def test_no_colour(plain):
    colours = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    assert colours.search(on_terminal("show", "demo"))
    assert not colours.search(on_terminal("show", "demo", NO_COLOR="1"))
    assert "\x1b" not in on_terminal("show", "demo", TERM="dumb")


def test_lines_fit_the_terminal(plain):
    support.run("append", "-s", "demo", "-m", "word " * 200)
    for argv in ("show demo", "stats demo"):
        shown = STYLES.sub("", on_terminal(*argv.split(), columns=60))
        assert max(map(len, shown.split("\n"))) <= 60


def test_a_pipe_needs_no_rich(plain):
    code = (
        "import sys\nfrom codeh_history.main import run\nfrom codeh_history.base.env import Env\n"
        "for line in sys.argv[1:]:\n    run(line.split(), Env())\nassert 'rich' not in sys.modules"
    )
    lines = ["show demo", "last demo", "list", "search o", "status demo", "stats demo", "verify demo"]
    argv = [sys.executable, "-c", code, *lines]
    done = subprocess.run(argv, capture_output=True, env=support.environ(home=plain), check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("regex", "red"), [("l+", ["ll"]), ("(h|y)(e|o)+u?", ["he", "you"]), ("$", [])])
def test_search_marks_what_it_found(regex, red, plain):
    shown = on_terminal("search", regex, "demo").split("\n")[0]
    assert re.findall(r"\x1b\[1;31m(.*?)\x1b\[0m", shown) == red
    assert STYLES.sub("", shown) == "demo:1:user: hello **you**"


def test_words_are_marked_too(plain):
    shown = on_terminal("search", "--words", "you HELL", "demo")
    assert re.findall(r"\x1b\[1;31m(.*?)\x1b\[0m", shown) == ["hello", "you"]


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
    candidate = {"content": {"role": "model", "parts": parts}, **more}
    return orjson.dumps({"candidates": [candidate], "responseId": EVIL})


@pytest.fixture
def files(hostile):
    """Hostile input files for commands."""
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


def screen(argv, home, stdin):
    """What a command, run in process, writes to a terminal on both streams."""
    master, slave = terminal.opened()
    output = bytearray()
    reader = threading.Thread(target=lambda: [output.extend(chunk) for chunk in terminal.chunks(master)])
    reader.start()
    own = {"CODEH_HOME": str(home), "HOME": str(home), "CODEH_TRACEBACK": "1", "TERM": "xterm"}
    environ = {"PATH": os.environ["PATH"], **own}
    try:
        with stdin.open("rb") as file:
            run(argv, Env(environ, stdin=file.fileno(), stdout=slave, stderr=slave))
    finally:
        os.close(slave)
        reader.join()
    return output.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


@pytest.mark.parametrize("line", COMMANDS)
def test_no_command_passes_control_sequences_to_the_terminal(line, files):
    command, _, name = line.partition(" < ")
    words = {
        "FILE": str(files / NAME), "@FILE": f"@{files / NAME}", "FAILS": f"cat '{files}/page' >&2; exit 3",
        "SPEAKS": f"cat '{files}/page'", "ANSWERS": f"cat >/dev/null; cat '{files}/stream'",
        "REFUSES": f"cat >/dev/null; cat '{files}/error'",
    }  # fmt: skip
    argv = [words.get(word, word) for word in command.split()]
    shown = screen(argv, files, files / name if name else Path(os.devnull))
    assert shown
    unsafe = UNSAFE.search(STYLES.sub("", shown) if command.startswith(DRAWN) else shown)
    assert unsafe is None, shown[max(0, unsafe.start() - 60) : unsafe.end() + 20]
    assert not re.search("[\ud800-\udfff]", shown)


def test_displayed_json_equals_the_json():
    value = {EVIL: [EVIL, {"text": EVIL + "日本 \U000e0041 ok"}]}
    data = shown(orjson.dumps(value))
    assert orjson.loads(data) == value
    assert not UNSAFE.search(data.decode())
    assert shown(b"a\x1b[31m\xff\n\tb") == b"a^[[31m\\xff\n\tb"
