"""The provider formats: a package each, which `Format` calls.

A new format is such a package and a line in `FORMATS`; later lines take precedence in detection.
`detect` and `tools` import this module, so it imports none of them.
`text` is no API: a transcript is sent, and what a command prints is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..base.lazy import module
from ..base.options import PROVIDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..session.model import Any, Json, Message
    from .base import Options, Request
    from .body import Imported
    from .protocol import Failure, Provider, Reply, StreamReader
    from .validator import Problem, Validator

FORMATS = {name: name.replace("-", "_") for name in PROVIDERS[:-1]}
PLAIN = "text"
TARGETS = PROVIDERS  # the formats of requests and of answers
COMMON = "openai-chat"  # what most hosts speak: the default where messages fit several formats


class Format:
    """One provider: what its modules define. Each method imports only the module it needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def package(self) -> Provider:
        package: Provider = self._module("")
        return package

    def request(self, messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
        """`request.build`: the body for curated, paired messages; a pure function of its arguments."""
        request: Request = self._module(".request").build(messages, options, summaries)
        return request

    def problems(self, body: Json) -> list[Problem]:
        """`rules.Rules`: what the provider would refuse about a body."""
        rules: Validator = self._module(".rules").Rules(body)
        return rules.in_order()

    def holds(self, item: object) -> bool:
        """`body.holds`: whether this is an element of a body's messages, by its shape alone."""
        return bool(self._module(".body").holds(item))

    def shows(self, body: Json) -> bool:
        """`body.shows`: whether a body (or its messages alone, in their field) is only this provider's."""
        return bool(self._module(".body").shows(body))

    def imported(self, body: Json) -> Imported:
        """`body.read`: messages, system prompt, tools and settings; BadData names an invalid message."""
        imported: Imported = self._module(".body").read(body)
        return imported

    def response(self, body: Json) -> Reply | Failure:
        """`response.read`: a complete, non-streaming response body; usage is normalised."""
        outcome: Reply | Failure = self._module(".response").read(body)
        return outcome

    def stream(self) -> StreamReader:
        """`response.Stream`: a reader of one streamed reply."""
        stream: StreamReader = self._module(".response").Stream()
        return stream

    def _module(self, part: str) -> Any:
        return module(f"{__name__}.{FORMATS[self.name]}{part}")


load = Format  # by its name


@cache
def packages() -> dict[str, Provider]:
    """Every provider by name, in order of precedence."""
    return {name: load(name).package for name in reversed(FORMATS)}


def model_in_url(target: str) -> bool:
    """Whether a request names its model in the URL instead of the body."""
    return target != PLAIN and load(target).package.MODEL_IN_URL
