"""Messages for people: laid out on a terminal that can, plain in a pipe and where it cannot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import terminal
from codeh_history.base.env import Env
from codeh_history.render import messages
from strategies import view_of

LOG = [
    {"type": "message", "id": "m1", "ts": "2026-01-02T03:04:05.000Z", "kind": "user", "role": "user", "parts": [{"text": "**hi**"}]},
    {"type": "message", "id": "m2", "ts": "2026-01-02T03:04:05.000Z", "kind": "codeh", "role": "model", "parts": [{"text": "ho"}],
     "references": [{"number": 1, "title": "Source"}]},
    {"type": "message", "id": "m0", "kind": "user", "role": "user", "parts": [{"text": "old"}]},
    {"type": "summary", "id": "s", "summary": "before", "covers": ["m0"]},
]  # fmt: skip


@contextmanager
def on_terminal(**environ: str) -> Iterator[Env]:
    master, slave = terminal.opened(60)
    try:
        yield Env(environ, stdout=slave)
    finally:
        os.close(slave)
        os.close(master)


def shown(env: Env) -> str:
    view = view_of(LOG)
    numbered = list(enumerate(view.messages, 1))
    return messages.document(env, numbered, view.summaries, "Be brief.").decode()


def test_in_a_pipe_prompt_summaries_messages_and_references_stand_in_this_order() -> None:
    with open(os.devnull, "wb") as pipe:
        assert shown(Env({}, stdout=pipe.fileno())) == (
            "system\n    Be brief.\n\nsummary s of 1 message\n    before\n\n:1 user 2026-01-02T03:04:05.000Z m1\n    **hi**\n\n"
            ":2 model 2026-01-02T03:04:05.000Z m2\n    ho\n\nreferences\n  [1] Source\n"
        )


def test_a_terminal_gets_styles_unless_it_is_dumb_and_colour_unless_none_is_wanted() -> None:
    with on_terminal(TERM="xterm-256color") as env:
        assert messages.rich_wanted(env)
        rich = shown(env)
    assert "\x1b[" in rich
    assert all(text in rich for text in ("Be brief.", "before", "hi", "ho", "Source"))
    with on_terminal(TERM="dumb") as env:
        assert not messages.rich_wanted(env)
        assert "\x1b" not in shown(env)
    with open(os.devnull, "wb") as pipe:
        assert not messages.rich_wanted(Env({}, stdout=pipe.fileno()))


def test_either_stream_may_be_the_terminal() -> None:
    with on_terminal() as env, open(os.devnull, "wb") as pipe:
        both = Env({}, stdout=pipe.fileno(), stderr=env.stdout)
        assert not messages.rich_wanted(both)
        assert messages.rich_wanted(both, both.stderr)


def test_a_heading_stands_alone() -> None:
    message = view_of(LOG).messages[0]
    with open(os.devnull, "wb") as pipe:
        assert (
            messages.heading(Env({}, stdout=pipe.fileno()), 1, message)
            == ":1 user 2026-01-02T03:04:05.000Z m1"
        )
    with on_terminal() as env:
        assert "\n" not in messages.heading(env, 1, message)


def test_the_width_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    assert messages.width() == 33
