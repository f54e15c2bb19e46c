"""What the model reads of the files attached to a message: their names, types and sizes."""

from __future__ import annotations

from .model import Json, Message


def listing(message: Message) -> str:
    """What the model reads of a message's attached files; nothing where it has none."""
    attached = message.fields.get("attached")
    files = (
        [_file(item) for item in attached if isinstance(item, dict)] if isinstance(attached, list) else []
    )
    return "\n".join(["Attached files:", *files]) if files else ""


def attached_names(attached: object) -> dict[int, str]:
    """The names of attached files, each in one line, by the number of their part."""
    return {
        item["part"]: " ".join(item["name"].split())
        for item in (attached if isinstance(attached, list) else ())
        if isinstance(item, dict) and type(item.get("part")) is int and isinstance(item.get("name"), str)
    }


def _file(item: Json) -> str:
    size = item.get("bytes")
    known = [str(item["mimeType"])] if item.get("mimeType") else []
    known += [f"{size} bytes"] if isinstance(size, int) else []
    text = f"- {item.get('name') or 'file'}" + (f" ({', '.join(known)})" if known else "")
    return " ".join(text.split())  # a name is told in one line, whatever is in it
