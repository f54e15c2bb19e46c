"""How much is read of a history that is to be told."""

from __future__ import annotations

import pytest

from codeh_history.filters.compact.extent import HEADS, READ, Extent


@pytest.mark.parametrize("messages", [0, 2_000, 4_000, 100_000])
def test_however_many_prompts_there_are_the_newest_of_them_are_read_whole(messages: int) -> None:
    told = range(messages)
    extent = Extent([[300]] * messages, set(told), 4, told, 100.0)
    if messages:
        assert extent.of(messages - 1)[0] > HEADS[1]
        assert extent.of(0)[0] <= HEADS[1]
        assert 0 < sum(extent.of(number)[0] > HEADS[1] for number in told) * 300 * 4 <= READ
