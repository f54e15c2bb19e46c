"""The package itself: its public names come when they are asked for, and no other is made up."""

import subprocess
import sys

import pytest

import codeh_history


def test_each_public_name_is_what_its_module_has():
    from codeh_history.base import errors
    from codeh_history.library import session, stream

    public = {name: getattr(codeh_history, name) for name in codeh_history.__all__}
    assert public["Session"] is session.Session
    assert public["Stream"] is stream.Stream
    assert (public["Answer"], public["Filtered"]) == (stream.Answer, stream.Filtered)
    assert public["BadData"] is errors.BadData
    assert {*codeh_history.__all__} <= {*dir(codeh_history)}
    with pytest.raises(AttributeError, match="has no attribute 'Sessions'"):
        _ = codeh_history.Sessions  # type: ignore[attr-defined]


def test_modules_load_on_first_use():
    code = (
        "import sys, codeh_history as c; before = {*sys.modules}; c.TryAgain;"
        "print('codeh_history.base.errors' in before, 'codeh_history.library' in sys.modules, 'TryAgain' in vars(c))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False True\n"
