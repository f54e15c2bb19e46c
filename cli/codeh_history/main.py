"""Run a command line: a plain one directly, others through Typer; every error becomes an exit code.

A plain command line has only options that the verb declares, and nothing unusual (`--x=y`, `-mTEXT`,
`--help`, a repeated option, a stray word). It starts fast, because it needs no Typer.
"""

from __future__ import annotations

import gc
import os
import sys

from .base import Any
from .base.env import Env, open_standard_streams, unwind
from .base.errors import HistoryError, Interrupted, NotFound, Usage
from .base.lazy import load_orjson
from .base.options import OptionSet
from .commands import COMMANDS, module_of

SIGINT = 2
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def program() -> None:
    """Run the command of `sys.argv`, then exit without freeing memory: that takes a tenth of the time."""
    gc.disable()  # long-running commands turn it on again
    env = Env()
    try:
        open_standard_streams()
        code = run(sys.argv[1:], env)
    except KeyboardInterrupt:  # raised outside the command
        code = 128 + SIGINT
    except Interrupted as signal:
        code = signal.exit_code
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os.close(env.stdout)  # a reader sees the end of the output immediately
    except OSError:
        code = code or 74
    os._exit(code)


def run(argv: list[str], env: Env) -> int:
    """Run a command line and return its exit code; print one line on stderr for a failure."""
    env.run_line, env.options_of = run, options_of
    try:
        import fcntl  # noqa: F401 - required to lock sessions
    except ImportError:
        env.warn("this system cannot lock files; on Windows run it in WSL (wsl --install)")
        return Usage.exit_code
    try:
        code = run_plain(argv, env)
        if code is None:
            from . import cli

            code = cli.run(argv, env)
    except Interrupted as signal:
        return signal.exit_code
    except HistoryError as error:
        if str(error):
            env.warn(str(error))
        if isinstance(error, NotFound) and error.paths:
            from .commands.list_ import name_choices

            name_choices(env, error.paths)
        return error.exit_code
    except KeyboardInterrupt:
        return 128 + SIGINT
    except MemoryError:
        env.warn("out of memory; nothing was changed")
        return 74
    except Exception as error:  # noqa: BLE001 - a bug is reported in one line, exit 70
        expected = env.translated(error)
        if expected is None:
            return _bug(error, env)
        env.warn(str(expected))
        return expected.exit_code
    return code


def run_plain(argv: list[str], env: Env) -> int | None:
    """Run a plain command line; None if it is not plain."""
    if not argv or argv[0] not in COMMANDS:
        return None
    if argv[0] != "append":  # it needs neither for a plain text message
        load_orjson()
        unwind()
    verb = module_of(argv[0])
    options = plain_options(argv[1:], verb.Options)
    if options is None:
        return None
    env.quiet = env.quiet or bool(options.get("quiet"))
    return verb.run(env, verb.Options(**options)) or 0


def plain_options(argv: list[str], takes: type[OptionSet]) -> dict[str, Any] | None:
    """Parse a plain command line into words by option; None for anything unusual."""
    names = {word: name for name, option in takes.DECLARED.items() if not option.positional
             for word in option.flags(name)}  # fmt: skip
    positional = [name for name, option in takes.DECLARED.items() if option.positional]
    several = positional[-1] if positional and takes.TYPES[positional[-1]].startswith("Sequence") else None
    remaining = iter(positional)
    options: dict[str, Any] = {}
    words = iter(argv)
    for word in words:
        name = names.get(word)
        if name is None:
            name, value = next(remaining, several), word
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
    required = (name for name in remaining if "None" not in takes.TYPES[name])
    return options if next(required, None) is None else None


def options_of(argv: list[str]) -> Mapping[str, object] | None:
    """Return the options of a command line by name; None if it is invalid."""
    from . import cli

    return cli.options_of(argv)


def _bug(error: Exception, env: Env) -> int:
    if isinstance(error.__cause__, Interrupted):  # Python 3.11 wraps exceptions in a class's __set_name__
        return error.__cause__.exit_code
    if env.environ.get("CODEH_TRACEBACK"):
        raise error
    import traceback

    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{where.filename.rsplit('codeh_history/', 1)[-1]}:{where.lineno}"
    what = f"{type(error).__name__} at {place}: {error}"
    env.warn(f"bug: {what}; nothing is lost; please report it (CODEH_TRACEBACK=1 shows more)")
    return 70
