"""Phrases of a private, translated-sounding language that must not return to docs, help and docstrings."""

import ast
import re

import pytest

from codeh_history.commands import SHOWN
from support import ROOT, run

PHRASES = """
    anew|alike|thereby|gone on with|goes? on with|went on|let go|nothing live|by heart|whatever may come
    whatever becomes|who is stronger|is stronger|no regular expression|is no (?:whole|regular|longer there)
    no directory here|(?:that|which) is none|holds a blank|behind a blank|two blanks|of ours|one's own|is told
    is said|were told|is asked for|in the place of|what came|what is there|where there (?:is|are)
    is there already|as it ever was|stands? (?:in|on) the|through each other|went on apart|comes to the same
    beginning of the log|has its place|to be gone on|hangs? on
    goes over|looked at|that are there|gives? back|in vain|whose words|the same of|no second
    what (?:it|they|each|a line|a message|the log) says?|says? (?:no more|nothing)|(?:Usage|BadData|None) where
    stands? (?:beside|below|above|before|behind|alone|there)
    found (?:offline|without asking)|whatever (?:it|they|follows)|neighbouring|further on|it stands|comes of it
    as (?:they|it) stands?|whose it (?:is|was)|brought to light|goes? by|(?:be|are) gone|in one's
    (?:NotFound|InputOutput|TryAgain) where|none where|(?:where|what) (?:it|there) (?:is|has|are) none
    that it is none|of which no|already says|just asked|nothing (?:came|has come)|some levels|is known by
    (?:exactly|just|only) as (?:it|they) (?:is|are)
"""
IN_DOCSTRINGS = """
    goes? back|(?:can|cannot) be told|told apart|(?:cannot|may|must) stand|takes no|where (?:it|they) (?:stands?|lies?)
    as (?:it is|they are|they were)(?=[.,;:)]|$)
"""  # words that a page may need
SPEAKERS = "whom|nobody|who says|was said"  # ordinary words in code about speakers


def pattern(*phrases):
    return re.compile(rf"\b(?:{'|'.join(map(str.strip, phrases))})\b", re.IGNORECASE)


IN_CODE = pattern(*PHRASES.strip().splitlines(), *IN_DOCSTRINGS.strip().splitlines())
FORBIDDEN = pattern(*PHRASES.strip().splitlines(), SPEAKERS)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)

EMPTY = {"found", "said", "told", "asked", "given", "here"}  # names that say nothing about a value
BOUND = re.compile(
    rf"\b_*(?:{'|'.join(EMPTY)})_*\s*(?:[=:,()\]]|in\b)"
)  # what may give a value such a name
PACKAGE = ROOT / "cli" / "codeh_history"
ROOMS = {
    path.parent.name: sorted(path.parent.rglob("*.py")) for path in sorted(PACKAGE.glob("*/__init__.py"))
}
ROOMS["entry points"] = sorted(PACKAGE.glob("*.py"))
PAGES = {str(path.relative_to(ROOT)): path for path in sorted((ROOT / "docs").rglob("*.md"))}


def phrases(text, forbidden=FORBIDDEN):
    """The forbidden phrases in a text, outside its code."""
    return forbidden.findall(re.sub(r"\s+", " ", CODE.sub("CODE", text)))


def prose_of(path):
    """The docstrings and comments of a module."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, documented))
    yield from filter(None, map(ast.get_docstring, nodes))
    yield from re.findall(r"(?:^|\s)#\s.*", path.read_text())


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_in_plain_english(page):
    assert phrases(PAGES[page].read_text()) == []


@pytest.mark.parametrize("verb", SHOWN)
def test_a_help_text_is_in_plain_english(verb):
    assert phrases(run(verb, "--help-all").text) == []


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_and_comments_are_in_plain_english(room):
    texts = ((path.name, text) for path in ROOMS[room] for text in prose_of(path))
    assert [(name, *matches) for name, text in texts if (matches := phrases(text, IN_CODE))] == []


def names_in(path):
    """The names that a module with an empty one gives to variables, arguments, functions and classes."""
    text = path.read_text()
    for node in ast.walk(ast.parse(text)) if BOUND.search(text) else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


@pytest.mark.parametrize("folder", ["cli", "tests"])
def test_names_say_what_a_value_is(folder):
    paths = (ROOT / folder).rglob("*.py")
    names = {(path.name, name.strip("_")) for path in paths for name in names_in(path)}
    options = {("list_.py", "here")}  # `list --here`
    assert sorted(pair for pair in names - options if pair[1] in EMPTY) == []


def test_code_and_keys_are_not_prose():
    assert phrases("`let go` and\n```\nanew\n```\nlet_go") == []
    assert phrases("It is\nlet\ngo.") == ["let go"]
