"""ATIF: Harbor's trajectories of agents, a JSON object each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..providers import usage
from ..providers.parts import name_of, object_of, objects, text_of
from ..session.model import Json, Part
from . import source as values
from .builder import Builder, Names, media, texts, thought
from .model import SUB_SESSION, Session
from .protocol import Head, Program, Source
from .records import session_id, time_of

_USAGE = {
    "input": "prompt_tokens", "output": "completion_tokens", "cached": "cached_tokens",
    "cacheWrite": "extra.cache_write_tokens", "reasoning": "extra.reasoning_tokens",
}  # fmt: skip


def recognises(head: Head) -> bool:
    return any(str(value.get("schema_version")).startswith("ATIF-") for value in head.values)


def read(source: Source, program: Program) -> Iterable[Session]:
    """The trajectories of a file: mostly one."""
    names = Names()
    return values.sessions(source, lambda value, _: _session(program.name, value, names))


def _session(program: str, value: Json, names: Names) -> Session:
    steps, agent = objects(value.get("steps")), object_of(value.get("agent"))
    id = name_of(value.get("trajectory_id")) or value.get("session_id")
    session = Session(program, names.id(id, steps[:2]), version=name_of(value.get("schema_version")))
    session.set(tools=objects(agent.get("tool_definitions")))
    talk, model = Builder(session), name_of(agent.get("model_name"))
    for talk.number, step in enumerate(steps, 1):
        _step(talk, step, model)
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
        agent = _session(session.program, value, names)
        agent.id = f"{session.id}-{agent.id}"
        agent.set_parent(session_id(session), agent=True)
        yield agent


def _step(talk: Builder, step: Json, model: str | None) -> None:
    session, ts = talk.session, time_of(step.get("timestamp"))
    session.created = session.created or ts
    parts = _parts(step.get("message"))
    match step.get("source"):
        case "agent":
            reasoning = text_of(step.get("reasoning_content"))
            calls = (
                talk.call(call.get("tool_call_id"), call.get("function_name"), call.get("arguments"))
                for call in objects(step.get("tool_calls"))
            )
            talk.add(
                "codeh", [*([thought(reasoning)] if reasoning else ()), *parts, *calls], ts=ts,
                model=name_of(step.get("model_name")) or model,
                usage=usage.read(object_of(step.get("metrics")), _USAGE),
            )  # fmt: skip
        case "system" if not session.items:
            talk.system("\n\n".join(texts(parts)))
        case "user" | "system" as who:
            talk.add("user", parts, ts=ts, item={"role": "system"} if who == "system" else None)
        case who:
            session.left[f"step of {who}"] += 1
    _observed(talk, step, ts)


def _observed(talk: Builder, step: Json, ts: str | None) -> None:
    """What the step's calls gave; what belongs to no call is the user's."""
    results: list[Part] = []
    for result in objects(object_of(step.get("observation")).get("results")):
        parts = _parts(result.get("content"))
        refs = objects(result.get("subagent_trajectory_ref")) if not parts else []
        names = (name_of(ref.get("trajectory_path")) or name_of(ref.get("trajectory_id")) for ref in refs)
        parts += [{"text": f"[sub-agent: {name or ''}]"} for name in names]
        id = name_of(result.get("source_call_id"))
        if id is None and not talk.calls:
            talk.add("user", parts, ts=ts)
        else:
            failed = object_of(result.get("extra")).get("failed") is True
            results.append(talk.result_of(id, None, parts, failed=failed))
    talk.add("tool", results, ts=ts)


def _parts(message: Any) -> list[Part]:
    """The parts of a message: a text, or content parts; pictures and sounds lie elsewhere."""
    if isinstance(message, str):
        return [{"text": message}]
    return [_part(part, object_of(part.get("source"))) for part in objects(message)]


def _part(part: Json, source: Json) -> Part:
    if part.get("type") == "text":
        return {"text": text_of(part.get("text"))}
    return media(source.get("path"), source.get("media_type"), part.get("type"))


PROGRAM = Program("atif", "ATIF", __name__, recognises)
