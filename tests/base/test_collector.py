"""The collector rests meanwhile, and afterwards it is as it was: in a program of somebody else's too."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from codeh_history.base.collector import Resting


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    before = gc.isenabled()
    yield
    (gc.enable if before else gc.disable)()


@pytest.mark.parametrize("at_work", [True, False])
def test_afterwards_it_is_as_it_was(*, at_work: bool) -> None:
    (gc.enable if at_work else gc.disable)()
    with Resting():
        assert not gc.isenabled()
        with Resting():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() == at_work
    with pytest.raises(ZeroDivisionError), Resting():
        raise ZeroDivisionError
    assert gc.isenabled() == at_work
