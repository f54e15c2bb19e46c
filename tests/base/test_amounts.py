"""Amounts as people type them: `32k` is 32000, and what is not an integer above 0 is refused with its option."""

import pytest

from codeh_history.base.amounts import MOST, size, tokens
from codeh_history.base.errors import Usage


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1), ("32000", 32000), ("32k", 32000), ("32K", 32000), (" 32k ", 32000), ("1.5k", 1500),
        ("1.5m", 1_500_000), ("0.001k", 1), ("1.000001m", 1_000_001), ("2.0", 2), ("999999999999", 999999999999),
        ("0.29k", 290), ("1.001k", 1001),
    ],
)  # fmt: skip
def test_a_budget_may_be_typed_in_thousands_and_millions(text, number):
    assert tokens(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "k", "0", "0k", "0.0004k", "1.5", "1.0001k", "-1", "+1", "1g", "32 k", "1e3", "٣", "1,000", "1.", ".5k",
     "9999999999999", "1.1234567m", "inf", "nan"],
)  # fmt: skip
def test_what_is_no_whole_number_above_0_is_refused(text):
    with pytest.raises(
        Usage, match=r"^--max-chars .*: a number of tokens above 0 expected, as 32000 or 32k$"
    ):
        tokens(text, "--max-chars")


def test_bytes_have_a_default():
    assert size(None) == MOST == 256 * 1024 * 1024
    assert size("2k") == 2000
    with pytest.raises(Usage, match=r"^--max-bytes 0: a number of bytes above 0 expected"):
        size("0")
