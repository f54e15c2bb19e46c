"""Golden cases: their folders, their environment and their output."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import forks
from support import NOW, ROOT, stdin_arguments

CASES = ROOT / "tests" / "cases"
OUTPUTS = ("stdout", "stderr", "code")
PARSER = re.compile(rb"not JSON: [^:\n]*: line")  # the library's own words, which change with its version
ENV = {
    "CODEH_NOW": NOW, "CODEH_ID_SEED": "seed", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb",
}  # fmt: skip


def cases():
    return sorted(str(cmd.parent.relative_to(CASES)) for cmd in CASES.glob("*/*/cmd"))


@pytest.fixture
def scratch():
    """A directory whose path has a constant length, because the header contains it and ids depend on offsets."""
    path = Path(tempfile.mkdtemp(prefix="codeh-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


def outcome(folder, scratch, more=None, program_dir=None):
    """The output of a folder's command, by the name of the file that records it."""
    for item in folder.iterdir():
        if item.name in (*OUTPUTS, "cmd", "stdin"):
            continue
        if item.is_dir():
            shutil.copytree(item, scratch / item.name)
        else:
            shutil.copy(item, scratch / item.name)
    stdin = folder / "stdin"
    done = subprocess.run(
        ["bash", folder / "cmd"],
        **stdin_arguments(stdin.read_bytes() if stdin.exists() else None),
        capture_output=True, cwd=scratch, timeout=60, check=False,
        env={
            "PATH": f"{program_dir or forks.program().parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(scratch), "CODEH_HOME": str(scratch / "home"), **ENV, **(more or {}),
        },
    )  # fmt: skip
    where = str(scratch).encode()
    shown = {
        name: PARSER.sub(b"not JSON: ...: line", data.replace(where, b"$PWD"))
        for name, data in (("stdout", done.stdout), ("stderr", done.stderr))
    }
    return {
        "stdout": shown["stdout"],
        "stderr": shown["stderr"].replace(str(folder).encode() + b"/", b""),
        "code": b"%d\n" % done.returncode,
    }
