"""A file for fine-tuning or batches → its conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ... import providers
from ...base.errors import BadData
from ...providers.parts import listed, object_of
from ...session.model import Json
from .. import values
from ..conversation import Conversation, Names, opening
from ..forms import form_of, requests
from ..model import Session
from ..protocol import Refused, Source
from . import NAME, preferred

_USERS = ("user", "human")


def read(source: Source) -> Iterator[Session]:
    """Each conversation; the answers of a batch are not imported, but counted."""
    reading = _Reading()
    try:
        for session in values.sessions(source, reading.session, skips=reading.skips):
            session.left.update(reading.left)
            reading.left.clear()
            yield session
    except Refused:
        if reading.left:
            raise Refused("only answers of a batch, which are not imported; give its requests") from None
        raise


class _Reading:
    def __init__(self) -> None:
        self.names = Names()
        self.left: Counter[str] = Counter()  # what was not imported since the latest session

    def skips(self, value: Json) -> bool:
        """Whether an object is an answer of a batch."""
        is_answer = isinstance(value.get("response"), dict) or isinstance(value.get("result"), dict)
        if is_answer:
            self.left["answer of a batch"] += 1
        return is_answer

    def session(self, value: Json, number: int) -> Session:
        body = _body(value)
        first = opening(listed(body.get("messages") or body.get("input")), "role", _USERS)
        given = value.get("custom_id") or value.get("id")
        session = Session(NAME, self.names.id(given, first or value, body.get("tools")))
        talk = Conversation(session)
        talk.number = number
        if body:
            _add(talk, body)
        if preferred(value):
            _add(talk, {"messages": value.get("preferred_output")})
            session.left["message of an answer not preferred"] += len(
                listed(value.get("non_preferred_output"))
            )
        return session


def _body(value: Json) -> Json:
    """The request body in an object: a batch's, an example's, or it itself."""
    if "custom_id" in value:
        return object_of(value.get("body")) or object_of(value.get("params"))
    if preferred(value):
        return object_of(value.get("input"))
    return {key: field for key, field in value.items() if key != "id"}


def _add(talk: Conversation, body: Json) -> None:
    """The messages of a body, and what stands around them."""
    name = form_of(body)
    if name not in providers.FORMATS:
        name = providers.COMMON
    try:
        outcomes = requests.read(name, body)
    except BadData:  # one of them is no message: the others are
        outcomes = requests.read(name, listed(body.get(providers.load(name).package.FIELD)))
    if outcomes is None:
        talk.session.problem(talk.number, "skips", "no messages in it")
    for data, reason in outcomes or ():
        if reason:
            talk.session.problem(talk.number, "refused", reason)
        elif data["type"] == "meta":
            talk.session.settings |= data["set"]
        else:
            skipped = ("type", "id", "kind", "role", "parts")
            fields = {key: field for key, field in data.items() if key not in skipped}
            talk.add(data["kind"], data["parts"], **fields)
