"""The command line as Typer has it: its help, its one-line refusals, and what others call a verb."""

import re
import shlex

import pytest

from codeh_history import __version__, cli
from codeh_history.commands import COMMANDS, FIRST, SECTIONS, SHOWN
from fake_provider import FakeProvider
from in_process import run_in_process, run_ok


@pytest.mark.parametrize("meant", cli.OTHER_NAMES)
def test_other_names_are_of_existing_verbs(meant):
    assert not {*cli.OTHER_NAMES[meant].split()} & {*COMMANDS}
    assert meant.split()[0] in (*COMMANDS, "--version")


def test_help_begins_with_examples_and_names_every_verb(tmp_path):
    text = run_in_process("--help", home=tmp_path).out.decode()
    assert text.startswith("Examples:\n" + cli.EXAMPLES)
    commands = text.partition("\nCommands:\n")[2]
    assert re.findall(r"^  ([a-z]+) ", commands, re.MULTILINE) == FIRST
    assert text.endswith("\nAll commands: codeh-history help --all\n")
    assert run_in_process(home=tmp_path).out.decode() == text
    assert run_in_process("help", home=tmp_path).out.decode() == text
    assert run_in_process("--version", home=tmp_path).text == f"codeh-history {__version__}"


def test_the_first_help_fits_a_terminal_of_24_lines(tmp_path):
    lines = run_in_process("-h", home=tmp_path).out.decode().splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80


def test_the_first_examples_work_with_nothing_set(tmp_path):
    """One after the other, in an empty home; between them only the key is added."""
    with FakeProvider() as server:
        for line in cli.EXAMPLES.splitlines():
            done = run_ok(*shlex.split(line, comments=True)[1:], home=tmp_path)
            if "config init" in line:
                (tmp_path / "gem.hdr").write_text("x-goog-api-key: made-up\n")
                config = tmp_path / "config.toml"
                text = config.read_text().replace("$HOME/.codeh", str(tmp_path))
                config.write_text(re.sub(r"https://\w+\.googleapis\.com", server.url, text))
    assert b"Why is the sky blue?" in done.out
    assert b"And at sunset?" in done.out
    assert b"At sunset the light" in done.out


def test_help_all_names_every_verb(tmp_path):
    text = run_in_process("help", "--all", home=tmp_path).out.decode()
    assert all(f"\n{section}:\n" in text for section in SECTIONS)
    assert [name for name in COMMANDS if f"\n  {name} " in text] == list(SHOWN)
    assert run_in_process("--help-all", home=tmp_path).out.decode() == text


def options_in(text):
    return re.findall(r"^  (?:-\w, )?(--[a-z][\w-]*)", text, re.MULTILINE)


@pytest.mark.parametrize("verb", SHOWN)
def test_a_verbs_help_fits_a_screen(verb, tmp_path):
    """At most 40 lines and 30 options at 80 columns; the others are in `--help-all`, but those without effect."""
    text = run_in_process(verb, "-h", home=tmp_path).out.decode()
    assert text.count("\n") <= 40
    assert len(options_in(text)) <= 30
    everything = run_in_process(verb, "--help-all", home=tmp_path).out.decode()
    shown = {
        name: it
        for name, it in cli.Command(verb).takes.DECLARED.items()
        if not (it.positional or it.hidden)
    }
    missing = [name for name, it in shown.items() if f"{it.flags(name)[0]} " not in everything]
    assert missing == [] or cli.Command(verb).takes.DECLARED[missing[0]].default
    assert run_in_process("help", verb, "--all", home=tmp_path).out.decode() == everything


@pytest.mark.parametrize("verb", ["payload", "ask", "chat", "persist"])
def test_options_of_curate_and_compact_are_in_help_all_only(verb, tmp_path):
    first, everything = (
        run_in_process(verb, how, home=tmp_path).out.decode() for how in ("-h", "--help-all")
    )
    for option in ("--budget", "--remove", "--unanswered", "--keep-last"):
        assert option not in options_in(first)
        assert option in options_in(everything)
    assert "--budget" in options_in(run_in_process("compact", "-h", home=tmp_path).out.decode())
    assert "--remove" in options_in(run_in_process("curate", "-h", home=tmp_path).out.decode())


def test_options_without_effect_are_accepted_and_hidden(tmp_path):
    assert "--echo" not in run_in_process("ask", "--help-all", home=tmp_path).out.decode()
    assert cli.Command("ask").make_context("ask", ["--echo", "-m", "x"]).params["echo"] is True


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_verbs_help_begins_with_its_own_examples(verb, tmp_path):
    made = cli.Command(verb)
    text = run_in_process(verb, "--help", home=tmp_path).out.decode()
    assert text.startswith("Examples:\n" + made.module.EXAMPLES.rstrip("\n") + "\n\nUsage: ")
    assert f"codeh-history {verb}" in made.module.EXAMPLES
    assert run_in_process("help", verb, home=tmp_path).out.decode() == text


@pytest.mark.parametrize("text", ["- a list", "-5 degrees?", "--what is this"])
def test_a_text_that_begins_with_a_dash_is_refused_with_what_to_do(text, tmp_path):
    done = run_in_process("append", "-s", "s", text, home=tmp_path)
    assert (done.code, done.err.endswith(b"; put -- before a text that begins with -\n")) == (2, True)
    assert b"put --" not in run_in_process("append", "--rol", "user").err  # names --role instead
    assert run_in_process("append", "-s", "s", "--", text, home=tmp_path).code == 0
