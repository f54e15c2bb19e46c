"""Read fine-tuning and batch files: one conversation per line (or list element)."""

from __future__ import annotations

from collections.abc import Iterable

from .. import providers
from ..base.errors import BadData
from ..session.model import Json
from . import source as json_values
from .fields import at, list_at, object_at, objects_at
from .model import Session
from .parts import ConversationIds, opening
from .protocol import Head, Program, Source, Unreadable

_OF_A_BATCH = ("body", "params", "response", "result")  # fields of a batch's lines


def recognises(head: Head) -> bool:
    """A single `{messages}` is a request body, which `forms` reads."""
    several = len(head.values) > 1 or head.data.lstrip()[:1] == b"["
    of_a_batch = [value for value in head.values if "custom_id" in value]
    if any(isinstance(value.get(field), dict) for value in of_a_batch for field in _OF_A_BATCH):
        return True
    if any(map(_is_preference, head.values)):
        return True
    messages = (message for value in head.values for message in objects_at(value, "messages"))
    return several and any("role" in message for message in messages)  # LangChain's have none


def _is_preference(value: Json) -> bool:
    """Whether this is a training example with a preferred answer."""
    return isinstance(at(value, "input.messages"), list) and "preferred_output" in value


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield each conversation; answers of batches are not imported."""
    ids = ConversationIds()
    return json_values.sessions(source, lambda value, number: _session(program.name, value, number, ids))


def _session(program: str, value: Json, number: int, ids: ConversationIds) -> Session:
    if isinstance(value.get("response"), dict) or isinstance(value.get("result"), dict):
        raise Unreadable(f"conversation {number}: the answer of a batch, not imported; give its requests")
    preference = _is_preference(value)
    body = value["input"] if preference else {key: value[key] for key in value if key != "id"}
    if "custom_id" in value:
        body = object_at(value, "body") or object_at(value, "params")
    first = opening(list_at(body, "messages") or list_at(body, "input"), "role", ("user", "human"))
    id = ids.assign(value.get("custom_id") or value.get("id"), first or value, body.get("tools"))
    session = Session(program, id, number=number, id_repeats=True)
    if body:
        add_body(session, body)
    if preference:
        add_body(session, {"messages": value.get("preferred_output")})
        session.skip("message of an answer not preferred", len(list_at(value, "non_preferred_output")))
    return session


def add_body(session: Session, body: Json) -> None:
    """Add the messages and settings of any provider's request body to a session."""
    from .forms import form_of, requests

    name = form_of(body)
    if name not in providers.FORMATS:
        name = providers.COMMON
    try:
        outcomes = requests.read(name, body)
    except BadData:  # read the list alone, which skips only the invalid messages
        outcomes = requests.read(name, list_at(body, providers.Format(name).package.FIELD))
    if outcomes is None:
        session.problem(session.number, "skips", "no messages in it")
    for data, reason in outcomes or ():
        if reason:
            session.problem(session.number, "refused", reason)
        elif data["type"] == "meta":
            session.settings |= data["set"]
        else:
            skipped = ("type", "id", "kind", "role", "parts")
            fields = {key: field for key, field in data.items() if key not in skipped}
            session.add(data["kind"], data["parts"], **fields)


PROGRAM = Program("openai-jsonl", "OpenAI JSONL", recognises, read)
