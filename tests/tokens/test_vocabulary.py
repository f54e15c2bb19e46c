"""Vocabularies: two thirds of the tokens count the same, and those that are kept unpacked are the packed ones."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history.base.errors import InputOutput
from codeh_history.tokens import open_counter, unpacked, vocabulary
from codeh_history.tokens.vocabulary import Vocabulary
from length import examples

if TYPE_CHECKING:
    import tiktoken

SIGNS = "aZ09 \n\t'ßéłñ—“”…→✅│①\u2028\ufe0f\ufffd\U0001f642\U0001f9d1\u200d\uf8ff\uff0c"  # of usual texts
NAME = "o200k_base"
SHA256 = vocabulary._ENCODINGS[NAME][0]


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


# -- kept unpacked -----------------------------------------------------------------------------------------


def count(folder: Path, text: str = "hello world, as it is counted") -> list[int]:
    vocabulary.load.cache_clear()
    return open_counter(None, cache=str(folder / "tokens.sqlite")).counts([text])


def test_the_unpacked_vocabulary_is_the_packed_one(tmp_path: Path) -> None:
    for name in vocabulary.NAMES:
        sha256, _, _ = vocabulary._ENCODINGS[name]
        found = Vocabulary(name, str(tmp_path))
        assert (found.encoding([]) is found.whole) == (name != NAME)
        packed = vocabulary._read(name)
        for kept, some in ((name, False), *([(f"{name}-usual", True)] if name == NAME else [])):
            assert unpacked.read(str(tmp_path), kept, sha256) == vocabulary.ranks_of(packed, usual=some)
            assert unpacked.read(str(tmp_path), kept, "0" * 64) is None
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    assert len(list(tmp_path.glob("*.tokens"))) == 3


def test_with_it_the_package_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = count(tmp_path)
    monkeypatch.setitem(sys.modules, vocabulary.PACKAGE, None)
    (tmp_path / "tokens.sqlite").unlink()
    assert count(tmp_path) == expected
    with pytest.raises(InputOutput):
        count(tmp_path, "Слово")
    (tmp_path / "o200k_base-usual.tokens").unlink()
    (tmp_path / "tokens.sqlite").unlink()
    with pytest.raises(InputOutput):
        count(tmp_path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[int], bytes]:
    """A count, and the unpacked vocabulary that it left."""
    folder = tmp_path_factory.mktemp("kept")
    return count(folder), (folder / "o200k_base-usual.tokens").read_bytes()


@given(
    place=st.floats(0, 0.999999),
    kind=st.sampled_from(["flip", "cut", "empty", "garbage", "folder", "list"]),
)
@settings(max_examples=examples(8))
def test_a_spoilt_one_is_made_again(kept: tuple[list[int], bytes], place: float, kind: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected, data = kept[0], bytearray(kept[1])
        path = folder / "o200k_base-usual.tokens"
        at = int(len(data) * place)
        if kind == "flip":
            data[at] ^= 1
        if kind == "folder":
            path.mkdir()
        elif kind == "list":  # as it was kept before
            unpacked.write(name, "o200k_base-usual", SHA256, [b"a", b"b"])  # type: ignore[arg-type]
        else:
            path.write_bytes({"cut": data[:at], "empty": b"", "garbage": b"\n" * 50}.get(kind, data))
        assert count(folder) == expected
        assert {path.name for path in folder.iterdir()} == {"tokens.sqlite", "o200k_base-usual.tokens"}
        if kind != "folder":
            assert unpacked.read(name, "o200k_base-usual", SHA256) is not None


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
