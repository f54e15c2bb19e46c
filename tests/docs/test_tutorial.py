"""The tutorial, run in order in an empty home, prints what it shows; `make golden` updates it."""

import re
import shutil

import pytest

from page_commands import (
    LOOPBACK,
    as_shown,
    commands,
    long_and_broken,
    on_terminal,
    user_directory,
    variables,
)
from support import ROOT

PAGE = ROOT / "docs" / "tutorial.md"
CONSOLE = re.compile(r"```console\n([\s\S]*?)```")
END = "=== end of block\n"
TO_LOOPBACK = LOOPBACK.strip()  # after `config init`, whose file is then there


@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("git")), reason="no curl or git on this machine"
)
def test_the_tutorial(tmp_path, request):
    page = PAGE.read_text()
    with user_directory() as place:
        (place / "barn").mkdir()
        long_and_broken(place / "barn").write(place / ".claude" / "projects" / "barn", "b1f")
        shell = "".join(f"{commands(block)}echo '{END.strip()}'\n" for block in CONSOLE.findall(page))
        shell = shell.replace(
            "codeh-history config init\n", f"codeh-history config init\n{TO_LOOPBACK}\n", 2
        )
        shell = shell.replace(f"config init'\n{TO_LOOPBACK}", "config init'")
        env = {**variables(), "CODEH_ID_SEED": "tutorial"}
        printed = as_shown(on_terminal(shell, place, env), place).split(END)
    blocks = iter(printed)
    written = CONSOLE.sub(lambda _: f"```console\n{next(blocks)}```", page)
    if request.config.getoption("--golden"):
        PAGE.write_text(written)
    assert written == page
