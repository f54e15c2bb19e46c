"""Other forms that a view can be written in; a new one is a module and a line in `EXPORTERS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import contents, exchanges, markdown, page, persisted, refs

if TYPE_CHECKING:
    from ..session import View

EXPORTERS: dict[str, Callable[[View], bytes]] = {
    "contents": contents.export,
    "exchanges": exchanges.export,
    "persisted": persisted.export,
    "refs": refs.export,
    "markdown": markdown.export,
    "html": page.export,
}
