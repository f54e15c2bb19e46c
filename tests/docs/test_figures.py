"""Every measured figure in a table says which command prints it, when it did, and of which commit."""

import re

import pytest

from support import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = re.compile(r"```[\s\S]*?```")
TABLE = re.compile(r"(?:^\|.*\n){3,}", re.MULTILINE)
NUMBER = re.compile(r"\|\s*[-−]?\d[\d.,]*(?:\s*[-–(].*?)?\s*(?:%|MB|MiB|ms|s)?\s*(?=\|)")
SOURCE = re.compile(
    r"(?:`(?:make [a-z-]+[^`]*|\.venv/bin/python [^`]+)`|outside this repository)"
    r"[^|]*?20\d\d-\d\d-\d\d[^|]*?commit [0-9a-f]{8}"
)
NOT_MEASURED = (
    "code",
    "exit",
    "read",
    "version",
)  # a table's first words: exit codes, versions of programs


def tables():
    """Each table of figures, with its page and the section it is in."""
    for page in PAGES:
        for section in re.split(r"^(?=#+ )", FENCED.sub("", page.read_text()), flags=re.MULTILINE):
            for table in TABLE.findall(section):
                head = {cell.strip(" `*").lower() for cell in table.splitlines()[0].split("|")}
                rows = [row for row in table.splitlines()[2:] if NUMBER.search(row)]
                if len(rows) > 2 and head.isdisjoint(NOT_MEASURED):
                    yield page, section.splitlines()[0], section


@pytest.mark.parametrize(("page", "title", "section"), tables(), ids=lambda value: str(value)[:60])
def test_a_table_of_figures_names_its_source(page, title, section):
    assert SOURCE.search(section), f"{page.name}, {title}: command, date and commit of its figures"
