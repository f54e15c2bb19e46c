"""No page of the documentation repeats another."""

import re
from collections import defaultdict

from support import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = re.compile(r"```[\s\S]*?```")
WORDS = 10  # in a row that two pages may not share


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
