"""The manual page has every verb and option, is installed, and is read without a warning."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib

import pytest

import man_page
from codeh_history.commands import SHOWN, module_of
from support import ROOT

READERS = {
    "groff": ["groff", "-man", "-ww", "-Tutf8"],
    "mandoc": ["mandoc", "-Tlint", "-Wwarning"],
    "man": ["man", "--warnings=w", "-E", "UTF-8", "-l"],
}


def test_it_is_what_the_table_of_options_says(request: pytest.FixtureRequest) -> None:
    """`make man` writes it; so does `make golden`."""
    if request.config.getoption("--golden"):
        man_page.PAGE.write_text(man_page.page())
    assert man_page.PAGE.read_text() == man_page.page(), "run `make man`"


def test_it_has_every_verb_option_and_exit_code() -> None:
    text = man_page.PAGE.read_text().replace("\\-", "-")
    verbs = dict(re.findall(r"^\.SS (\S+)\n(.*?)(?=^\.S[SH] )", text, re.DOTALL | re.MULTILINE))
    assert tuple(verbs) == SHOWN
    for verb, said in verbs.items():
        takes = module_of(verb).Options
        for name, option in takes.SPELLED.items():
            for flag in () if option.positional or option.hidden else option.flags(name):
                assert re.search(rf"\\fB(.*[ /,])?{re.escape(flag)}([ ,/].*)?\\fR$", said, re.MULTILINE), (
                    flag
                )
    assert [f"\\fB{code}\\fR" in text for code in (0, 1, 2, 3, 4, 5, 6, 65, 70, 74, 75)] == [True] * 11


@pytest.mark.parametrize("reader", READERS)
def test_it_is_read_without_a_warning(reader: str) -> None:
    if shutil.which(reader) is None:
        pytest.skip(f"{reader} is not installed")
    done = subprocess.run(
        [*READERS[reader], man_page.PAGE], capture_output=True, text=True, check=False,
        env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert reader == "mandoc" or "rescue" in done.stdout


def test_it_is_installed_where_man_looks() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    name = man_page.PAGE.relative_to(ROOT).as_posix()
    assert built["wheel"]["shared-data"] == {name: "share/man/man1/codeh-history.1"}


def test_the_readme_tells_who_installs_with_uv_where_it_is() -> None:
    """pipx links it where man looks, uv does not."""
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    (place,) = built["wheel"]["shared-data"].values()
    assert f'"$(uv tool dir)"/codeh-history/{place} ' in (ROOT / "README.md").read_text()
