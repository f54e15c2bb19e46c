"""Curation by command-line options: which passes run, and their settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import orjson

from ...base.env import Env
from ...base.errors import InputOutput, Usage
from ...base.shared_options import THOUGHTS, UNANSWERED, Curation, from_settings
from ...session.exchanges import IDE_MARKERS
from ...session.model import Json
from ...session.ops import Op
from ...session.view import View
from . import passes
from .passes import Clean, Settings


def settings(options: Curation) -> Settings:
    """Return the settings of the passes; raise Usage if an option is invalid."""
    keep, remove = options.keep_system, options.remove
    keep_filters, remove_filters = [], []
    if keep or remove:
        import re

        from ...base.patterns import SECONDS, LimitedPattern

        limit = options.timeout or SECONDS
        keep_filters = [LimitedPattern(text, "--keep-system", seconds=limit).matches for text in keep]
        remove_filters = [LimitedPattern(text, "--remove", re.DOTALL, seconds=limit).cut for text in remove]
    return Settings(
        ide_markers=options.ide_marker or IDE_MARKERS,
        keep_system=keep_filters,
        removers=[*remove_filters, *map(_filter, options.remove_cmd)],
        thoughts=options.thoughts or THOUGHTS[0],
        unanswered=options.unanswered or UNANSWERED[0],
    )


def names(options: Curation) -> list[str]:
    """Return the passes to run, in pipeline order; options may list several, separated by commas."""
    only, skip = (",".join(texts).split(",") if texts else [] for texts in (options.only, options.skip))
    for name in [*only, *skip]:
        if name not in passes.PASSES:
            raise Usage(f"{name}: no such pass; one of {', '.join(passes.PASSES)}")
    return [name for name in passes.PASSES if (not only or name in only) and name not in skip]


def curation_ops(
    env: Env, options: Curation, session: str, view: View, *, report: bool = False
) -> tuple[list[Op], Json]:
    """Return the ops that curate a view, and the fields of their record."""
    _, ops, lines = curated(env, options, session, view)
    for line in lines if report else ():
        env.report(orjson.dumps(line))
    return ops, {"policy": "curate"}


def curated(env: Env, options: Curation, session: str, view: View) -> tuple[View, list[Op], list[Json]]:
    """Curate a view by the options and the session's settings; return what `passes.curate` does."""
    options = options.with_settings(view.meta, session, env.note)
    with from_settings(session):
        pass_settings, pass_names = settings(options), names(options)
    return passes.curate(view, pass_settings, pass_names)


def _filter(command: str | Callable[[str], str]) -> Clean:
    """Return a filter of texts by `sh -c CMD` or a function; raise InputOutput if the command fails."""

    def clean(texts: Sequence[str], ids: Sequence[str]) -> list[str]:
        if not isinstance(command, str):
            return [command(text) for text in texts]
        import subprocess

        cleaned = []
        for text, id in zip(texts, ids, strict=True):
            shell = ["/bin/sh", "-c", command]
            done = subprocess.run(shell, input=text.encode(), capture_output=True, check=False)
            if done.returncode:
                error = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
                raise InputOutput(
                    f"--remove-cmd {command}: exit {done.returncode} for message {id}"
                    f"{f' ({error})' if error else ''}; nothing changed"
                )
            new = done.stdout.decode("utf-8", "replace")
            cleaned.append(new if text.endswith("\n") else new.removesuffix("\n"))
        return cleaned

    return clean
