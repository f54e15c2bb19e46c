"""What both OpenAI formats would refuse: models, ids, names, texts, images and tools."""

from __future__ import annotations

from collections.abc import Iterator

from ..session.model import Any, Json
from .body import Problem
from .media import parse_data_url
from .openai import IMAGES, MAX_ID, NAMES
from .parts import name_of


def model(body: Json) -> Iterator[Problem]:
    if not name_of(body.get("model")):
        yield Problem("model", "a model's name is required")


def call_id(given: object, path: str) -> Iterator[Problem]:
    """Problems of a call's id."""
    if not isinstance(given, str) or not 0 < len(given) <= MAX_ID:
        yield Problem(path, f"a text of 1 to {MAX_ID} characters is expected")


def name(given: object, path: str) -> Iterator[Problem]:
    """Problems of a function's name."""
    if not NAMES.takes(given):
        yield Problem(f"{path}.name", "1 to 64 letters, digits, _ and - are expected")


def image(url: object, path: str) -> Iterator[Problem]:
    """Problems of an image's URL, of either OpenAI format."""
    inline = parse_data_url(url) if isinstance(url, str) else None
    if inline is not None:
        if inline[0] not in IMAGES:
            yield Problem(path, f"{inline[0]} is not supported: png, jpeg, gif or webp")
        elif not inline[1]:
            yield Problem(path, "the image is empty")
    elif not isinstance(url, str) or not url.startswith(("https://", "http://")):
        yield Problem(path, "an https address or a data URL is expected")


def tools(offered: Any, *, chat: bool) -> Iterator[Problem]:
    """Problems of the tool declarations of either OpenAI format."""
    if offered is None:
        return
    if not isinstance(offered, list) or (chat and not offered):
        yield Problem("tools", "a list of tools is expected, or none at all")
        return
    seen: set[str] = set()
    for number, tool in enumerate(offered):
        path = f"tools.{number}"
        kind = tool.get("type") if isinstance(tool, dict) else None
        if not isinstance(kind, str) or (chat and kind not in ("function", "custom")):
            yield Problem(f"{path}.type", "function is expected" if chat else "a tool's type is expected")
        elif kind == "function" or (chat and kind == "custom"):
            function = tool.get(kind) if chat else tool
            path = f"{path}.{kind}" if chat else path
            given = function.get("name") if isinstance(function, dict) else None
            yield from name(given, path)
            if isinstance(given, str) and given in seen:
                yield Problem(f"{path}.name", f"{given} is declared twice")
            seen.add(str(given))
