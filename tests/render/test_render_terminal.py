"""What is laid out for a terminal."""

import re

from rich.text import Text

from codeh_history.render.terminal import printed

STYLES = re.compile(r"\x1b\[[0-9;]*m")


def test_a_long_line_is_wrapped_unless_it_is_code():
    long = "word " * 20
    assert max(map(len, printed(Text(long), width=30, colour=False).decode().splitlines())) <= 30
    code = Text("x" * 100, no_wrap=True)
    assert printed(code, width=30, colour=False).decode().splitlines() == ["x" * 100]


def test_colour_is_left_out_where_none_is_wanted():
    text = Text("hi", style="red bold")
    assert b"31" in printed(text, width=30, colour=True)
    assert b"31" not in printed(text, width=30, colour=False)
    assert printed(text, Text("ho"), width=30, colour=False).decode().split("\n")[-2] == "ho"


def test_markup_and_emoji_in_a_text_are_text():
    assert printed(Text("[red]:smile: 1"), width=30, colour=True) == b"[red]:smile: 1\n"
