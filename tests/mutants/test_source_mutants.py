"""Small faults in the source, each of which a test must catch.

Each changes what a user gets. The tests named with it run against a copy of the tree that has the fault.
"""

import os
import shutil
import subprocess
import sys

import pytest
from table import MUTANTS

from support import ROOT

PACKAGE = ROOT / "cli" / "codeh_history"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_line_is_there(mutant):
    """A change to a line with a mutant needs a change to the mutant."""
    assert (PACKAGE / mutant.file).read_text().count(mutant.line) == 1
    for test in mutant.tests:
        file, _, name = test.partition("::")
        name, _, case = name.rstrip("]").partition("[")
        assert f"def {name}" in (ROOT / "tests" / file).read_text()
        assert name != "test_case" or (ROOT / "tests/cases" / case).is_dir()


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_it_is_caught(mutant, tmp_path):
    for folder in ("cli", "tests", "fixtures", "docs"):
        ignored = shutil.ignore_patterns("__pycache__", "bench")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    file = tmp_path / "cli" / "codeh_history" / mutant.file
    file.write_text(file.read_text().replace(mutant.line, mutant.fault))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist",
         *(f"tests/{test}" for test in mutant.tests)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "LENGTH": "medium", "FAULTS": "medium", "PYTHONPATH": str(tmp_path / "cli")},
    )  # fmt: skip
    assert done.returncode == 1, f"{mutant.name} survives:\n{done.stdout[-2000:]}{done.stderr[-500:]}"
    assert "error" not in done.stdout.splitlines()[-1], done.stdout[-2000:]
