"""Texts counted by several processes: the same counts as by one, whatever becomes of the others."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.tokens import open_counter, spread, vocabulary

OURS = os.getpid()
PIECES = (
    "def f(a, b):\n    return a + b  # 日本語\n",
    "x = 'abc' * 12345\n\n\t\tif y:\n",
    "https://a.b/c?d=e ",
)
SMALL = spread.Shares(worth=100, turn=500)  # so small that everything is shared
TEXTS = [f"{n} {'word ' * (n % 11)}" for n in range(3000)]


def length(text: str) -> int:
    """Stands for a count."""
    return len(text) * 7 + 1


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The children that there were."""
    found: list[int] = []
    fork = os.fork

    def noted() -> int:
        pid = fork()
        found.append(pid)
        return pid

    monkeypatch.setattr(os, "fork", noted)
    return found


def test_a_large_text_in_pieces_counts_the_same() -> None:
    text = "".join(PIECES[n % 3] * (n % 7) for n in range(9000))
    assert len(text) > 4 * spread.LARGE
    assert len(spread.cut(text)) > 4
    assert "".join(spread.cut(text)) == text
    for name in vocabulary.NAMES:
        encode = vocabulary.load(name).whole.encode
        expected = [len(encode(text)), len(encode("small")), 0]
        texts = [text, "small", ""]
        assert open_counter(name, cores=3).counts(texts) == expected
        assert spread.counts(lambda text, encode=encode: len(encode(text)), texts, 3, SMALL) == expected


@pytest.mark.parametrize("cores", [2, 3, 100])
def test_shared_counts_are_those_of_one(forked: list[int], cores: int) -> None:
    assert spread.counts(length, TEXTS, cores, SMALL) == list(map(length, TEXTS))
    assert len(forked) == min(cores, spread.MOST) - 1
    assert_gone(forked)


@given(texts=st.lists(st.text("ab \n", max_size=9) | st.integers(0, 900).map("x".__mul__), max_size=40))
def test_any_texts(texts: list[str]) -> None:
    shares = spread.Shares(worth=100, turn=300)
    assert spread.counts(length, texts, 2, shares) == list(map(length, texts))


def test_few_texts_are_worth_no_process(forked: list[int]) -> None:
    counts = spread.counts(length, TEXTS[:100], 8)
    assert counts == list(map(length, TEXTS[:100]))
    assert spread.counts(length, TEXTS, 1) == list(map(length, TEXTS))
    assert not forked


def killed(_: str) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def out_of_memory(_: str) -> int:
    raise MemoryError


def left(_: str) -> int:
    os._exit(0)


@pytest.mark.parametrize("fault", [killed, out_of_memory, left])
def test_what_a_child_fails_at_is_counted_here(forked: list[int], fault: Callable[[str], int]) -> None:
    def count(text: str) -> int:
        return length(text) if os.getpid() == OURS else fault(text)

    assert spread.counts(count, TEXTS, 3, SMALL) == list(map(length, TEXTS))
    assert len(forked) == 2
    assert_gone(forked)


def test_of_a_child_that_did_not_end_nothing_is_believed() -> None:
    """It has counted nearly all of them, and wrongly, when it is killed."""
    read_end, write_end = os.pipe()
    waited: list[bytes] = []

    def count(text: str) -> int:
        if os.getpid() == OURS:
            waited.append(b"" if waited else os.read(read_end, 1))  # with the first text
            return length(text)
        if text == TEXTS[-1]:
            os.write(write_end, b".")
            killed(text)
        return 0

    assert spread.counts(count, TEXTS, 2, SMALL) == list(map(length, TEXTS))
    assert waited[0] == b"."
    os.close(read_end)
    os.close(write_end)


def none() -> int:
    raise BlockingIOError(11, "Resource temporarily unavailable")


@pytest.mark.parametrize("what", ["fork", "pipe"])
def test_where_no_process_or_pipe_is_to_be_had(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(os, what, none)
    assert spread.counts(length, TEXTS, 4, SMALL) == list(map(length, TEXTS))


def test_what_is_wrong_with_a_text_is_raised_here(forked: list[int]) -> None:
    def count(text: str) -> int:
        if text == TEXTS[1500]:
            raise ValueError(text)
        return length(text)

    with pytest.raises(ValueError, match="1500"):
        spread.counts(count, TEXTS, 2, SMALL)
    assert_gone(forked)


def test_more_turns_than_a_pipe_holds() -> None:
    texts, shares = TEXTS * 8, spread.Shares(worth=100, turn=1, turns=1 << 30)
    assert len(spread._turns(texts, shares)) * 4 > 1 << 16
    assert spread.counts(length, texts, 2, shares) == list(map(length, texts))


def test_no_descriptor_stays_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        spread.counts(length, TEXTS, 4, SMALL)
    assert len(os.listdir("/proc/self/fd")) == before


def assert_gone(children: Sequence[int]) -> None:
    for pid in children:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
