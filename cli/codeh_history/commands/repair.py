"""The same as `curate --only pairs,invalid`: answer every call, drop invalid messages."""

from __future__ import annotations

from ..base.env import Env
from . import curate
from .curate import Options

EXAMPLES = """\
  codeh-history repair demo -i --report        # curate demo --only pairs,invalid -i --report
"""
__all__ = ["EXAMPLES", "Options", "run"]


def run(env: Env, options: Options) -> None:
    curate.run(env, options.but(only=options.only or ("pairs", "invalid")))
