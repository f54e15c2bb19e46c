"""Bring content back from the block store."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import Lost
from ..base.options import ALLOW_MISSING, REWRITE, STREAM, Reading
from ..store.resolve import for_filtering, must_be_named
from ..views import hydrate
from ..views import result as filtering
from ..views.view import tell_lost

EXAMPLES = """\
  codeh-history hydrate demo.jsonl | codeh-history show -
  codeh-history hydrate demo -i
  codeh-history hydrate demo --allow-missing > rest.jsonl
"""


class Options(Reading):
    allow_missing: bool = ALLOW_MISSING
    in_place: bool = REWRITE
    jsonl: bool = STREAM


def run(env: Env, given: Options) -> None:
    if given.in_place:
        must_be_named(env, given.session, given.argument)
    target = for_filtering(env, given.session, given.argument)
    lost: Lost | None = {} if given.allow_missing else None
    if not given.in_place:
        lines = hydrate.hydrated_stream(env, target, lost=lost, strict=given.strict)
        filtering.printed_of(env, target, lines, jsonl=given.jsonl)
    elif not hydrate.hydrate(env, target, lost=lost, strict=given.strict):
        env.note(f"{target.id}: nothing to hydrate")
    tell_lost(env, target.id, lost)
