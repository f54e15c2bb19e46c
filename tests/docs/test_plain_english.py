"""Phrases of a private, translated-sounding language that must not return to the docs and the help."""

import re

import pytest

from codeh_history.commands import SHOWN
from support import ROOT, run

PHRASES = """
    whom|anew|alike|thereby|gone on with|goes? on with|went on|let go|nothing live|by heart|whatever may come
    whatever becomes|who is stronger|is stronger|no regular expression|is no (?:whole|regular|longer there)
    no directory here|(?:that|which) is none|holds a blank|behind a blank|two blanks|of ours|one's own|is told
    is said|was said|were told|is asked for|in the place of|what came|what is there|where there (?:is|are)
    is there already|as it ever was|stands? (?:in|on) the|through each other|went on apart|comes to the same
    beginning of the log|nobody|has its place|to be gone on|who says|hangs? on
    goes over|looked at|that are there|gives? back
"""
FORBIDDEN = re.compile(rf"\b(?:{'|'.join(map(str.strip, PHRASES.strip().splitlines()))})\b", re.IGNORECASE)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)

PAGES = {str(path.relative_to(ROOT)): path for path in sorted((ROOT / "docs").rglob("*.md"))}


def phrases(text):
    """The forbidden phrases in a text, outside its code."""
    return FORBIDDEN.findall(re.sub(r"\s+", " ", CODE.sub("CODE", text)))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_in_plain_english(page):
    assert phrases(PAGES[page].read_text()) == []


@pytest.mark.parametrize("verb", SHOWN)
def test_a_help_text_is_in_plain_english(verb):
    assert phrases(run(verb, "--help-all").text) == []


def test_code_and_keys_are_not_prose():
    assert phrases("`let go` and\n```\nanew\n```\nlet_go") == []
    assert phrases("It is\nlet\ngo.") == ["let go"]
