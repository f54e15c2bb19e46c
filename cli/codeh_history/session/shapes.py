"""The shapes of what is JSON: parts, ops. For type checkers alone: nothing imports it when it runs."""

from __future__ import annotations

from typing import Any, Protocol, TypedDict

Json = dict[str, Any]


class Blob(TypedDict, total=False):
    mimeType: str
    data: str
    displayName: str


class FileRef(TypedDict, total=False):
    mimeType: str
    fileUri: str
    displayName: str


class FunctionCall(TypedDict, total=False):
    id: str
    name: str
    args: Json


class FunctionResponse(TypedDict, total=False):
    id: str
    name: str
    response: Json
    parts: list[Json]


class Native(TypedDict):
    """A part that only one provider knows, replayed to that provider alone."""

    provider: str
    value: Any


class Part(TypedDict, total=False):
    """One piece of a message, in the Gemini spelling; unknown keys survive."""

    text: str
    thought: bool
    thoughtSignature: str
    inlineData: Blob
    fileData: FileRef
    functionCall: FunctionCall
    functionResponse: FunctionResponse
    native: Native


class Op(TypedDict, total=False):
    """One step of a compaction; `op` says which of the four, and so which other fields it has."""

    op: str
    ids: list[str]
    why: str
    id: str
    part: int
    block: str
    after: str
    message: Json
    summary: str
    lines: list[list[str]]


class Line(Protocol):
    """A line of a file, as far as a message needs it."""

    @property
    def raw(self) -> bytes:
        """Its bytes without the newline."""
