"""`verify --to`: what a provider would refuse in a session."""

from __future__ import annotations

from ... import providers
from ...base.env import Env
from ...base.input import required_stdin
from ...base.shared_options import system_and_tools
from ...providers.base import Options
from ...session.model import Message, Part
from ...session.view import View
from ...store import read
from ...store.resolve import Target
from ...talk.send.payload import model_for
from ...views.view import view_of
from .session import Problem, Verdict, with_lines


def verify(env: Env, target: Target, to: str, model: str | None, *, strict: bool) -> Verdict:
    """Everything that a provider would refuse, in request order."""
    data = required_stdin(env) if target.path == "-" else read.read_bytes(target.path, skip=True)
    view = view_of(env, target, data, strict=strict)
    return Verdict(view, with_lines(refusals(view, to, model), data))


def refusals(view: View, to: str, model: str | None) -> list[Problem]:
    """What `to` would refuse in a request that holds the session unchanged."""
    system, tools = system_and_tools(view.meta)
    kept = view.meta.get(f"settings.{to}")
    chosen = Options(
        model=model_for(view, to, model) or "MODEL", system=system, tools=tools, session=view.id,
        settings=kept if isinstance(kept, dict) else {}, faithful=True, trace=True,
    )  # fmt: skip
    places = {message.id: number for number, message in enumerate(view.messages, 1)}

    def problem(path: str, reason: str, message: Message | None) -> Problem:
        if message is None:
            return Problem(None, reason, path=path)
        written = message.place < len(view.log.records)
        offset = view.log.records[message.place].offset if written else None
        return Problem(offset, reason, message.id, n=places.get(message.id), path=path)

    sent = [message for message in view.messages if message.role is not None and message.committed]
    if sent and sent[-1].role == "model" and not any("functionCall" in part for part in sent[-1].parts):
        parts: list[Part] = [{"text": "…"}]  # a final answer is only sent once a prompt follows it
        sent.append(Message(id="", kind="user", role="user", ts=None, fields={}, own=parts, parts=parts))
    format = providers.load(to)
    request = format.request(sent, chosen, [summary.text for summary in view.summaries])
    return [
        problem(p.path, p.reason, view.all.get(source_of(request.sources, p.path) or ""))
        for p in format.problems(request.body)
    ]


def source_of(sources: list[list[str]], path: str) -> str | None:
    """The id of the message behind `messages.6.content.0`; the element's first if the block has none."""
    numbers = [int(step) for step in path.split(".") if step.isdecimal()]
    if not numbers or numbers[0] >= len(sources):
        return None
    blocks = sources[numbers[0]]
    if len(numbers) > 1 and numbers[1] < len(blocks):
        return blocks[numbers[1]] or None
    return next((id for id in blocks if id), None)
