"""The policy `loop`: shares of the window, and references of the live loop."""

from __future__ import annotations

from compact.long import IMAGE, prose
from compact.short import asked, loop, said, sources, tokens
from histories import model, session, user


def test_recent_whole_exchanges_first_until_one_does_not_fit() -> None:
    turns = [
        m
        for n, size in enumerate((20, 20, 300, 20, 20))
        for m in (user(prose(n, size)), model(prose(n, size)))
    ]
    view = session([*turns, user("now")])
    after = loop(view, tokens(view) // 2, upload_share=0.0, history_share=0.4)
    assert [message.id for message in after.messages] == ["m6", "m7", "m8", "m9", "m10"]


def test_uploads_beyond_their_share_are_left_out_newest_kept() -> None:
    view = session(
        [
            user("one", IMAGE),
            model("a"),
            user("two", IMAGE),
            model("b"),
            user("three", IMAGE),
            model(prose(1, 30)),
        ]
    )
    after = loop(view, tokens(view) - 100, upload_share=0.5)
    kept = [
        any("inlineData" in part for part in message.parts)
        for message in after.messages
        if message.role == "user"
    ]
    assert kept == [False, False, True]
    assert "image/png 640x480" in said(after)


def test_the_margin_stays_free() -> None:
    view = session([user("find"), *asked("c", "search", {}, sources(*range(1, 40))), model("hm")])
    after = loop(view, 3000)
    assert tokens(after) <= 2700
