"""The manual page has every verb and option, is installed, and is read without a warning."""

import os
import re
import shutil
import subprocess

import pytest

import man_page
from codeh_history.commands import SHOWN, module_of

READERS = {
    "groff": ["groff", "-man", "-ww", "-Tutf8"],
    "mandoc": ["mandoc", "-Tlint", "-Wwarning"],
    "man": ["man", "--warnings=w", "-E", "UTF-8", "-l"],
}


def test_it_is_what_the_table_of_options_says(request):
    """`make generate` writes it; so does `make golden`."""
    if request.config.getoption("--golden"):
        man_page.PAGE.write_text(man_page.page())
    assert man_page.PAGE.read_text() == man_page.page(), "run `make generate`"


def test_it_has_every_verb_option_and_exit_code():
    text = man_page.PAGE.read_text().replace("\\-", "-")
    verbs = dict(re.findall(r"^\.SS (\S+)\n(.*?)(?=^\.S[SH] )", text, re.DOTALL | re.MULTILINE))
    assert tuple(verbs) == SHOWN
    for verb, body in verbs.items():
        takes = module_of(verb).Options
        for name, option in takes.DECLARED.items():
            for flag in () if option.positional or option.hidden else option.flags(name):
                assert re.search(rf"\\fB(.*[ /,])?{re.escape(flag)}([ ,/].*)?\\fR$", body, re.MULTILINE), (
                    flag
                )
    assert [f"\\fB{code}\\fR" in text for code in (0, 1, 2, 3, 4, 5, 6, 65, 70, 74, 75)] == [True] * 11


@pytest.mark.parametrize("reader", READERS)
def test_it_is_read_without_a_warning(reader):
    if shutil.which(reader) is None:
        pytest.skip(f"{reader} is not installed")
    done = subprocess.run(
        [*READERS[reader], man_page.PAGE], capture_output=True, text=True, check=False,
        env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert reader == "mandoc" or "rescue" in done.stdout
