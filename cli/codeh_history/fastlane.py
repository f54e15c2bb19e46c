"""Run plain command lines without Typer, for a fast start.

Options are parsed as the verb's `Options` declares them. Anything unusual (`--x=y`, `-mTEXT`, `--help`, a
repeated option, a stray word) is left to Typer.
"""

from __future__ import annotations

from .base import Any
from .base.env import Env
from .base.options import OptionSet
from .commands import COMMANDS, module_of

_AT_ONCE = ("append", "payload", "curate", "compact")  # safe to end by a signal at any time


def read(argv: list[str], takes: type[OptionSet]) -> dict[str, Any] | None:
    """Parse a plain command line into words by option; None for anything unusual."""
    names = {word: name for name, spelled in takes.SPELLED.items() if not spelled.positional
             for word in spelled.flags(name)}  # fmt: skip
    placed = [name for name, spelled in takes.SPELLED.items() if spelled.positional]
    several = placed[-1] if placed and takes.TYPES[placed[-1]].startswith("Sequence") else None
    places = iter(placed)
    options: dict[str, Any] = {}
    words = iter(argv)
    for word in words:
        name = names.get(word)
        if name is None:
            name, value = next(places, several), word
            if name is None or not word or (word.startswith("-") and word != "-"):
                return None
        elif takes.TYPES[name] == "bool":
            if name in options or takes.DEFAULTS[name]:
                return None
            options[name] = True
            continue
        else:
            value = next(words, "-?")
            if value.startswith("-") and value != "-":
                return None
        if takes.TYPES[name].startswith("Sequence"):
            values: list[str] = options.setdefault(name, [])
            values.append(value)
        elif name in options:
            return None
        else:
            options[name] = value
    required = (name for name in places if "None" not in takes.TYPES[name])
    return options if next(required, None) is None else None


def run(argv: list[str], env: Env) -> int | None:
    """Run a plain command line; None if it is not plain."""
    if not argv or argv[0] not in COMMANDS:
        return None
    verb = module_of(argv[0])
    options = read(argv[1:], verb.Options)
    if options is None:
        return None
    if argv[0] not in _AT_ONCE or options.get("remove_cmd"):  # a signal must end that command too
        from .base.env import unwind

        unwind()
    env.quiet = env.quiet or bool(options.get("quiet"))
    return verb.run(env, verb.Options(**options)) or 0
