"""The provider formats: a package each, which `Format` calls.

A new format is such a package and a line in `PROVIDERS`; later lines take precedence in detection.
`detect` and `tools` import this module, so it must not import them.
`text` is not an API: a transcript is sent, and a command's output is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..base.lazy import module
from ..base.options import PROVIDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..session.model import Any, Json, Message
    from .body import Imported
    from .protocol import Failure, Provider, Reply, StreamReader
    from .request import Options, Request
    from .validator import Problem, Validator

FORMATS = {name: name.replace("-", "_") for name in PROVIDERS[:-1]}
PLAIN = "text"
COMMON = "openai-chat"  # the format of most hosts, and of messages that fit several formats


class Format:
    """A provider's format. Each method imports only the module it needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def package(self) -> Provider:
        package: Provider = self._module("")
        return package

    def request(self, messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
        """Build the body for curated, paired messages (`request.build`)."""
        request: Request = self._module(".request").build(messages, options, summaries)
        return request

    def problems(self, body: Json) -> list[Problem]:
        """Find what the provider would refuse in a body (`rules.Rules`)."""
        rules: Validator = self._module(".rules").Rules(body)
        return rules.in_order()

    def holds(self, item: object) -> bool:
        """Whether this has the shape of a message in a body (`body.holds`)."""
        return bool(self._module(".body").holds(item))

    def shows(self, body: Json) -> bool:
        """Whether a body, or its messages alone, can only be this provider's (`body.shows`)."""
        return bool(self._module(".body").shows(body))

    def imported(self, body: Json) -> Imported:
        """Read a body (`body.read`); raise BadData if a message is invalid."""
        imported: Imported = self._module(".body").read(body)
        return imported

    def response(self, body: Json) -> Reply | Failure:
        """Read a complete response body that was not streamed (`response.read`)."""
        outcome: Reply | Failure = self._module(".response").read(body)
        return outcome

    def stream(self) -> StreamReader:
        """Make a reader of one streamed reply (`response.Stream`)."""
        stream: StreamReader = self._module(".response").Stream()
        return stream

    def _module(self, part: str) -> Any:
        return module(f"{__name__}.{FORMATS[self.name]}{part}")


@cache
def packages() -> dict[str, Provider]:
    """Each provider's package by name, in order of precedence."""
    return {name: Format(name).package for name in reversed(FORMATS)}


def model_in_url(target: str) -> bool:
    """Whether a request names its model in the URL instead of the body."""
    return target != PLAIN and Format(target).package.MODEL_IN_URL
