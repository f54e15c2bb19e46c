"""Curation and compaction on the way to something else: what `persist` was asked to leave out."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..base.env import Env
from ..base.shared_options import Compaction, Curation, Reduction, name_of
from ..session.model import Json
from ..session.ops import Op
from ..session.view import View
from ..views.result import Reduce
from .compact import bounds
from .curate import run as curating


def steps(env: Env, given: Reduction, session: str, *, in_place: bool = False) -> list[Reduce]:
    """What is done to a view, in order: to be curated or compacted it has to be asked for by a flag.

    The session's settings only say how.
    """
    found: list[Reduce] = []
    if given.specified(*Curation.DEFAULTS):
        curating.settings(given)
        curating.names(given)
        found.append(partial(curating.reduced, env, given, session))
    if given.specified(*Compaction.DEFAULTS):
        bounds.limits(given)

        def compact(view: View) -> tuple[list[Op], Json]:
            limits = bounds.demanding(bounds.settled(env, view, given, session))
            plan = bounds.plan(env, view, limits, in_place=in_place)
            return plan.ops, plan.fields()

        found.append(compact)
    return found


def check(settings: Json) -> None:
    """Raises Usage for settings of a session that no command could follow."""
    values: dict[str, Any] = {
        name_of(key): Reduction.coerce(name_of(key), value, key)
        for key, value in settings.items()
        if value is not None
    }
    wanted = Reduction(**values)
    curating.settings(wanted)
    curating.names(wanted)
    bounds.limits(wanted)
