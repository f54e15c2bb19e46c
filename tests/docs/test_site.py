"""The site has every page of docs/, and its casts show what the README prints."""

import re

import pytest

import casts
from support import ROOT

NAVIGATION = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
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
