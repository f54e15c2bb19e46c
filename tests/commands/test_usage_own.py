"""`--prices FILE`: prices of one's own, and what is wrong with a file that holds none."""

import orjson
import pytest

from codeh_history.base.errors import BadData, InputOutput, Usage
from codeh_history.commands.usage import own_prices as prices
from codeh_history.tokens.prices import table


def test_a_price_of_ones_own_holds_for_that_model_and_for_all_that_begin_so(tmp_path):
    file = tmp_path / "p.json"
    file.write_bytes(orjson.dumps({"mine": {"input": 2, "output": 0.5}, "my-*": {"input": 1}}))
    found = prices(str(file), table())
    used = {"input": 1_000_000, "output": 1_000_000}
    assert found.price("mine", None, used) == 2.5
    assert found.price("my-other", None, used) is not None
    assert found.price("nobody's", None, used) is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "p.json: "), (b"[]", 'p.json: {"MODEL": {"input": 0.5, "output": 2}} expected'), (b'{"m":7}', "m: "), (b'{"m":{}}', "m: "),
        (b'{"m":{"imput":1}}', "m: imput: one of "), (b'{"m":{"imput":1}}', "did you mean input"), (b'{"m":{"input":"1"}}', "m: input: a price in dollars"),
        (b'{"m":{"input":true}}', "m: input: a price"), (b'{"m":{"input":-1}}', "m: input: a price"), (b'{"m":{"input":1},"n":{"output":null}}', "n: output: a price"),
    ],
)  # fmt: skip
def test_what_is_no_price_is_named(tmp_path, data, why):
    (tmp_path / "p.json").write_bytes(data)
    with pytest.raises(BadData) as error:
        prices(str(tmp_path / "p.json"), table())
    assert str(error.value).startswith(f"--prices {tmp_path}/p.json")
    assert why in str(error.value)


def test_a_file_that_is_not_there_or_cannot_be_read_is_named(tmp_path):
    with pytest.raises(Usage, match=r"none: no such file$"):
        prices(str(tmp_path / "none"), table())
    with pytest.raises(InputOutput, match=r"Is a directory$"):
        prices(str(tmp_path), table())


def test_nothing_is_free_unless_it_is_said(tmp_path):
    (tmp_path / "p.json").write_bytes(b'{"free":{"input":0,"output":0}}')
    assert prices(str(tmp_path / "p.json"), table()).price("free", None, {"input": 5}) == 0
