"""What a request is made of, and what it is; apart from what comes of it, which it does not wait for."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.lazy import Fields
from ..session.model import Json


class Options(Fields):
    """What `payload` was asked for, besides the messages.

    `tools` are tool declarations in any provider's shape; `settings` are generation settings kept from
    an imported body of this very format. `faithful` converts the history as it stands, repairing
    nothing (for `verify --to`); `trace` asks for `Request.sources`.
    """

    model: str | None = None
    system: str | None = None
    tools: Sequence[Json] = ()
    max_tokens: int | None = None
    stream: bool = False
    cache: bool = False
    session: str = ""
    settings: Json = {}  # noqa: RUF012 - never changed in place
    faithful: bool = False
    trace: bool = False


class Tool(Fields):
    """One tool: a function, or (`native`) something that only the provider of `shape` knows.

    `parameters` is a JSON Schema object, `{}` if none was given. `shape` is empty for a declaration that
    belongs to no provider. `source` is the element of the provider's `tools` array that declares it
    (several Gemini functions share one), so that a provider gets its own shape back verbatim.
    """

    name: str
    shape: str
    source: Json
    native: bool = False
    description: str | None = None
    parameters: Json = {}  # noqa: RUF012 - never changed in place
    strict: object = None

    def head(self, name: str) -> Json:
        """What every declaration begins with: the name to send, and the description."""
        described = {} if self.description is None else {"description": self.description}
        return {"name": name, **described}


class Request(Fields):
    """A request body, and for people: what could not be sent as it is.

    `sources[i][j]` is the id of the message that content block `j` of array element `i` came from.
    """

    body: Json
    notes: list[str]
    sources: list[list[str]]


class Transcript(Fields):
    """A request as plain text, and for people: what could not be sent as it is."""

    text: str
    notes: list[str]
