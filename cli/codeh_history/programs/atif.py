"""Read ATIF, Harbor's format for trajectories of agents: one JSON object each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..providers.parts import objects
from ..session.model import Json, Part
from . import source as json_values
from .fields import answer_fields, at, name_at, objects_at, text_at, time_of
from .model import SUB_SESSION, Session
from .parts import ConversationIds, media, texts, thought
from .protocol import Head, Program, Source
from .tree import as_agent

_ANSWER = {"model": "model_name", "usage": "metrics"}
_USAGE = {
    "input": "prompt_tokens", "output": "completion_tokens", "cached": "cached_tokens",
    "cacheWrite": "extra.cache_write_tokens", "reasoning": "extra.reasoning_tokens",
}  # fmt: skip


def recognises(head: Head) -> bool:
    return any(str(value.get("schema_version")).startswith("ATIF-") for value in head.values)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield a session for each trajectory in the file, which usually has one."""
    ids = ConversationIds()
    return json_values.sessions(source, lambda value, _: _session(program.name, value, ids))


def _session(program: str, value: Json, ids: ConversationIds) -> Session:
    """Read a trajectory; its sub-agents are branches."""
    steps, below = objects_at(value, "steps"), objects_at(value, "subagent_trajectories")
    id = name_at(value, "trajectory_id") or value.get("session_id")
    session = Session(program, ids.assign(id, steps[:2]), name_at(value, "schema_version"), id_repeats=True)
    session.set(tools=objects_at(value, "agent.tool_definitions"))
    for session.number, step in enumerate(steps, 1):
        _step(session, step, name_at(value, "agent.model_name"))

    def agents() -> Iterator[Session]:
        ids = ConversationIds()
        for agent in below:
            yield as_agent(_session(program, agent, ids), session)

    session.branches = agents
    session.skip(SUB_SESSION, len(below))
    if value.get("continued_trajectory_ref"):
        session.skip(f"continuation in another file ({value['continued_trajectory_ref']})")
    return session


def _step(session: Session, step: Json, model: str | None) -> None:
    """Add a step and the results of its calls; a result without a call becomes a user message."""
    ts = time_of(step.get("timestamp"))
    session.created = session.created or ts
    parts = _parts(step.get("message"))
    match step.get("source"):
        case "agent":
            reasoning = thought(text_at(step, "reasoning_content"))
            calls = objects_at(step, "tool_calls")
            called = session.calls(calls, "tool_call_id", "function_name", "arguments")
            fields = {"model": model, **answer_fields(step, _ANSWER, _USAGE)}
            session.add("codeh", [reasoning, *parts, *called], ts=ts, **fields)
        case "system" if not session.items:
            session.system("\n\n".join(texts(parts)))
        case "user" | "system" as who:
            session.add("user", parts, ts=ts, item={"role": who} if who == "system" else None)
        case who:
            session.skip(f"step of {who}")
    results: list[Part] = []
    for result in objects_at(step, "observation.results"):
        parts = _parts(result.get("content"))
        for ref in objects_at(result, "subagent_trajectory_ref") if not parts else []:
            name = name_at(ref, "trajectory_path", "trajectory_id") or ""
            parts.append({"text": f"[sub-agent: {name}]"})
        id = name_at(result, "source_call_id")
        if id is None and not session.open_calls:
            session.add("user", parts, ts=ts)
        else:
            results.append(session.result(id, None, parts, failed=at(result, "extra.failed") is True))
    session.add("tool", results, ts=ts)


def _parts(message: Any) -> list[Part]:
    """The parts of a message; images and audio become references, because they are in other files."""
    if isinstance(message, str):
        return [{"text": message}]
    return [
        {"text": text_at(part, "text")} if part.get("type") == "text"
        else media(at(part, "source.path"), at(part, "source.media_type"), part.get("type"))
        for part in objects(message)
    ]  # fmt: skip


PROGRAM = Program("atif", "ATIF", recognises, read)
