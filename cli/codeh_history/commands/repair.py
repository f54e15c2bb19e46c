"""The same as `curate --only pairs,invalid`: answer every call, drop invalid messages."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import option
from ..filters.curate import run as curating
from ..session.ops import apply
from ..store import create
from ..store.resolve import for_filtering
from ..views import view as reading
from . import curate, fork

EXAMPLES = """\
  codeh-history repair demo -i --report        # curate demo --only pairs,invalid -i --report
"""


class Options(curate.Options):
    output: str | None = option("FILE", "Write a new session instead of stdout.", excludes=("in_place",))


def run(env: Env, given: Options) -> None:
    given = given.but(only=given.only or ("pairs", "invalid"))
    if given.output is None:
        curate.run(env, given)
        return
    target = for_filtering(env, given.session, given.argument)
    view = reading.view_of(env, target)
    ops, _ = curating.reduced(env, given, target.id, view, report=given.report)
    path = create.free_path(env, given.output, given.output)
    fork.written(env, path, apply(view, ops), {"session": view.id or target.id, "at": None})
