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
    _check(options)
    reductions: list[Reduce] = []
    if options.specified(*Curation.DEFAULTS):
        reductions.append(partial(curating.curation_ops, env, options, session))
    if options.specified(*Compaction.DEFAULTS):

        def compact(view: View) -> tuple[list[Op], Json]:
            limits = bounds.effective_limits(env, view, options, session)._replace(hysteresis=in_place)
            plan = bounds.plan(env, view, limits)
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
    _check(Reduction(**values))


def _check(options: Reduction) -> None:
    curating.settings(options)
    curating.names(options)
    bounds.limits(options)
