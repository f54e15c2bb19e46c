"""What the model reads of the files attached to a message: their names, types and sizes, each in one line."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.session.attachments import attached_names, listing
from histories import session, user

FILE = {"name": "a.png", "mimeType": "image/png", "bytes": 7, "part": 1}


@pytest.mark.parametrize(
    ("attached", "lines"),
    [
        ([FILE], ["- a.png (image/png, 7 bytes)"]), ([{"name": "a\nb  c"}], ["- a b c"]), ([{"bytes": 0}], ["- file (0 bytes)"]), ([FILE, 5, {"name": "b", "bytes": "x"}], ["- a.png (image/png, 7 bytes)", "- b"]),
    ],
)  # fmt: skip
def test_each_file_is_told_in_one_line(attached: Any, lines: list[str]) -> None:
    assert listing(session([user("a", attached=attached)]).messages[0]).split("\n") == [
        "Attached files:",
        *lines,
    ]


@pytest.mark.parametrize("attached", [None, [], "a.png", [5]])
def test_where_there_is_no_file_nothing_is_told(attached: Any) -> None:
    assert listing(session([user("a", attached=attached)]).messages[0]) == ""


def test_a_name_is_known_by_the_part_that_it_names() -> None:
    assert attached_names(
        [FILE, {"name": "b\nc", "part": 2}, {"name": "d", "part": "3"}, {"part": 4}, 5]
    ) == {1: "a.png", 2: "b c"}
    assert attached_names(None) == attached_names("x") == {}
