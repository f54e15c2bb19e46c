"""Remove what a model should not be sent again, and make the history valid."""

import re
from collections.abc import Callable
from typing import Annotated, Optional

import orjson
import typer

from ..env import Env
from ..errors import InputOutput, Usage
from ..model import Json
from ..ops import Op
from ..session import View
from ..stages import passes
from ..stages.base import Settings
from ..talk import filtering
from ..turns import IDE_MARKERS
from .options import AllowMissing, Argument, InPlace, Quiet, Report, Session, Strict

EXAMPLES = """\
  codeh-history curate demo --report > curated.jsonl
  codeh-history curate demo | codeh-history payload - --raw --to anthropic --model M
  codeh-history curate demo -i --remove '<follow-up>.*?</follow-up>'
  codeh-history curate demo --only pairs --unanswered stub
"""
STRAY = "the session is the only argument"

Only = Annotated[
    Optional[list[str]],
    typer.Option("--only", metavar="PASS", help=f"Only these passes: {', '.join(passes.PASSES)}."),
]
Skip = Annotated[Optional[list[str]], typer.Option("--skip", metavar="PASS", help="All but these passes.")]
IdeMarker = Annotated[
    Optional[list[str]],
    typer.Option("--ide-marker", metavar="TEXT", help="What marks IDE context, instead of the defaults."),
]
KeepSystem = Annotated[
    Optional[list[str]],
    typer.Option("--keep-system", metavar="REGEX", help="Keep System: texts it is found in."),
]
Remove = Annotated[
    Optional[list[str]],
    typer.Option("--remove", metavar="REGEX", help="Cut from model prose (dot matches newlines)."),
]
RemoveCmd = Annotated[
    Optional[list[str]],
    typer.Option("--remove-cmd", metavar="CMD", help="Filter model prose through a command."),
]
Thoughts = Annotated[
    str, typer.Option("--thoughts", metavar="T", help="keep, old or all: which thoughts go.")
]
Unanswered = Annotated[
    str,
    typer.Option(
        "--unanswered", metavar="U", help="Open calls at the end: error (left alone), stub or drop."
    ),
]


def command(
    ctx: typer.Context,
    argument: Argument = None,
    only: Only = None,
    skip: Skip = None,
    ide_marker: IdeMarker = None,
    keep_system: KeepSystem = None,
    remove: Remove = None,
    remove_cmd: RemoveCmd = None,
    thoughts: Thoughts = "keep",
    unanswered: Unanswered = "error",
    in_place: InPlace = False,
    report: Report = False,
    allow_missing: AllowMissing = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    names = chosen(only or [], skip or [])
    if thoughts not in ("keep", "old", "all"):
        raise Usage(f"--thoughts {thoughts}: keep, old or all")
    if unanswered not in ("error", "stub", "drop"):
        raise Usage(f"--unanswered {unanswered}: error, stub or drop")
    removers = [_cut(pattern(text, "--remove", re.DOTALL)) for text in remove or ()]
    settings = Settings(
        ide_markers=ide_marker or IDE_MARKERS,
        keep_system=[pattern(text, "--keep-system") for text in keep_system or ()],
        removers=[*removers, *(_filter(text) for text in remove_cmd or ())],
        thoughts=thoughts,
        unanswered=unanswered,
    )

    def reduce(view: View) -> tuple[list[Op], Json]:
        _, ops, lines = passes.curate(view, settings, names)
        if report:
            for line in lines:
                env.report(orjson.dumps(line))
        return ops, {"policy": "curate"}

    target = filtering.target_of(env, session, argument)
    filtering.run(env, target, reduce, in_place=in_place, strict=strict, lost={} if allow_missing else None)
    return 0


def chosen(only: list[str], skip: list[str]) -> list[str]:
    """The passes to run, in their own order; names may be joined by commas."""
    wanted = [name for text in only for name in text.split(",")]
    unwanted = [name for text in skip for name in text.split(",")]
    for name in [*wanted, *unwanted]:
        if name not in passes.PASSES:
            raise Usage(f"{name}: no such pass; one of {', '.join(passes.PASSES)}")
    return [name for name in passes.PASSES if (not wanted or name in wanted) and name not in unwanted]


def pattern(text: str, option: str, flags: int = 0) -> re.Pattern[str]:
    """The regular expression of an option; a wrong one is exit 2."""
    try:
        return re.compile(text, flags)
    except re.error as error:
        raise Usage(f"{option} {text}: {error}") from None


def _cut(found: re.Pattern[str]) -> Callable[[str], str]:
    return lambda text: found.sub("", text)


def _filter(command: str) -> Callable[[str], str]:
    """Text through `sh -c CMD`; a command that fails changes nothing and ends the filter."""

    def clean(text: str) -> str:
        import subprocess

        done = subprocess.run(
            ["/bin/sh", "-c", command], input=text.encode(), capture_output=True, check=False
        )
        if done.returncode:
            raise InputOutput(f"--remove-cmd {command}: exit {done.returncode}; nothing changed")
        return (
            done.stdout.decode("utf-8", "replace").removesuffix("\n")
            if not text.endswith("\n")
            else done.stdout.decode("utf-8", "replace")
        )

    return clean
