"""The command line as Typer has it: its help, its one-line refusals, and what others call a verb."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeh_history import __version__, cli
from codeh_history.base.env import Env
from codeh_history.base.errors import Usage
from codeh_history.commands import COMMANDS, SECTIONS
from inside import inside


def refused(*argv: str) -> str:
    with pytest.raises(Usage) as refusal:
        cli.run([*argv], Env({"CODEH_HOME": "/nowhere"}))
    return str(refusal.value)


@pytest.mark.parametrize(("argv", "said"), [
    (["shwo"], "shwo: no such command; did you mean `codeh-history show`?"),
    (["ls"], "ls: no such command; did you mean `codeh-history list`?"),
    (["rename", "x"], "rename: no such command; did you mean `codeh-history set title=TEXT`?"),
    (["qqqq"], "qqqq: no such command; see codeh-history --help"),
    (["-s", "demo", "show"], "-s: options stand behind the command: `codeh-history show … -s …`"),
    (["--session=x", "last"], "--session: options stand behind the command: `codeh-history last … --session …`"),
    (["show", "a", "b"], "show: Got unexpected extra argument(s) (b); the session is the only argument; -n N shows the last N messages"),
    (["append", "x"], "append: Got unexpected extra argument(s) (x); the text is -m TEXT, the session is -s SESSION"),
    (["show", "--odd"], "show: No such option: --odd (codeh-history show --help)"),
    (["show", "-n"], "show: Option '-n' requires an argument (codeh-history show --help)"),
    (["last", "--role", "user", "--role", "model"],
     "last: --role: given twice, and it takes one value (codeh-history last --help)"),
    (["list", "-n", "few"], "list: Invalid value for '-n': 'few' is no whole number (codeh-history list --help)"),
])  # fmt: skip
def test_what_is_said_wrongly_is_told_in_a_line(argv: list[str], said: str) -> None:
    assert refused(*argv) == said


@pytest.mark.parametrize("name", cli.OTHER_NAMES)
def test_what_others_call_a_verb_names_one_that_is_there(name: str) -> None:
    assert name not in COMMANDS
    meant = cli.OTHER_NAMES[name].split()
    assert meant[0] in COMMANDS or meant == ["--version"]


def test_help_begins_with_examples_and_names_every_verb(tmp_path: Path) -> None:
    text = inside("--help", home=tmp_path).out.decode()
    assert text.startswith("Examples:\n" + cli.EXAMPLES)
    assert all(f"\n{section}:\n" in text for section in SECTIONS)
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert inside(home=tmp_path).out.decode() == text
    assert inside("help", home=tmp_path).out.decode() == text
    assert inside("--version", home=tmp_path).text == f"codeh-history {__version__}"


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_verbs_help_begins_with_its_own_examples(verb: str, tmp_path: Path) -> None:
    made = cli.load(verb)
    text = inside(verb, "--help", home=tmp_path).out.decode()
    assert text.startswith("Examples:\n" + made.examples.rstrip("\n") + "\n\nUsage: ")
    assert f"codeh-history {verb}" in made.examples
    assert inside("help", verb, home=tmp_path).out.decode() == text
