"""README, docs and help: what they name exists, and their command lines are accepted."""

import ast
import re
import shlex

import pytest
from typer._click.exceptions import ClickException

from codeh_history import cli, providers
from codeh_history.base import errors
from codeh_history.commands import SHOWN
from in_process import command
from support import ROOT, run

README = (ROOT / "README.md").read_text()
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text()
PROMISES = (ROOT / "docs" / "promises.md").read_text()


@pytest.mark.parametrize("verb", SHOWN)
def test_every_verb_is_named_and_its_help_begins_with_examples(verb):
    assert f"`{verb}`" in README
    result = run(verb, "--help")
    assert result.code == 0
    assert result.text.startswith("Examples:\n")
    assert f"codeh-history {verb}" in result.text


@pytest.mark.parametrize("format", providers.PROVIDERS)
def test_every_provider_has_its_page(format):
    assert f"docs/providers/{format}.md" in README


LINKS = [
    (page, link)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
]


@pytest.mark.parametrize(("page", "link"), LINKS, ids=lambda value: str(value).removeprefix(f"{ROOT}/"))
def test_every_link_leads_somewhere(page, link):
    assert (page.parent / link).exists()


def test_every_exit_code_is_in_the_table():
    types = [each for each in vars(errors).values() if isinstance(each, type)]
    classes = [each for each in types if issubclass(each, errors.HistoryError)]
    for code in {c.exit_code for c in classes} | {0, 70}:
        assert re.search(rf"^\| {code} \|", COMMANDS_PAGE, re.MULTILINE), code


PROOFS = re.findall(r"`([\w/]+\.py)::(\w+)`", PROMISES)


@pytest.mark.parametrize(("file", "name"), PROOFS, ids="::".join)
def test_every_promise_names_an_existing_test(file, name):
    assert re.search(rf"^def {name}\(", (ROOT / "tests" / file).read_text(), re.MULTILINE)


def test_every_promise_has_its_tests():
    numbered = re.split(r"^(\d+)\. ", PROMISES, flags=re.MULTILINE)
    assert numbered[1::2] == [str(n) for n in range(1, 16)]
    assert all("::test_" in promise for promise in numbered[2::2])


def test_a_sample_of_each_promise_is_in_make_test():
    numbered = re.split(r"^\d+\. ", PROMISES, flags=re.MULTILINE)[1:]
    assert len(numbered) == 15
    for promise in numbered:
        proofs = re.findall(r"`([\w/]+\.py)::(\w+)`", promise)
        assert not all(_is_slow(file, name) for file, name in proofs), promise


def _is_slow(file, name):
    """Whether `make test` leaves a test out."""
    tree = ast.parse((ROOT / "tests" / file).read_text())
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    assert functions, f"{file}::{name} is linked and missing"
    marks = [ast.unparse(mark) for function in functions for mark in function.decorator_list]
    marks += [ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)]
    return any("pytest.mark.slow" in mark for mark in marks)


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
        yield f"{verb} --help", command(verb).module.EXAMPLES


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
    argv = None
    words = iter(lexer)
    for word in words:
        if word.startswith("#"):
            break
        if word in REDIRECTIONS:
            next(words, None)
        elif word and set(word) <= set("|&;()"):
            if argv:
                yield argv
            argv = None
        elif word == PROGRAM and argv is None:
            argv = []
        elif argv is not None:
            argv.append(word)
    if argv:
        yield argv


FOUND = list(commands())


def test_there_are_many():
    assert len(FOUND) > 150
    assert {words[0] for _, _, words in FOUND} >= {"append", "payload", "compact", "summarize", "undo"}


@pytest.mark.parametrize(("page", "line", "words"), FOUND, ids=lambda value: None)
def test_a_documented_command_is_accepted(page, line, words):
    verb, *argv = words
    if verb.startswith("-"):
        return
    assert verb in cli.COMMANDS, f"{page}: {line}"
    try:
        command(verb).make_context(verb, argv)
    except ClickException as error:
        pytest.fail(f"{page}: {line}: {error.format_message()}")
