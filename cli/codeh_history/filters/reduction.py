"""Curation and compaction as a step of another verb, such as `persist`."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..base.env import Env
from ..base.shared_options import Compaction, Curation, Reduction, option_of
from ..session.model import Json
from ..session.ops import Op
from ..session.view import View
from ..views.filtering import Reduce
from .compact import bounds
from .curate import run as curating


def steps(env: Env, options: Reduction, session: str, *, in_place: bool = False) -> list[Reduce]:
    """Return the reductions that flags request, in order, configured by the session's settings too."""
    reductions: list[Reduce] = []
    if options.specified(*Curation.DEFAULTS):
        curating.settings(options)
        curating.names(options)
        reductions.append(partial(curating.curation_ops, env, options, session))
    if options.specified(*Compaction.DEFAULTS):
        bounds.limits(options)

        def compact(view: View) -> tuple[list[Op], Json]:
            limits = bounds.require_limit(bounds.effective_limits(env, view, options, session))
            plan = bounds.plan(env, view, limits, in_place=in_place)
            return plan.ops, plan.fields()

        reductions.append(compact)
    return reductions


def check_settings(settings: Json) -> None:
    """Raise Usage for invalid settings."""
    values: dict[str, Any] = {
        option_of(key): Reduction.coerce(option_of(key), value, key)
        for key, value in settings.items()
        if value is not None
    }
    options = Reduction(**values)
    curating.settings(options)
    curating.names(options)
    bounds.limits(options)
