"""Vocabularies: two thirds of the tokens count the same, and those that are kept unpacked are the packed ones."""

from __future__ import annotations

import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.tokens import unpacked, vocabulary
from codeh_history.tokens.vocabulary import Vocabulary
from counting import NAME, SHA256, count
from length import examples

if TYPE_CHECKING:
    import tiktoken

SIGNS = "aZ09 \n\t'ßéłñ—“”…→✅│①\u2028\ufe0f\ufffd\U0001f642\U0001f9d1\u200d\uf8ff\uff0c"  # of usual texts


@cache
def usual() -> tiktoken.Encoding:
    return Vocabulary(NAME).encoding([])


# -- two thirds of the tokens ------------------------------------------------------------------------------


@given(text=st.text(SIGNS, max_size=60) | st.text(max_size=20))
def test_the_usual_tokens_encode_a_usual_text_as_all_do(text: str) -> None:
    if vocabulary.is_usual(text):
        every = vocabulary.load(NAME).whole.encode(text, disallowed_special=())
        assert usual().encode(text, disallowed_special=()) == every


def test_each_token_of_a_usual_text_is_usual() -> None:
    every = vocabulary.load(NAME).whole
    assert len(usual().token_byte_values()) < 0.75 * len(every.token_byte_values())
    texts = [token.decode("utf-8", "replace") for token in every.token_byte_values()]
    said = [f"{text}{text.upper()} {text}\n" for text in texts if vocabulary.is_usual(text)]
    some = [text for text in said if vocabulary.is_usual(text)]  # in capitals `µ` is Greek
    together = "é".join(some[:: max(1, 400 // examples(400))])
    assert usual().encode(together, disallowed_special=()) == every.encode(together, disallowed_special=())


def test_for_other_texts_all_tokens_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def built(_: str, ranks: dict[bytes, int]) -> Any:
        sizes.append(len(ranks))
        return object()

    monkeypatch.setattr(vocabulary, "built", built)
    for sign in [*"дλאगعא日", "a\u0301", "\ud800", "\ud83d\ude42"]:
        sizes.clear()
        found = Vocabulary(NAME)
        some = found.encoding(["a", SIGNS])
        assert found.encoding(["é"]) is some
        every = found.encoding(["a", f"and {sign}", "b"])
        assert every is found.whole is found.encoding(["a"])  # as they are there
        assert len(sizes) == 2
        assert sizes[0] < sizes[1] == 199_998


# -- unpacked by a child -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", vocabulary.NAMES)
def test_a_child_unpacks_meanwhile(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with vocabulary.unpacking(name, str(tmp_path)) as busy:
        assert busy
        monkeypatch.setitem(sys.modules, vocabulary.PACKAGE, None)  # nobody else does
        found = Vocabulary(name, str(tmp_path)).encoding(["hello world"])
        assert len(found.encode("hello world")) == 2
    with vocabulary.unpacking(name, str(tmp_path)) as busy:
        assert not busy  # as it is there
    assert not vocabulary._children


@pytest.mark.parametrize("fault", ["killed", "raises", "writes half", "none"])
def test_what_a_child_leaves_undone_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    expected, ours = count(tmp_path / "alone"), os.getpid()
    ranks_of, write = vocabulary.ranks_of, unpacked.write

    def ranks(raw: bytes, *, usual: bool) -> dict[bytes, int]:
        if os.getpid() == ours:
            return ranks_of(raw, usual=usual)
        if fault == "killed":
            os.kill(os.getpid(), 9)
        raise MemoryError

    def half(folder: str, name: str, sha256: str, ranks: dict[bytes, int]) -> None:
        write(folder, name, sha256, ranks)
        if os.getpid() != ours:
            path = Path(folder, f"{name}.tokens")
            path.write_bytes(path.read_bytes()[:100_000])

    if fault in ("killed", "raises"):
        monkeypatch.setattr(vocabulary, "ranks_of", ranks)
    if fault == "writes half":
        monkeypatch.setattr(unpacked, "write", half)
    if fault == "none":
        monkeypatch.setattr(os, "fork", no_fork)
    with vocabulary.unpacking(NAME, str(tmp_path)) as busy:
        assert busy == (fault != "none")
        assert count(tmp_path) == expected
    assert unpacked.read(str(tmp_path), f"{NAME}-usual", SHA256) is not None


def no_fork() -> int:
    raise BlockingIOError(11, "Resource temporarily unavailable")


def test_a_child_that_nobody_waits_for_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "_read", lambda *_: time.sleep(60))
    start = time.monotonic()
    with vocabulary.unpacking(NAME, str(tmp_path)) as busy:
        assert busy
    assert time.monotonic() - start < 30
    assert not list(tmp_path.iterdir())
