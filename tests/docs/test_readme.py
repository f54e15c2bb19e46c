"""The README names every verb and provider, the docs every exit code and promise; links lead somewhere."""

import ast
import re

import pytest

from codeh_history import providers
from codeh_history.base import errors
from codeh_history.commands import SHOWN
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


@pytest.mark.parametrize("format", providers.TARGETS)
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
    classes = [
        c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.HistoryError)
    ]
    for code in {c.exit_code for c in classes} | {0, 70}:
        assert re.search(rf"^\| {code} \|", COMMANDS_PAGE, re.MULTILINE), code


PROOFS = re.findall(r"`([\w/]+\.py)::(\w+)`", PROMISES)


@pytest.mark.parametrize(("file", "name"), PROOFS, ids="::".join)
def test_every_promise_names_a_test_that_is_there(file, name):
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
    marks = [ast.unparse(mark) for function in functions for mark in function.decorator_list]
    marks += [ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)]
    return any("pytest.mark.slow" in mark for mark in marks)
