"""What acts on a terminal or misleads is shown as its escape, the rest as it is."""

from __future__ import annotations

import pytest

from codeh_history.base.escape import safe, shown


@pytest.mark.parametrize(
    "text",
    [
        "👩\u200d💻 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥",  # joined emoji
        "می\u200cخواهم",  # Persian
        "क्\u200dष",  # Hindi
        "✔\ufe0e ✔\ufe0f",  # variation selectors
        "a\tb\nc é ß 漢字",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert safe(text) == text
    assert shown(text.encode()) == text.encode()


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("pass\u200dword", "pass\\u{200d}word"),
        ("\u200cx", "\\u{200c}x"),
        ("é\u200dx", "é\\u{200d}x"),
        ("👩\u200d\u200d", "👩\u200d\\u{200d}"),
        ("a\u200bb\u202ec", "a\\u{200b}b\\u{202e}c"),
        ("\u200b\u200c", "\\u{200b}\\u{200c}"),
        ("\u200c\u200d", "\\u{200c}\\u{200d}"),
        ("\x1b[2J\x9b", "^[[2J\\x9b"),
    ],
)
def test_what_could_mislead_is_escaped(text: str, escaped: str) -> None:
    assert safe(text) == escaped
