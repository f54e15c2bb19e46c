"""`make demo` works, and docs/demo.md shows what it prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT

SHOWN = 118  # longer lines are cut in the page


def told(text: str) -> list[str]:
    """The lines without ids and sizes, which hang on how the answers were cut on their way."""
    lines = [f"{line[:SHOWN]}…" if len(line) > SHOWN else line for line in text.strip("\n").split("\n")]
    text = re.sub(r"\b(?:[0-9a-f]{20}|[0-9a-f]{8})\b", "ID", "\n".join(lines))
    return re.sub(r"\d+ bytes", "N bytes", text).split("\n")


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl on this machine")
def test_the_page_shows_what_the_demo_prints() -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "tests/demo.sh"], cwd=ROOT, env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    page = (ROOT / "docs" / "demo.md").read_text()
    shown = page.split("```console\n", 1)[1].split("\n```\n", 1)[0]
    assert told(done.stdout) == told(shown)
