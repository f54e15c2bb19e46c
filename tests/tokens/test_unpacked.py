"""A vocabulary that is kept unpacked is the packed one, whatever became of its file."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history.base.errors import InputOutput
from codeh_history.tokens import unpacked, vocabulary
from codeh_history.tokens.vocabulary import Vocabulary
from counting import NAME, SHA256, count
from length import examples


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
