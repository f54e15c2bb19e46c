"""The Makefile has few targets, each explained on one screen; what pages and scripts call exists."""

import re
import shlex
import shutil
import subprocess

import pytest

from support import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
PHONY = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
TARGETS = dict(re.findall(r"^([a-z-]+):.*## (.*)$", MAKEFILE, re.MULTILINE))
PAGES = [
    ROOT / "README.md", ROOT / "pyproject.toml", *(ROOT / ".ci").iterdir(), *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "tests").rglob("*.py"), *(ROOT / "tests").rglob("*.sh"), *(ROOT / "cli").rglob("*.py"),
]  # fmt: skip
EXAMPLES = {
    ROOT / "tests" / room for room in ("filters", "summaries")
}  # sessions in which others call make


def test_there_are_few_targets_and_each_is_explained():
    assert len(PHONY) <= 25
    assert set(PHONY) == set(TARGETS) == set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.MULTILINE))


@pytest.mark.skipif(not shutil.which("make"), reason="no make on this machine")
def test_help_fits_on_one_screen():
    done = subprocess.run(
        ["make", "--no-print-directory", "help"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    lines = done.stdout.splitlines()
    assert [line.split()[1] for line in lines] == PHONY
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80


def test_what_pages_and_scripts_call_is_a_target():
    called = {
        (str(path.relative_to(ROOT)), target)
        for path in PAGES if EXAMPLES.isdisjoint(path.parents)
        for target in re.findall(r"`(?:[A-Z]+=\S+ )*make ([a-z][\w-]*)", path.read_text())
    }  # fmt: skip
    nightly, each = ((ROOT / ".ci" / name).read_text() for name in ("nightly", "run"))
    tasks = shlex.split(re.search(r"^tasks=\((.*)\)$", nightly, re.MULTILINE)[1])
    called |= {(".ci/nightly", task.split()[0]) for task in tasks}
    words = re.search(r"^exec make (.*)$", each, re.MULTILINE)[1].split()
    called |= {(".ci/run", word) for word in words if "=" not in word}
    assert sorted((path, target) for path, target in called if target not in PHONY) == []
