"""A field of a record is found as bytes, however JSON spells it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
import pytest

from codeh_history.store.needle import field


@pytest.mark.parametrize("write", [orjson.dumps, json.dumps, partial(json.dumps, ensure_ascii=False)])
def test_each_character_is_found_as_any_program_writes_it(write: Callable[[Any], str | bytes]) -> None:
    for char in map(chr, [*range(0x180), 0x2028, 0xD7FF, 0xFFFD, 0x1F600]):
        line = write({"key": f"a{char}b"})
        line = line.encode() if isinstance(line, str) else line
        assert field("key", f"a{char}b").search(line), line
        assert not field("key", f"a{char}c").search(line)
