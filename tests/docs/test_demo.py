"""`make demo` works, and docs/demo.md shows what it prints."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from length import not_short
from support import ROOT

SHOWN = 118  # longer lines are cut in the page


def displayed(text):
    """The lines as the page shows them."""
    lines = text.strip("\n").split("\n")
    return "\n".join(f"{line[:SHOWN]}…" if len(line) > SHOWN else line for line in lines)


@not_short
@pytest.mark.skipif(not shutil.which("curl"), reason="no curl on this machine")
def test_the_page_shows_what_the_demo_prints(request):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "tests/demo.sh"], cwd=ROOT, env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    page = ROOT / "docs" / "demo.md"
    before, _, rest = page.read_text().partition("```console\n")
    shown, _, after = rest.partition("\n```\n")
    if request.config.getoption("golden"):
        page.write_text(f"{before}```console\n{displayed(done.stdout)}\n```\n{after}")
    else:
        assert displayed(done.stdout) == shown


@pytest.mark.skipif(not shutil.which("make"), reason="no make on this machine")
def test_the_demo_installs_the_program_alone():
    steps = subprocess.run(
        ["make", "-n", "demo", "VENV=.no-venv"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "pip install" in steps
    assert "[dev]" not in steps
    assert "tests/demo.sh" in steps
