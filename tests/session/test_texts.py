"""Of a conversation of nothing but texts the request is the same, whether messages are made of it or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from codeh_history import providers
from codeh_history.access import view as looking
from codeh_history.base.jobs import COMPACT
from codeh_history.session import texts
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from codeh_history.session.view import View
from length import examples
from oddities import every_oddity, plain, said, sessions, told, words


def check(path: Path, data: bytes, *argv: str) -> None:
    """By either way `payload` says the same of a session."""
    path.write_bytes(data)
    short = told(["payload", str(path), *argv])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(looking, "view_of_texts", lambda data, asks_more: None)
        assert short == told(["payload", str(path), *argv])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a session."""
    return tmp_path_factory.mktemp("plain") / "s.jsonl"


@settings(max_examples=examples(200))
@given(data=sessions(), argv=words())
def test_either_way_gives_the_same(path: Path, data: bytes, argv: list[str]) -> None:
    check(path, data, *argv)


@pytest.mark.parametrize("to", providers.FORMATS)
def test_every_oddity_gives_the_same_either_way(path: Path, to: str) -> None:
    for data in every_oddity():
        check(path, data, "--to", to, "--model", "claude-opus-4-8")


def conversation(*more: dict[str, Any]) -> bytes:
    answer = said("b", "codeh", "Because # it is.", provider="anthropic", model="claude-opus-4-8")
    title: dict[str, Any] = {"type": "meta", "set": {"title": "t"}}
    return plain(said("a", "user", "Why?"), answer, title, *more, said("c", "user", "And?"))


def test_the_view_of_texts_knows_who_said_what() -> None:
    view = texts.view_of(conversation(), COMPACT)
    assert view is not None
    assert view.texts is not None
    assert [(role, id) for role, _, id in view.texts] == [("user", "a"), ("model", "b"), ("user", "c")]
    assert (view.id, view.meta, view.texts.models) == (
        "s",
        {"title": "t"},
        {"anthropic": "claude-opus-4-8"},
    )
    assert view.lacks("functionCall")


@pytest.mark.parametrize("slot", View.__slots__)
def test_whatever_else_is_asked_for_is_as_of_any_log(slot: str) -> None:
    data = conversation()
    view, whole = texts.view_of(data, COMPACT), fold(parse(lines_of(data), data))
    assert view is not None
    assert seen(view, slot) == seen(whole, slot)
    left = {"id", "meta", "summaries"}  # which the texts tell
    assert (view.texts is not None) == (slot in left)
    assert view.lacks("title") == whole.lacks("title")
    assert [message.id for message in view.messages] == ["a", "b", "c"]
    assert view.texts is None


def seen(view: View, slot: str) -> object:
    """What a slot holds, as it may be compared."""
    value = getattr(view, slot)
    if slot == "log":
        return [record.data for record in value.records]
    if slot in {"messages", "all", "carried"}:
        return [*value] if isinstance(value, dict) else [getattr(one, "raw", one) for one in value]
    return value


def test_settings_from_elsewhere_stay_when_all_is_made() -> None:
    view = texts.view_of(conversation(), COMPACT)
    assert view is not None
    over = view.with_settings({"system": "Be brief."})
    assert over.texts == view.texts
    assert [message.id for message in over.messages] == ["a", "b", "c"]
    assert (over.meta, view.meta) == ({"system": "Be brief."}, {"title": "t"})
    assert over.with_settings({}).messages == over.messages


def test_no_other_name_is_made_up() -> None:
    view = texts.view_of(conversation(), COMPACT)
    assert view is not None
    assert not hasattr(view, "said_by_nobody")
    assert view.texts is not None


def test_a_setting_that_asks_for_more_says_so_at_once() -> None:
    data = conversation({"type": "meta", "set": {"compact.budget": "1k"}})
    assert texts.view_of(data, COMPACT) is None
