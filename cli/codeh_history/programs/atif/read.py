"""A trajectory → its session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...providers import usage
from ...providers.parts import name_of, object_of, objects, text_of
from ...session.model import Json, Part
from .. import values
from ..conversation import Conversation, Names
from ..model import SUB_SESSION, Session
from ..parts import media, texts, thought, without_texts
from ..protocol import Source
from ..records import session_id, time_of
from . import NAME

_USAGE = {
    "input": "prompt_tokens", "output": "completion_tokens", "cached": "cached_tokens",
    "cacheWrite": "extra.cache_write_tokens", "reasoning": "extra.reasoning_tokens",
}  # fmt: skip


def read(source: Source) -> Iterable[Session]:
    """The trajectories of a file: mostly one."""
    names = Names()
    return values.sessions(source, lambda value, _: _session(value, names))


def _session(value: Json, names: Names) -> Session:
    steps, agent = objects(value.get("steps")), object_of(value.get("agent"))
    id = name_of(value.get("trajectory_id")) or value.get("session_id")
    session = Session(NAME, names.id(id, steps[:2]), version=name_of(value.get("schema_version")))
    session.set(tools=objects(agent.get("tool_definitions")))
    reading = _Steps(session, name_of(agent.get("model_name")))
    for number, step in enumerate(steps, 1):
        reading.talk.number = number
        if step.get("step_id") != number and not session.problems:
            why = f"step {number} has the id {step.get('step_id')}: ids must count from 1"
            session.problem(number, "refused", why)
        reading.step(step)
    below = objects(value.get("subagent_trajectories"))
    if below:
        session.left[SUB_SESSION] += len(below)
        session.branches = lambda: _below(session, below)
    if value.get("continued_trajectory_ref"):
        session.left[f"continuation in another file ({value['continued_trajectory_ref']})"] += 1
    return session


def _below(session: Session, trajectories: list[Json]) -> Iterator[Session]:
    """The sub-agents of a session, as sessions of their own."""
    names = Names()
    for value in trajectories:
        found = _session(value, names)
        found.id = f"{session.id}-{found.id}"
        found.below(session_id(session), agent=True)
        yield found


class _Steps:
    """Makes entries of steps."""

    def __init__(self, session: Session, model: str | None) -> None:
        self.session = session
        self.model = model
        self.talk = Conversation(session)

    def step(self, step: Json) -> None:
        ts, who = time_of(step.get("timestamp")), step.get("source")
        self.session.created = self.session.created or ts
        parts = _parts(step.get("message"))
        if who == "agent":
            self.agent(step, parts, ts)
        elif who == "system" and not self.session.items:
            text = "\n\n".join(texts(parts))
            if text:
                self.talk.system(text)
        elif who in ("user", "system"):
            self.talk.add("user", parts, ts=ts, item={"role": "system"} if who == "system" else None)
        else:
            self.session.left[f"step of {who}"] += 1
        self.observed(step, ts)

    def agent(self, step: Json, parts: list[Part], ts: str | None) -> None:
        reasoning = text_of(step.get("reasoning_content"))
        said = [thought(reasoning)] if reasoning else []
        said += parts
        said += (
            self.talk.call(one.get("tool_call_id"), one.get("function_name"), one.get("arguments"))
            for one in objects(step.get("tool_calls"))
        )
        counts = usage.read(object_of(step.get("metrics")), _USAGE)
        self.talk.add(
            "codeh", said, ts=ts, model=name_of(step.get("model_name")) or self.model, usage=counts
        )

    def observed(self, step: Json, ts: str | None) -> None:
        """What the step's calls gave; what belongs to no call is said by the user."""
        found: list[Part] = []
        for result in objects(object_of(step.get("observation")).get("results")):
            parts = _parts(result.get("content"))
            refs = objects(result.get("subagent_trajectory_ref"))
            parts += [{"text": f"[sub-agent: {_name(ref)}]"} for ref in refs if not parts]
            id = name_of(result.get("source_call_id"))
            if id is None and not self.talk.calls:
                self.talk.add("user", parts, ts=ts)
                continue
            text, held = "\n".join(texts(parts)), without_texts(parts)
            failed = object_of(result.get("extra")).get("failed") is True
            found.append(self.talk.result(id, None, text, failed=failed, held=held))
        self.talk.add("tool", found, ts=ts)


def _name(ref: Json) -> str:
    return next(
        (ref[key] for key in ("trajectory_path", "trajectory_id", "session_id") if name_of(ref.get(key))),
        "",
    )


def _parts(message: Any) -> list[Part]:
    """The parts of a message: a text, or content parts; pictures and sounds lie elsewhere."""
    if isinstance(message, str):
        return [{"text": message}]
    return list(map(_part, objects(message)))


def _part(part: Json) -> Part:
    if part.get("type") == "text":
        return {"text": text_of(part.get("text"))}
    source = object_of(part.get("source"))
    return media(source.get("path"), source.get("media_type"), part.get("type"))
