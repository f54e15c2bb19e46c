"""`kinds`: what is for people is not sent."""

from codeh_history.filters.curate.passes import Settings, kinds
from histories import message, model, session, user


def test_errors_and_notes_go_and_nothing_else():
    view = session(
        [
            user("a"),
            message("error", "no"),
            model("b"),
            message("info", "so"),
            message("error", "x", pinned=True),
        ]
    )
    assert [op["ids"] for op in kinds(view, Settings())] == [["m1", "m3", "m4"]]
    assert kinds(session([user("a"), model("b")]), Settings()) == []
