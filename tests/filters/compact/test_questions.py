"""Questions that nobody takes up are open ends."""

from __future__ import annotations

import pytest
from test_summary import section, summary, working

from compact.short import tokens
from histories import model, session, user


@pytest.mark.parametrize(("question", "reply", "stands"), [
    ("Does the zeppelin need a carburettor?", "I do not know yet.", True), ("Who pays for the zeppelin?", "Go on.", True),
    ("Does the zeppelin need a carburettor?", "Yes, I think so.", False), ("Who pays for the zeppelin?", "The zeppelin is paid.", False),
    ("No zeppelin in Antwerp?", "Hm.", False), ("Have you seen the zeppelin in Antwerp?", "Hm.", False),
    ("Could you find out who pays for the zeppelin?", "Hm.", True), ("Wer bezahlt den Zeppelin?", "Hm.", True),
    ("What do they do?", "Hm.", False),
])  # fmt: skip
def test_a_question_that_nobody_takes_up_is_open(question: str, reply: str, stands: bool) -> None:
    view = session([user(question), model(reply), *working(50), user("and now?")])
    text = summary(view, tokens(view) // 5)
    assert ("Open:" in text and question in "".join(section(text, "Open"))) == stands
