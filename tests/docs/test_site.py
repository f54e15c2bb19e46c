"""The site has every page of docs/, none repeats another, and its casts show what the README prints."""

import re
from collections import defaultdict

import pytest

import casts
from support import ROOT

NAVIGATION = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = re.compile(r"```[\s\S]*?```")
WORDS = 10  # in a row that two pages may not share
MADE = {"index.md", "verbs.md", "changelog.md"}  # while it is built, by packaging/site.py


def test_every_page_has_one_place():
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    named = re.findall(r"[\w/-]+\.md", NAVIGATION)
    assert sorted(named) == sorted(pages | MADE)


def test_there_are_four_kinds_of_page():
    sections = re.findall(r"^  - ([\w-]+):", NAVIGATION, re.MULTILINE)
    assert sections == ["Tutorial", "How-to", "Reference", "Explanation"]


@pytest.mark.parametrize("name", casts.CASTS)
def test_a_cast_is_what_the_readme_shows(name):
    assert casts.path(name).read_text() == casts.cast(*casts.CASTS[name]), "make generate"


def runs(text):
    """Every run of so many words outside code blocks, without table rulers."""
    words = re.findall(r"[\w'`][\w'`/.-]*", FENCED.sub("", text).lower())
    return {" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1)}


def test_no_page_repeats_another():
    pages = defaultdict(list)
    for page in PAGES:
        for run in runs(page.read_text()):
            pages[run].append(str(page.relative_to(ROOT)))
    assert {run: names for run, names in pages.items() if len(names) > 1} == {}
