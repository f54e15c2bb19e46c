"""What `append` may be asked for at once, and what of it contradicts itself."""

import pytest

from codeh_history.append.options import Options
from codeh_history.base.errors import Usage


@pytest.mark.parametrize(
    "given",
    [
        {}, {"message": ["a"], "file": ["f"], "attach": ["i"]}, {"call": ["a", "b"]}, {"call": ["a"], "args": ["{}"]},
        {"call": ["a"], "call_id": ["i"]}, {"result": "a", "call_id": ["i"], "failed": True}, {"key": "k"},
        {"pending": True, "message": ["a"]}, {"max_items": 1}, {"pin": True, "attach": ["i"]},
    ],
    ids=str,
)  # fmt: skip
def test_what_goes_together_is_taken(given):
    Options(**given).check()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"call": ["a"], "result": "a"}, "--call and --result cannot be combined"),
        ({"result": ""}, "--call and --result name a tool"), ({"call": ["a", ""]}, "--call and --result name a tool"),
        ({"args": ["{}"]}, "--args requires --call"), ({"args": ["{}"], "result": "a"}, "--args requires --call"),
        ({"failed": True}, "--failed requires --result"), ({"failed": True, "call": ["a"]}, "--failed requires --result"),
        ({"call_id": ["i"]}, "--call-id requires --call or --result"),
        ({"call": ["a", "b"], "args": ["{}"]}, "--args: 1 for 2 calls"),
        ({"result": "a", "call_id": ["i", "j"]}, "--call-id: 2 for 1 result"), ({"key": ""}, "--key is empty"),
        ({"pending": True, "attach": ["i"]}, "--pending and --attach cannot be combined"),
        ({"pending": True, "max_items": 3}, "--pending and --max-items cannot be combined"),
        ({"max_items": 0}, "--max-items 0: an integer of at least 1 expected"), ({"max_items": -1}, "--max-items -1: an integer of at least 1 expected"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_contradicts_itself_is_exit_2_before_anything_is_stored(given, why):
    with pytest.raises(Usage, match=rf"^{why}"):
        Options(**given).check()
