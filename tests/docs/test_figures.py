"""Every measured figure names its command, date and commit; every limit matches the code."""

import re

import pytest

from codeh_history.base import options, patterns
from codeh_history.commands.serve import request, server, worker
from codeh_history.filters.compact import bounds, outline
from codeh_history.programs import chatgpt
from codeh_history.session import model
from codeh_history.store import log
from codeh_history.store.blocks import protocol, redis
from codeh_history.summaries import command
from codeh_history.talk.append import parts
from codeh_history.talk.send import template_process
from codeh_history.views import calibration
from support import ROOT

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = re.compile(r"```[\s\S]*?```")
TABLE = re.compile(r"(?:^\|.*\n){3,}", re.MULTILINE)
NUMBER = re.compile(r"\|\s*[-−]?\d[\d.,]*(?:\s*[-–(].*?)?\s*(?:%|MB|MiB|ms|s)?\s*(?=\|)")
SOURCE = re.compile(
    r"(?:`(?:make [a-z-]+[^`]*|\.venv/bin/python [^`]+)`|outside this repository)"
    r"[^|]*?20\d\d-\d\d-\d\d[^|]*?commit [0-9a-f]{8}"
)
NOT_MEASURED = ("code", "exit", "read", "version")  # words in the head of a table: exit codes, versions


def tables():
    """Each table of figures, with its page and the section it is in."""
    for page in PAGES:
        for section in re.split(r"^(?=#+ )", FENCED.sub("", page.read_text()), flags=re.MULTILINE):
            for table in TABLE.findall(section):
                head = {cell.strip(" `*").lower() for cell in table.splitlines()[0].split("|")}
                rows = [row for row in table.splitlines()[2:] if NUMBER.search(row)]
                if len(rows) > 2 and head.isdisjoint(NOT_MEASURED):
                    yield page, section.splitlines()[0], section


@pytest.mark.parametrize(("page", "title", "section"), list(tables()), ids=lambda value: str(value)[:60])
def test_a_table_of_figures_names_its_source(page, title, section):
    assert SOURCE.search(section), f"{page.name}, {title}: command, date and commit of its figures"


AMOUNT = re.compile(
    r"(?<![\w.,:#-])\d[\d.,]*\s*(?:ms|s|seconds?|minutes?|MB|kB|GB|KiB|MiB|GiB|%|×)(?![\w-])"
)
UNITS = {"s": 1, "seconds": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "%": 0.01}
LIMITS = (  # page, what it says, the code's constant
    ("CHANGELOG.md", "60 %", bounds.WINDOW),
    ("blocks.md", "20 seconds", redis.SECONDS),
    ("blocks.md", "64 KiB", parts.LARGE),
    ("commands.md", "10 s", patterns.SECONDS),
    ("commands.md", "60 %", bounds.WINDOW),
    ("compaction.md", "120 seconds", outline.SECONDS),
    ("compaction.md", "95 %", calibration.QUANTILE),
    ("format.md", "64 MiB", model.LONGEST),
    ("fuzzing.md", "64 MiB", model.LONGEST),
    ("programs.md", "16 MiB", chatgpt._MAX_IMAGE),
    ("programs.md", "32 MiB", chatgpt._MAX_IMAGES),
    ("reliability.md", "10 seconds", log.LOCK_SECONDS),
    ("reliability.md", "10 s", patterns.SECONDS),
    ("reliability.md", "1 GiB", template_process.MEMORY),
    ("responses.md", "256 MiB", options.MOST_BYTES),
    ("serve.md", "64 MiB", request.LONGEST),
    ("serve.md", "64 MiB", worker.MOST),
    ("serve.md", "12 seconds", server.GRACE),
    ("stores.md", "16 MiB", protocol.BATCH),
    ("summaries.md", "4 MiB", command.MOST),
)
NEITHER = {  # the defaults of two options, a threshold, an assumption, a rule for tests, a download
    ("compaction.md", "60 %"), ("compaction.md", "20 %"), ("blocks.md", "4 KiB"), ("stores.md", "1 kB"),
    ("stores.md", "86,400 s"), ("stores.md", "50 ×"), ("stores.md", "500 GB"), ("contributing.md", "20 seconds"),
    ("contributing.md", "2.6 GB"),
}  # fmt: skip


@pytest.mark.parametrize(("page", "amount", "constant"), LIMITS)
def test_a_limit_is_the_code_s(page, amount, constant):
    number, unit = amount.split(" ")
    assert float(number) * UNITS[unit] == pytest.approx(constant)


def test_each_amount_in_a_page_is_a_limit_or_has_a_source():
    """Or it is in the paragraph of a promise that links its tests."""
    listed = NEITHER | {(page, amount) for page, amount, _ in LIMITS}
    amounts_without = [
        (page.name, amount)
        for page in PAGES
        for section in re.split(r"^(?=#+ )", FENCED.sub("", page.read_text()), flags=re.MULTILINE)
        if not SOURCE.search(section)
        for paragraph in re.split(r"\n\n|\n(?=\d+\. )", section)
        if "::test_" not in paragraph
        for amount in AMOUNT.findall(paragraph)
    ]
    assert sorted(set(amounts_without) - listed) == []
    assert sorted(listed - set(amounts_without)) == []  # what no page says any more


def test_an_amount_is_found_anywhere():
    assert AMOUNT.findall("80 ms per megabyte, 30 MB, 12 seconds, 1.5 × as much, 97 %; v0.4 s, 2026-01") == [
        "80 ms", "30 MB", "12 seconds", "1.5 ×", "97 %",
    ]  # fmt: skip
