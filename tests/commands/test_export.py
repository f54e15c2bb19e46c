"""`export`: into a new file, and what is said where an option or a form has another name."""

import pytest

from blocks.stored import ok
from codeh_history.formats import EXPORTERS
from inside import inside


@pytest.mark.parametrize("form", EXPORTERS)
@pytest.mark.parametrize("flag", ["--output", "-o"])
def test_any_form_goes_into_a_new_file(home, tmp_path, form, flag):
    ok("append", "-s", "a", "-m", "hi", home=home)
    file = tmp_path / "a.out"
    done = ok("export", "a", "--to", form, flag, file, home=home)
    assert (done.out, file.read_bytes()) == (b"", ok("export", "a", "--to", form, home=home).out)
    again = inside("export", "a", "--to", form, flag, str(file), home=home)
    assert (again.code, b"already exists" in again.err) == (65, True)


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (["--format", "html"], "--to"), (["--to", "md"], "one of contents, "),
        (["--to", "htlm"], "did you mean html?"),
    ],
)  # fmt: skip
def test_another_name_is_answered_with_ours(home, argv, meant):
    done = inside("export", "a", *argv, home=home)
    assert (done.code, meant in done.err.decode()) == (2, True)


@pytest.mark.parametrize(
    "argv",
    [
        ["payload", "a", "--to", "gemini", "--tools", "tools.json"],
        ["set", "-s", "a", "tools=tools.json"],
    ],
)
def test_a_file_of_tools_without_its_mark_is_answered_with_the_mark(home, argv):
    ok("append", "-s", "a", "-m", "hi", home=home)
    done = inside(*argv, home=home)
    assert (done.code, b"did you mean @tools.json?" in done.err) == (2, True)
