"""Golden command folders: `tests/cases/VERB/NAME/{cmd,stdin?,stdout,stderr,code}`.

`cmd` is shell text, run by bash in a scratch directory that holds a copy of the folder's other files (a
`home` among them is the program's home). Clock and ids are fixed; the scratch path is shown as `$PWD`.
`make golden` rewrites stdout, stderr and code; review the difference.
"""

import pytest

from cases import CASES, OUTPUTS, cases, outcome, scratch

__all__ = ["scratch"]  # a fixture


@pytest.mark.parametrize("case", cases())
def test_case(case, scratch, request):
    folder = CASES / case
    actual = outcome(folder, scratch)
    assert b"codeh-history: bug:" not in actual["stderr"]  # nor is it ever recorded
    if request.config.getoption("--golden"):
        for name in OUTPUTS:
            (folder / name).write_bytes(actual[name])
    for name in ("code", "stderr", "stdout"):
        expected = (folder / name).read_bytes()
        assert actual[name].decode(errors="backslashreplace") == expected.decode(errors="backslashreplace")
        assert actual[name] == expected


def test_every_case_is_complete():
    """A folder that lacks a file was never reviewed; one without `cmd` never runs."""
    wrong = [
        f"{folder.relative_to(CASES)}/{name}"
        for folder in CASES.glob("*/*")
        for name in ("cmd", *OUTPUTS)
        if not (folder / name).is_file()
    ]
    assert not wrong


def test_every_documented_exit_code_has_a_case():
    """70, a bug, and 130 and 143, signals, are in test_errors."""
    codes = {int(file.read_text()) for file in CASES.glob("exit-codes/*/code")}
    assert codes == {0, 1, 2, 3, 4, 5, 6, 65, 74, 75, 141}
    for file in CASES.glob("exit-codes/*/code"):
        assert file.parent.name.startswith(file.read_text().strip() + "-")
