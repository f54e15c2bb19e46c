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


def run(env: Env, options: Options) -> None:
    options = options.but(only=options.only or ("pairs", "invalid"))
    if options.output is None:
        curate.run(env, options)
        return
    target = for_filtering(env, options.session, options.argument)
    view = reading.view_of(env, target)
    ops, _ = curating.curation_ops(env, options, target.id, view, report=options.report)
    path = create.free_path(env, options.output, options.output)
    fork.create_from(env, path, apply(view, ops), {"session": view.id or target.id, "at": None})
