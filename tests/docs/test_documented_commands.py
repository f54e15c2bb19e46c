"""Every command line that the README, the docs and the help show is one that the program takes."""

import re
import shlex

import pytest
from typer._click.exceptions import ClickException

from codeh_history import cli
from inside import command
from support import ROOT

PROGRAM = "codeh-history"
ENDS = {"|", "||", "&&", ";", "&", "(", ")", "|&", ";;"}
REDIRECTIONS = {">", ">>", "<", "<<", "<<<", ">&", "&>"}
MISSING = re.compile(r"\bVERB\b|…|\.\.\.|\[|\{[A-Z]")  # a pattern of commands, not one


def pages():
    """The shell blocks of each document, and the examples of each verb."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for block in re.findall(r"```(?:sh|bash|console)\n(.*?)```", path.read_text(), re.DOTALL):
            yield str(path.relative_to(ROOT)), block
    for verb in cli.COMMANDS:
        yield f"{verb} --help", command(verb).examples


def commands():
    """Where a command stands, its line, and its words."""
    for page, block in pages():
        for line in block.replace("\\\n", " ").splitlines():
            if f"{PROGRAM} " in line and not line.startswith(f"{PROGRAM}:") and not MISSING.search(line):
                yield from ((page, line.strip(), words) for words in words_of(line))


def words_of(line):
    """The words after the program's name, of each of its calls in a line of shell."""
    line = re.sub(r"\$(?=[\w({])", "", line).removeprefix("$ ")
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.commenters, lexer.whitespace_split = "", True
    found = None
    words = iter(lexer)
    for word in words:
        if word.startswith("#"):
            break
        if word in REDIRECTIONS:
            next(words, None)
        elif set(word) <= set("|&;()"):
            if found:
                yield found
            found = None
        elif word == PROGRAM and found is None:
            found = []
        elif found is not None:
            found.append(word)
    if found:
        yield found


FOUND = list(commands())


def test_there_are_many():
    assert len(FOUND) > 150
    assert {words[0] for _, _, words in FOUND} >= {"append", "payload", "compact", "summarize", "undo"}


@pytest.mark.parametrize(("page", "line", "words"), FOUND, ids=lambda value: None)
def test_a_documented_command_is_taken(page, line, words):
    verb, *argv = words
    if verb.startswith("-"):
        return
    assert verb in cli.COMMANDS, f"{page}: {line}"
    try:
        command(verb).make_context(verb, argv)
    except ClickException as error:
        pytest.fail(f"{page}: {line}: {error.format_message()}")
