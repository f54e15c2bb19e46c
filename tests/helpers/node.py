"""Run TypeScript examples with node: directly if it supports types, otherwise through esbuild (npm)."""

import os
import re
import shutil
import subprocess
from functools import cache

import pytest

from support import ROOT

ESBUILD = "esbuild@0.25.12"
EXAMPLES = ROOT / "docs" / "examples"
_TOOLS = ROOT / ".node"


@cache
def node():
    """The node command; the test is skipped if it is missing or too old."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("no node here (apt install nodejs)")
    return path


@cache
def _takes_types():
    output = subprocess.run([node(), "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = map(int, re.findall(r"\d+", output)[:2])
    return (major, minor) >= (22, 18)


@cache
def _esbuild():
    """The program that strips types, installed once; the test is skipped if that fails."""
    path = _TOOLS / "node_modules" / ".bin" / "esbuild"
    if not path.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("node takes no types before 22.18, and there is no npm to get esbuild with")
        argv = [
            npm,
            "install",
            "--prefix",
            str(_TOOLS),
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
            ESBUILD,
        ]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            pytest.skip(f"npm could not install esbuild: {done.stderr.strip()[-200:]}")
    return str(path)


def script(example, folder):
    """The JavaScript file that node runs for an example in docs/examples, possibly written to this folder."""
    source = EXAMPLES / example
    if _takes_types():
        return source
    target = folder / f"{source.stem}.mjs"
    argv = [_esbuild(), source, f"--outfile={target}", "--format=esm", "--log-level=error"]
    subprocess.run(list(map(os.fspath, argv)), check=True)
    return target
