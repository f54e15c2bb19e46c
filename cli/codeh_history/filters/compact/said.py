"""What a part of a message says, as texts: what names are searched for in, and outlines are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...session.model import Part

LINE = 300  # characters of a kept line, less where there are many


def said(part: Part) -> list[str]:
    """A part's text, or what is called or returned; nothing of thoughts and media."""
    if part.get("thought"):
        return []
    if "functionCall" in part:
        return _fields(part["functionCall"].get("args"))
    if "functionResponse" in part:
        return _fields(part["functionResponse"].get("response"))
    return [part["text"]] if part.get("text") else []


def _fields(value: Any) -> list[str]:
    """The texts in a JSON value: long ones as they are, short ones and numbers after their keys."""
    found: list[str] = []
    line = ""
    for key, item in _scalars("", value):
        if isinstance(item, str) and (len(item) > LINE // 2 or "\n" in item):
            found.append(item)
            continue
        word = f"{key}: {item}" if key else str(item)
        if len(line) + len(word) > LINE // 2:
            found.append(line)
            line = ""
        line = f"{line}, {word}" if line else word
    return [text for text in (*found, line) if text]


def _scalars(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Every text, number and truth value in a JSON value, with the key it stands under."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _scalars(name, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(key, inner)
    elif value is not None:
        yield key, value
