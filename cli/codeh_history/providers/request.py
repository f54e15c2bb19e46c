"""The inputs and the result of building a request, which loads this module but not `protocol`."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.lazy import Fields
from ..session.model import Json


class Options(Fields):
    """The options of a request.

    `tools` are declarations in any provider's shape; `settings` are generation settings of an imported body
    of the same format. `faithful`: convert the history without repairing anything (for `verify --to`);
    `trace`: fill `Request.sources`.
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
    """A tool: a function, or (`native`) one that only the provider `shape` knows.

    `shape` is empty for a declaration in no provider's shape. `parameters` is a JSON Schema object, `{}` if
    there is none. `source` is the element of the provider's `tools` array that declares the tool (several
    Gemini functions share one), which that provider gets back unchanged.
    """

    name: str
    shape: str
    source: Json
    native: bool = False
    description: str | None = None
    parameters: Json = {}  # noqa: RUF012 - never changed in place
    strict: object = None

    def head(self, name: str) -> Json:
        """The first fields of a declaration: the name to send, and the description."""
        described = {} if self.description is None else {"description": self.description}
        return {"name": name, **described}


class Request(Fields):
    """A request body; `notes` tell the user what could not be sent unchanged.

    `sources[i][j]` is the id of the message that contains content block `j` of array element `i`.
    """

    body: Json
    notes: list[str]
    sources: list[list[str]]


class Transcript(Fields):
    """A request as plain text; `notes` tell the user what could not be sent unchanged."""

    text: str
    notes: list[str]
