"""The `gemini` format; each function imports its own module, so a payload never loads a stream reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...model import Json, Message
    from ..base import Failure, Imported, Options, Problem, Reply, Request, StreamReader


def request(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    from . import request as module

    return module.build(messages, options, summaries)


def problems(body: Json) -> list[Problem]:
    from . import rules

    return rules.problems(body)


def imported(body: Json) -> Imported:
    from . import body as module

    return module.read(body)


def response(body: Json) -> Reply | Failure:
    from . import response as module

    return module.read(body)


def stream() -> StreamReader:
    from . import response as module

    return module.Reader()
