"""The last fenced block of a text."""

import pytest

from codeh_history.render.fences import last_block


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no code", None),
        ("```\na\n```", "a\n"),
        ("```py\na\n\nb\n```\ntext", "a\n\nb\n"),
        ("```\na\n```\nand\n~~~sh\nb\n~~~\n", "b\n"),
        ("````\n```\nin\n```\n````", "```\nin\n```\n"),
        ("```\na\n```\nthen\n```\ncut", "a\n"),
        ("```\ncut", None),
        ("- item\n  ```sh\n  ls\n    -l\n  ```", "ls\n  -l\n"),
        ("  ```\nless\n  ```", "less\n"),
        ("```\n~~~\n```", "~~~\n"),
        ("```one line```", None),
        ("~~~ a`b\nx\n~~~", "x\n"),
        ("```\n``` not closed\n```", "``` not closed\n"),
        ("```\r\na\r\n```\r\n", "a\n"),
        ("```\na\u2028b\n```", "a\u2028b\n"),
        ("```\n```", ""),
    ],
)  # fmt: skip
def test_last_block(text, code):
    assert last_block(text) == code
