"""What a session says of where it was imported from."""

from __future__ import annotations

from .model import Json

MARK = "imported"  # of the header: of what it is a copy; of any other record: from which lines


def origin(header: Json | None) -> Json:
    """Of what a session is a copy: `from, id, path, …`; nothing of one that is none."""
    mark = (header or {}).get(MARK)
    return mark if isinstance(mark, dict) else {}
