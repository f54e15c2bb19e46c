"""Curation as the commands ask for it: which passes, and how they work."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import orjson

from ...base.env import Env
from ...base.errors import InputOutput, Usage
from ...base.shared_options import THOUGHTS, UNANSWERED, BySettings, Curation
from ...session.exchanges import IDE_MARKERS
from ...session.model import Json
from ...session.ops import Op
from ...session.view import View
from . import passes
from .base import Clean, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...sandbox import Pattern

Ids = Sequence[str]


def settings(given: Curation) -> Settings:
    """What the passes are told; Usage where an option is wrong."""
    thoughts, unanswered = given.thoughts or THOUGHTS[0], given.unanswered or UNANSWERED[0]
    if given.timeout is not None:
        from ...sandbox import allowed

        allowed(given.timeout)
    return Settings(
        ide_markers=given.ide_marker or IDE_MARKERS,
        keep_system=[_pattern(given, text, "--keep-system").found for text in given.keep_system],
        removers=[*_cuts(given), *(_through(command) for command in given.remove_cmd)],
        thoughts=thoughts,
        unanswered=unanswered,
    )


def names(given: Curation) -> list[str]:
    """The passes to run, in their own order; names may be joined by commas."""
    wanted = [name for text in given.only for name in text.split(",")]
    unwanted = [name for text in given.skip for name in text.split(",")]
    for name in [*wanted, *unwanted]:
        if name not in passes.PASSES:
            raise Usage(f"{name}: no such pass; one of {', '.join(passes.PASSES)}")
    return [name for name in passes.PASSES if (not wanted or name in wanted) and name not in unwanted]


def reduced(
    env: Env, given: Curation, session: str, view: View, *, report: bool = False
) -> tuple[list[Op], Json]:
    """The ops that curate a view, as the options or its own settings say; what their record says."""
    asked = given.within(view.meta, session, env.note)
    with BySettings(session):
        told, chosen = settings(asked), names(asked)
    _, ops, lines = passes.curate(view, told, chosen)
    for line in lines if report else ():
        env.report(orjson.dumps(line))
    return ops, {"policy": "curate"}


def _pattern(given: Curation, text: str, option: str, flags: int = 0) -> Pattern:
    from ...sandbox import SECONDS, Pattern

    return Pattern(text, option, flags, seconds=given.timeout or SECONDS)


def _cuts(given: Curation) -> list[Clean]:
    if not given.remove:
        return []
    import re

    return [_pattern(given, text, "--remove", re.DOTALL).cut for text in given.remove]


def _through(command: str | Callable[[str], str]) -> Clean:
    """Texts through `sh -c CMD` or a function, one by one; a failure ends the filter."""

    def clean(texts: Sequence[str], ids: Ids) -> list[str]:
        if not isinstance(command, str):
            return [command(text) for text in texts]
        return [_filtered(command, text, id) for text, id in zip(texts, ids, strict=True)]

    return clean


def _filtered(command: str, text: str, id: str) -> str:
    import subprocess

    done = subprocess.run(["/bin/sh", "-c", command], input=text.encode(), capture_output=True, check=False)
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
        raise InputOutput(
            f"--remove-cmd {command}: exit {done.returncode} for message {id}"
            f"{f' ({said})' if said else ''}; nothing changed"
        )
    new = done.stdout.decode("utf-8", "replace")
    return new if text.endswith("\n") else new.removesuffix("\n")
