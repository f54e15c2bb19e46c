"""What is laid out for a terminal: nothing in any text can act on it, whatever renders it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.markdown import Markdown
from rich.text import Text

from codeh_history.base.escape import safe
from codeh_history.render.terminal import printed

STYLES = re.compile(r"\x1b\[[0-9;]*m")


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\x1b\x07\x9b\u202e\u200f\r\b"), max_size=30))
def test_no_text_acts_on_the_terminal(text: str) -> None:
    out = printed(Text(text), width=40, colour=True).decode()
    assert safe(STYLES.sub("", out)) == STYLES.sub("", out)


@pytest.mark.parametrize("source", ["&#x202e;evil", "&#27;[31m", "&#7;", "[a](http://x/\u202e)"])
def test_what_a_renderer_decodes_does_not_either(source: str) -> None:
    out = STYLES.sub("", printed(Markdown(source, hyperlinks=False), width=40, colour=True).decode())
    assert safe(out) == out


def test_a_long_line_is_wrapped_unless_it_is_code() -> None:
    long = "word " * 20
    assert max(map(len, printed(Text(long), width=30, colour=False).decode().splitlines())) <= 30
    code = Text("x" * 100, no_wrap=True)
    assert printed(code, width=30, colour=False).decode().splitlines() == ["x" * 100]


def test_colour_is_left_out_where_none_is_wanted() -> None:
    text = Text("hi", style="red bold")
    assert b"31" in printed(text, width=30, colour=True)
    assert b"31" not in printed(text, width=30, colour=False)
    assert printed(text, Text("ho"), width=30, colour=False).decode().split("\n")[-2] == "ho"


def test_markup_and_emoji_in_a_text_are_text() -> None:
    assert printed(Text("[red]:smile: 1"), width=30, colour=True) == b"[red]:smile: 1\n"
    assert printed(Text("\ud800"), width=30, colour=True) == b"\\u{d800}\n"
