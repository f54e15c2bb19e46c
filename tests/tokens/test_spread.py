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
TEXTS = [f"{n} {'word ' * (n % 11)}" for n in range(3000)]


def length(text: str) -> int:
    """Stands for a count."""
    return len(text) * 7 + 1


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that everything is shared."""
    monkeypatch.setattr(spread, "WORTH", 100)
    monkeypatch.setattr(spread, "_TURN", 500)


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


def test_a_large_text_in_pieces_counts_the_same(small: None) -> None:
    text = "".join(PIECES[n % 3] * (n % 7) for n in range(9000))
    assert len(text) > 4 * spread.LARGE
    assert len(spread.cut(text)) > 4
    assert "".join(spread.cut(text)) == text
    for name in vocabulary.NAMES:
        encode = vocabulary.load(name).whole.encode
        counter = open_counter(name, cores=3)
        assert counter.counts([text, "small", ""]) == [len(encode(text)), len(encode("small")), 0]


@pytest.mark.parametrize("cores", [2, 3, 100])
def test_shared_counts_are_those_of_one(small: None, forked: list[int], cores: int) -> None:
    assert spread.counts(length, TEXTS, cores) == list(map(length, TEXTS))
    assert len(forked) == min(cores, spread.MOST) - 1
    assert_gone(forked)


@given(texts=st.lists(st.text("ab \n", max_size=9) | st.integers(0, 900).map("x".__mul__), max_size=40))
def test_any_texts(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread, "WORTH", 100)
        patch.setattr(spread, "_TURN", 300)
        assert spread.counts(length, texts, 2) == list(map(length, texts))


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
def test_what_a_child_fails_at_is_counted_here(
    small: None, forked: list[int], fault: Callable[[str], int]
) -> None:
    def count(text: str) -> int:
        return length(text) if os.getpid() == OURS else fault(text)

    assert spread.counts(count, TEXTS, 3) == list(map(length, TEXTS))
    assert len(forked) == 2
    assert_gone(forked)


def test_of_a_child_that_did_not_end_nothing_is_believed(small: None) -> None:
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

    assert spread.counts(count, TEXTS, 2) == list(map(length, TEXTS))
    assert waited[0] == b"."
    os.close(read_end)
    os.close(write_end)


def none() -> int:
    raise BlockingIOError(11, "Resource temporarily unavailable")


@pytest.mark.parametrize("what", ["fork", "pipe"])
def test_where_no_process_or_pipe_is_to_be_had(
    small: None, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(os, what, none)
    assert spread.counts(length, TEXTS, 4) == list(map(length, TEXTS))


def test_what_is_wrong_with_a_text_is_raised_here(small: None, forked: list[int]) -> None:
    def count(text: str) -> int:
        if text == TEXTS[1500]:
            raise ValueError(text)
        return length(text)

    with pytest.raises(ValueError, match="1500"):
        spread.counts(count, TEXTS, 2)
    assert_gone(forked)


def test_more_turns_than_a_pipe_holds(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "_TURN", 1)
    monkeypatch.setattr(spread, "_TURNS", 1 << 30)
    texts = TEXTS * 8
    assert len(spread._turns(texts)) * 4 > 1 << 16
    assert spread.counts(length, texts, 2) == list(map(length, texts))


def test_no_descriptor_stays_open(small: None) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        spread.counts(length, TEXTS, 4)
    assert len(os.listdir("/proc/self/fd")) == before


def assert_gone(children: Sequence[int]) -> None:
    for pid in children:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
