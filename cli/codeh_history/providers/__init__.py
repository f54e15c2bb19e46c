"""The provider formats: a package each, whose parts stand behind the protocols of `protocol`.

A new format is such a package and a line in `FORMATS`; later lines take precedence in detection.
`detect` and `tools` import this module, so it imports none of them.
`text` is no API: a transcript is sent, and what a command prints is read.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..base.lazy import module
from ..base.options import PROVIDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..session.model import Any, Json, Message
    from .base import Options, Request, Transcript
    from .body import Imported
    from .protocol import BodyModule, Provider, RequestModule, ResponseModule, RulesModule, StreamReader
    from .reply import Failure, Reply
    from .validator import Problem

FORMATS = {name: name.replace("-", "_") for name in PROVIDERS[:-1]}
PLAIN = "text"
TARGETS = PROVIDERS  # the formats of requests and of answers
COMMON = "openai-chat"  # what most hosts speak: the default where messages fit several formats


class Format:
    """One provider; each method imports only the module it needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def package(self) -> Provider:
        package: Provider = self._module("")
        return package

    @property
    def body(self) -> BodyModule:
        module: BodyModule = self._module(".body")
        return module

    def request(self, messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
        module: RequestModule = self._module(".request")
        return module.build(messages, options, summaries)

    def problems(self, body: Json) -> list[Problem]:
        module: RulesModule = self._module(".rules")
        return module.Rules(body).in_order()

    def imported(self, body: Json) -> Imported:
        return self.body.read(body)

    def response(self, body: Json) -> Reply | Failure:
        return self._response.read(body)

    def stream(self) -> StreamReader:
        return self._response.Stream()

    @property
    def _response(self) -> ResponseModule:
        module: ResponseModule = self._module(".response")
        return module

    def _module(self, part: str) -> Any:
        return module(f"{__name__}.{FORMATS[self.name]}{part}")


_packages: dict[str, Provider] = {}


def load(name: str) -> Format:
    """The format of this name."""
    return Format(name)


def packages() -> dict[str, Provider]:
    """Every provider by name, in order of precedence."""
    if not _packages:
        _packages.update((name, load(name).package) for name in reversed(FORMATS))
    return _packages


def model_in_url(target: str) -> bool:
    """Whether a request names its model in the URL instead of the body."""
    return target != PLAIN and load(target).package.MODEL_IN_URL


def transcript(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Transcript:
    """These curated, paired messages for a command that takes a prompt."""
    from .text import request

    return request.build(messages, options, summaries)
