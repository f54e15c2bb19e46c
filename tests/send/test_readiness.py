"""Where a big session stands is told as where a small one does, in little memory."""

from unittest.mock import patch

from hypothesis import event, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.env import Env
from codeh_history.send import readiness
from codeh_history.store.resolve import Target
from codeh_history.views.view import view_of
from plain_logs import plain_files


@given(data=plain_files() | some.files_of(), at_once=st.integers(1, 4), end=st.integers(2, 30))
def test_a_big_log_is_told_as_its_view(data, at_once, end, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    env, target = Env({"CODEH_HOME": "/nowhere"}, stderr=99), Target(str(path), "-s")
    env.quiet = True
    with (
        patch.object(readiness.skim, "FOLDED", 0), patch.object(readiness, "AT_ONCE", at_once),
        patch.object(readiness, "END", end),
    ):  # fmt: skip
        found = readiness.standing_of_big(env, target, "approx", strict=False)
    event(f"big: {found is not None}")
    expected = readiness.standing(env, target, view_of(env, target, hydrate=False), "approx")
    assert found in (None, expected)
