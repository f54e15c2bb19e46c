"""Typer's signature of a command that takes a set of options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter, Signature, signature
from typing import Any

from ..base.options import Options
from . import request_options


def taking(
    options: type[Options], *, without: Sequence[str] = ()
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A command with a parameter of these options; Typer sees each of them in its place."""
    names = [name for name in options.DEFAULTS if name not in without]

    def spread(command: Callable[..., int]) -> Callable[..., int]:
        own = signature(command, eval_str=True).parameters
        place = next(name for name, parameter in own.items() if parameter.annotation is options)

        def called(**values: Any) -> int:
            mine = {name: value for name in names if (value := values.pop(name)) is not None}
            return command(**{place: options(**mine)}, **values)

        parameters: list[Parameter] = []
        for parameter in own.values():
            parameters += (
                map(partial(_parameter, options), names) if parameter.name == place else [parameter]
            )
        called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        return called

    return spread


def _parameter(options: type[Options], name: str) -> Parameter:
    default = options.DEFAULTS[name]
    return Parameter(
        name, Parameter.POSITIONAL_OR_KEYWORD, annotation=request_options.OPTIONS[name],
        default=None if default == () else default,
    )  # fmt: skip
