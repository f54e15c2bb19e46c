"""Make a session fit a budget, least loss first; `undo` reverts it."""

from __future__ import annotations

from ..base.env import Env
from ..base.shared_options import Compact as Options

STRAY = "the session is the only argument; the budget is --budget N"
EXAMPLES = """\
  codeh-history curate demo | codeh-history compact - --budget 32k > smaller.jsonl
  codeh-history compact demo -i --budget 100k               # one reversible record, if anything changes
  codeh-history compact demo -i --budget 100k --via 'llm -m MODEL'   # the summary by a model
  codeh-history compact demo --budget 32k --plan > plan.json
  codeh-history compact demo -i --apply plan.json
  codeh-history compact demo --budget 32k --explain > smaller.jsonl
  codeh-history compact demo -i --max-items 100
"""


def run(env: Env, options: Options) -> int:
    """Compact the session; imports the work only when it runs."""
    from ..filters.compact.run import run

    return run(env, options)
