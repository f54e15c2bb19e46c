"""Have a command write the summary of a compaction.

Everything else in the plan stays. The summary must be as short as the extract it replaces, and pass the
gate.
"""

from __future__ import annotations

from functools import partial

from ...base.errors import SummarizerFailed
from ...session.exchanges import prompts
from ...session.ops import Op, apply
from ...session.view import View
from ...summaries.ask import CommandSummarizer
from ...summaries.command import CommandRunner
from ...summaries.request import Prompt, Sources, instructions
from ...summaries.window import Batch
from ...tokens import Counter, history_tokens
from .outline import extracted
from .plan import Plan, Settings

REQUEST, SOURCE = 16_000, 100_000  # tokens of one request; of a source that is not shortened first
WORDS = 0.6  # words of a summary per token of room
LEAST = 20  # tokens of a summary worth asking for


def written(view: View, plan: Plan, counter: Counter, settings: Settings, runs: CommandRunner) -> Plan:
    """Return the plan with the command's summary, or the same plan if it has no summary.

    Raises SummarizerFailed if the command fails, or its answer is refused or too long.
    """
    places = [n for n, step in enumerate(plan.steps) if step.stage == "summary"]
    if not places:
        return plan
    step = plan.steps[places[0]]
    room = counter.counts([step.op["summary"]])[0]
    if room < LEAST:
        return plan
    text = _summary_text(view, step.op, counter, settings, runs, room)
    op: Op = {**step.op, "summary": text}
    op.pop("lines", None)
    steps = [*plan.steps]
    steps[places[0]] = step._replace(op=op)
    after = apply(view, [step.op for step in steps])
    size = history_tokens(
        counter, after.messages, system=settings.system, tools=settings.tools,
        summaries=[summary.text for summary in after.summaries],
    )  # fmt: skip
    if size > max(plan.after or 0, 0 if settings.hysteresis else settings.budget):
        raise SummarizerFailed(f"the summary is too long: {counter.counts([text])[0]} of {room} tokens")
    return plan._replace(steps=steps, after=size)


def _summary_text(
    view: View, op: Op, counter: Counter, settings: Settings, runs: CommandRunner, room: int
) -> str:
    """Ask the command to summarise what an op covers."""
    covered = set(op["ids"])
    messages = [message for message in view.messages if message.id in covered]
    earlier = [summary for summary in view.summaries if summary.id in covered]
    sources = Sources(counter.counts, REQUEST, SOURCE, partial(extracted, counter), partial(_wording, room))
    batch = Batch(messages, max(1, prompts(messages)), None, None, settings.system or "", summaries=earlier)
    return str(CommandSummarizer(runs, sources, None, None, faithful=True).write(batch)["summary"])


def _wording(room: int, count: int, what: str, _tokens: int, data: str) -> Prompt:
    """The built-in prompt, for a summary of a given size."""
    return Prompt(instructions(count, what, words=max(int(room * WORDS), 10)), data)
