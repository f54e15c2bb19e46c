"""Plain conversations go straight from lines to request: the result is that of the long way."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from codeh_history import providers
from codeh_history.access import plain as straight
from codeh_history.base.jobs import Request
from length import examples
from oddities import every_oddity, plain, said, sessions, told, words


def check(path: Path, data: bytes, *argv: str) -> None:
    """By either way `payload` says the same of a session."""
    path.write_bytes(data)
    short = told(["payload", str(path), *argv])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(straight, "read", lambda blocks, given: None)
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


def test_a_plain_conversation_goes_straight() -> None:
    answer = said("b", "codeh", "Because # it is.", provider="anthropic", model="claude-opus-4-8")
    data = plain(
        said("a", "user", "Why?"), answer, {"type": "meta", "set": {"title": "t"}}, said("c", "user", "And?")
    )  # fmt: skip
    found = straight.read([data], Request())
    assert found is not None
    assert [(role, id) for role, _, id in found.texts] == [("user", "a"), ("model", "b"), ("user", "c")]
    assert (found.view.id, found.view.meta, found.models) == (
        "s",
        {"title": "t"},
        {"anthropic": "claude-opus-4-8"},
    )
    assert straight.read([data], Request(budget="1k")) is None
