"""On a terminal: laid out by rich, and nothing that a session holds can act on it."""

import re
import subprocess
import sys

import orjson
import pytest

import support
from terminal_output import STYLES, UNSAFE, hostile, on_terminal

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
def test_nothing_acts_on_the_terminal(argv, env, hostile):
    shown = on_terminal(*argv.split(" "), home=hostile, **env)
    assert shown
    assert "Traceback" not in shown
    assert "bug:" not in shown
    found = UNSAFE.search(STYLES.sub("", shown))
    assert found is None, shown[max(0, found.start() - 60) : found.end() + 20]


def test_json_on_a_terminal_is_the_same_json(hostile):
    shown = on_terminal("show", "demo", "--jsonl", home=hostile, columns=9999)
    piped = support.run("show", "demo", "--jsonl", "-q", home=hostile)
    assert [orjson.loads(line) for line in shown.splitlines() if line.startswith("{")] == piped.lines


@pytest.mark.parametrize("verb", ["show", "stats", "status", "list", "search", "last", "stats --top 9"])
def test_a_models_message_is_called_model(verb, called):
    found = {"search": "search . demo", "list": "list"}.get(verb, f"{verb} demo")
    shown = STYLES.sub("", on_terminal(*found.split(), home=called))
    assert not re.search(r"(?<![./\w])codeh\b(?![-/])", shown), shown


def test_stats_counts_tool_output_as_the_tools(called):
    shown = STYLES.sub("", on_terminal("stats", "demo", home=called))
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
def test_a_filter_prints_what_it_would_do_and_the_session_only_where_it_is_asked_for(filter, called):
    support.run("append", "-s", "demo", "--kind", "error", "-m", "oops")
    support.run("append", "-s", "demo", "-m", "password=hunter2secret99")
    before = support.session_path(called, "demo").read_bytes()
    verb, *options = filter.split()
    shown = STYLES.sub("", on_terminal(verb, "demo", *options, home=called))
    assert '{"' not in shown
    changes = verb in ("curate", "compact")
    assert ("\nedit" in shown or "\ndrop" in shown) == changes
    if verb == "redact":
        assert "assignment        1\n" in shown
    if verb == "repair":
        assert shown == "codeh-history: demo: nothing to change\n"
    else:
        keep = "add > FILE to keep this" if verb == "fixture" else "add -i to keep this, or > FILE"
        assert keep in shown or "demo is unchanged: `redact demo -i` removes it" in shown
    assert support.session_path(called, "demo").read_bytes() == before
    piped = support.run(verb, "demo", *options)
    again = on_terminal(verb, "demo", *options, "--jsonl", home=called, columns=999)
    assert [line for line in again.splitlines() if line.startswith("{")] == piped.out.decode().splitlines()


def test_a_filter_says_how_to_keep_what_it_makes_of_stdin_or_of_a_file(called):
    path = called / "copy.jsonl"
    path.write_bytes(support.session_path(called, "demo").read_bytes())
    shown = on_terminal("compact", str(path), "--max-items", "1", home=called)
    assert "codeh-history: copy is unchanged: add > FILE to keep this\n" in shown


def test_markdown_is_the_models(plain):
    shown = on_terminal("show", "demo", home=plain)
    assert "hello **you**" in shown
    assert "\x1b[1m**bold**\x1b[0m" in shown
    assert "  - one\n  - two\n" in STYLES.sub("", shown)


def test_no_colour(plain):
    colours = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    assert colours.search(on_terminal("show", "demo", home=plain))
    assert not colours.search(on_terminal("show", "demo", home=plain, NO_COLOR="1"))
    assert "\x1b" not in on_terminal("show", "demo", home=plain, TERM="dumb")


def test_lines_fit_the_terminal(plain):
    support.run("append", "-s", "demo", "-m", "word " * 200)
    for argv in ("show demo", "stats demo"):
        shown = STYLES.sub("", on_terminal(*argv.split(), home=plain, columns=60))
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
    shown = on_terminal("search", regex, "demo", home=plain).split("\n")[0]
    assert re.findall(r"\x1b\[1;31m(.*?)\x1b\[0m", shown) == red
    assert STYLES.sub("", shown) == "demo:1:user: hello **you**"


def test_words_are_marked_too(plain):
    shown = on_terminal("search", "--words", "you HELL", "demo", home=plain)
    assert re.findall(r"\x1b\[1;31m(.*?)\x1b\[0m", shown) == ["hello", "you"]
