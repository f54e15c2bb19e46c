"""A number that the source spells out is known to the gate."""

from __future__ import annotations

import pytest

from codeh_history.summaries import gate


@pytest.mark.parametrize("number", ["12.5", "12.50", "25th", "215", "85", "18"])
def test_a_number_that_the_source_spells_out_is_known(number: str) -> None:
    source = "Twelve and a half, or twelve fifty; on the twenty fifth two hundred and fifteen. Fünfundachtzig, eighteen."
    assert gate.unfaithful(f"It was {number} then.", source) == []
    assert gate.unfaithful(f"It was {number} then.", source.replace("t", "d").replace("h", "d")) != []
