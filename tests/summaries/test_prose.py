"""Sentences: where they end, and which lines are prose at all."""

import pytest

from codeh_history.summaries import prose


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("One. Two.", ["One.", "Two."]), ("See e.g. this. Done.", ["See e.g. this.", "Done."]), ("Mr. X. came. So.", ["Mr. X. came.", "So."]), ("Version 2. Then 3.", ["Version 2. Then 3."]),
        ('He said "so." Then.', ['He said "so."', "Then."]), ("好。不好？好", ["好。", "不好？", "好"]), ("a.b.c is it", ["a.b.c is it"]), ("", []), ("  ", []), ("What?! Yes", ["What?!", "Yes"]),
    ],
)  # fmt: skip
def test_a_line_is_split_where_its_sentences_end(line, sentences):
    assert prose.split(line) == sentences


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("The parser reads lines.", True), ("$ make", False), ("> quoted", False), ("Traceback (most recent call last):", False), ("12: x = 1", False), ("a | b | c | d", False),
        ("if (x) {", False), ("f(x);", False), ("x", False), ("", False), ("/home/me/src/a.py", False), ("{}[]<>=;#", False), ("日本語です", True), ("at foo (bar.js:1)", False),
    ],
)  # fmt: skip
def test_what_is_said_is_no_log_no_table_and_no_code(line, *, said):
    assert prose.is_prose(line) is said


FILLER = "ok|Thanks!|yes please|continue|/theme|Danke dir|好的|Great, thanks a lot!|ok, continue|thank you for your help|Super, danke!|...|Perfect. That looks good."
SAYS = "use tabs|yes, delete it|no tests please|/etc/hosts is wrong|thanks, now the parser|why|好的，删除|ok foo_bar"


@pytest.mark.parametrize("text", FILLER.split("|"))
def test_what_asks_for_nothing_is_filler(text):
    assert prose.is_filler(text)


@pytest.mark.parametrize("text", SAYS.split("|"))
def test_what_asks_for_something_is_none(text):
    assert not prose.is_filler(text)
