"""What `persist` was asked to leave out: nothing unless a flag asks for it, then curated before compacted."""

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import Usage
from codeh_history.base.shared_options import Reduction
from codeh_history.filters.reduction import check_settings, steps
from codeh_history.session.ops import apply
from histories import model, session, user

ENV = Env({"CODEH_HOME": "/nowhere"})


def done(view, **options):
    """What each step does, by the kinds of its ops."""
    kinds = []
    for step in steps(ENV, Reduction(**options), "s"):
        ops, _ = step(view)
        view = apply(view, ops)
        kinds.append([op["op"] for op in ops])
    return kinds


def talked():
    long = [each for n in range(20) for each in (user(f"say {n} " * 50), model(f"so {n} " * 50))]
    return session([*long, {"kind": "info", "parts": [{"text": "a note"}]}, user("last"), model("end")])


def test_nothing_is_left_out_unasked():
    assert steps(ENV, Reduction(), "s") == []


def test_each_is_done_where_its_flags_ask_for_it_and_in_this_order():
    view = talked()
    assert done(view, only=("kinds",)) == [["drop"]]
    (compacted,) = done(view, budget="1000", counter="approx")
    assert compacted
    both = done(view, only=("kinds",), budget="1000", counter="approx")
    assert both[0] == ["drop"]
    assert len(both) == 2


@pytest.mark.parametrize("options", [{"only": ("no-such-pass",)}, {"budget": "few"}, {"thoughts": "some"}])
def test_what_cannot_be_followed_is_refused_before_anything_is_read(options):
    with pytest.raises(Usage):
        steps(ENV, Reduction(**options), "s")


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"compact.budget": "9k"},
        {"compact.budget": None},
        {"curate.thoughts": "old"},
        {"compact.budget": 9000},
    ],
)
def test_settings_that_a_command_can_follow(settings):
    check_settings(settings)


@pytest.mark.parametrize("settings", [{"compact.budget": "few"}, {"curate.thoughts": "some"}])
def test_settings_that_none_can_follow(settings):
    with pytest.raises(Usage):
        check_settings(settings)
