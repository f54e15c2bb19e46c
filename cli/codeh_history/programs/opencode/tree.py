"""The older tree of JSON files: a session's own (`storage/session/PROJECT/ID.json`), its messages
(`storage/message/ID/…`) and their parts (`storage/part/MESSAGE/…`) in folders of their own."""

from __future__ import annotations

from collections.abc import Iterator

from ...providers.json_text import loads
from ...providers.parts import name_of
from ...session.model import Json
from ..model import Problem
from ..protocol import Refused, Source
from .messages import Message

_STORAGE, _DATA = 2, 3  # how far above the folder of the session's own file


def messages(source: Source, session: str, problems: list[Problem]) -> list[Message]:
    """The messages of a session with their parts; a file that cannot be read costs itself."""
    found = []
    for number, (name, info) in enumerate(_values(source, problems, "message", session), 1):
        parts = [part for _, part in _values(source, problems, "part", name)]
        found.append(Message(number, info, parts))
    if not found:
        problems.append(Problem(0, "skips", f"no messages in storage/message/{session}"))
    return found


def is_left(source: Source) -> bool:
    """Whether the program keeps a database beside the tree, so that it writes to the tree no more."""
    return any(name.endswith(".db") for name in source.names(above=_DATA))


def _values(source: Source, problems: list[Problem], *folder: str) -> Iterator[tuple[str, Json]]:
    """The objects of the files in a folder, by the names of these, each with its id."""
    for file in source.names(*folder, above=_STORAGE):
        name = file.removesuffix(".json")
        if name == file:
            continue
        try:
            value = loads(source.beside(*folder, file, above=_STORAGE))
        except Refused as error:
            problems.append(Problem(0, "skips", str(error)))
            continue
        except ValueError as error:
            problems.append(Problem(0, "skips", f"{'/'.join(folder)}/{file}: not JSON: {error}"))
            continue
        if isinstance(value, dict):
            yield name, {**value, "id": name_of(value.get("id")) or name}
        else:
            problems.append(Problem(0, "skips", f"{'/'.join(folder)}/{file}: no JSON object"))
