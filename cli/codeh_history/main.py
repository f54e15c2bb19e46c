"""The entry point: run a command line by the fast lane or Typer, and turn errors into exit codes."""

from __future__ import annotations

import gc
import os
import sys

from .base.env import Env, open_standard_streams
from .base.errors import HistoryError, Interrupted, NotFound, Usage

SIGINT = 2
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn


def program() -> None:
    """Run `main` and exit at once, without freeing memory, which would take a tenth of a long payload."""
    env = Env()
    try:
        main(env)
    except SystemExit as leaving:
        code = leaving.code
    except KeyboardInterrupt:  # outside the command itself
        code = 128 + SIGINT
    except Interrupted as signal:
        code = signal.exit_code
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            code = code or 74
    try:
        os.close(env.stdout)  # so that a reader sees the end of the output at once
    except OSError:
        code = code or 74
    os._exit(code if isinstance(code, int) else 1)


def main(env: Env | None = None) -> NoReturn:
    """Run the command of `sys.argv` and exit with its code."""
    gc.disable()  # long-running commands turn it on again
    open_standard_streams()
    sys.exit(run(sys.argv[1:], env or Env()))


def run(argv: list[str], env: Env) -> int:
    """Run a command line and return its exit code; every failure is one line on stderr."""
    env.program, env.options_of = run, options_of
    try:
        _check_that_files_can_be_locked()
        from . import fastlane

        code = fastlane.run(argv, env)
        if code is None:
            from . import cli

            code = cli.run(argv, env)
    except Interrupted as signal:
        return signal.exit_code
    except HistoryError as error:
        if str(error):
            env.complain(str(error))
        if isinstance(error, NotFound) and error.paths:
            from .commands.list_ import name_choices

            name_choices(env, error.paths)
        return error.exit_code
    except KeyboardInterrupt:
        return 128 + SIGINT
    except MemoryError:
        env.complain("out of memory; nothing was changed")
        return 74
    except Exception as error:  # noqa: BLE001 - a bug is reported in one line, exit 70
        expected = env.translated(error)
        if expected is None:
            return _bug(error, env)
        env.complain(str(expected))
        return expected.exit_code
    return code


def options_of(argv: list[str]) -> Mapping[str, object] | None:
    """Return the options of a command line by name; None if it is invalid."""
    from . import cli

    return cli.options_of(argv)


def _check_that_files_can_be_locked() -> None:
    try:
        import fcntl  # noqa: F401
    except ImportError:
        raise Usage("this system cannot lock files; on Windows run it in WSL (wsl --install)") from None


def _bug(error: Exception, env: Env) -> int:
    if env.environ.get("CODEH_TRACEBACK"):
        raise error
    import traceback

    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{where.filename.rsplit('codeh_history/', 1)[-1]}:{where.lineno}"
    env.complain(
        f"bug: {type(error).__name__} at {place}: {error}; nothing is lost; please report it "
        "(CODEH_TRACEBACK=1 shows more)"
    )
    return 70
