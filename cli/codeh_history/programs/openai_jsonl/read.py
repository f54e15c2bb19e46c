"""A file for fine-tuning or batches → its conversations."""

from __future__ import annotations

from collections.abc import Iterable

from ... import providers
from ...base.errors import BadData
from ...providers import wire
from ...providers.parts import listed, name_of, object_of, text_of
from ...providers.reply import Failure, Reply
from ...session.model import Json
from ...session.records import Log, dumps
from .. import lines, values
from ..conversation import Conversation, Names, opening
from ..forms import detect, requests
from ..lines import Line
from ..model import Session
from ..protocol import Source
from . import NAME, preferred

_USERS = ("user", "human")


def read(source: Source) -> Iterable[Session]:
    """Each conversation; the answers of a batch go to its requests where both are in one file."""
    reading = _Reading()
    if not source.head.whole:
        reading.find_answers(source)
    return values.sessions(source, reading.session, skips=reading.skips)


class _Reading:
    def __init__(self) -> None:
        self.names = Names()
        self.answers: dict[str, Line] = {}  # by the id of the request, where that is in the file too

    def find_answers(self, source: Source) -> None:
        answers: dict[str, Line] = {}
        asked: set[str] = set()
        for line, value in lines.objects(source, []):
            id = name_of(value.get("custom_id"))
            if id and _answer(value) is not None:
                answers[id] = line
            elif id:
                asked.add(id)
        self.answers = {id: line for id, line in answers.items() if id in asked}

    def skips(self, value: Json) -> bool:
        """Whether an object is told with another one."""
        return _answer(value) is not None and name_of(value.get("custom_id")) in self.answers

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
        line = self.answers.get(text_of(value.get("custom_id")))
        answer = _answer(line.data) if line is not None else _answer(value)
        if answer is not None:
            talk.number = line.number if line is not None else number
            _answered(talk, answer)
        return session


def _body(value: Json) -> Json:
    """The request body in an object: a batch's, an example's, or it itself."""
    if "custom_id" in value:
        return object_of(value.get("body")) or object_of(value.get("params"))
    if preferred(value):
        return object_of(value.get("input"))
    return {key: field for key, field in value.items() if key != "id"}


def _answer(value: Json) -> Json | None:
    """What came back for a request; None where an object is no answer."""
    if isinstance(value.get("response"), dict):
        return object_of(value["response"].get("body"))
    result = value.get("result")
    return object_of(result.get("message") or result) if isinstance(result, dict) else None


def _add(talk: Conversation, body: Json) -> None:
    """The messages of a body, and what stands around them."""
    log = _log(talk, body)
    for record in log.records if log else ():
        data = record.data
        if data["type"] == "meta":
            talk.session.settings |= data["set"]
        elif data["type"] == "message":
            skipped = ("type", "id", "kind", "role", "parts")
            fields = {key: field for key, field in data.items() if key not in skipped}
            talk.add(data["kind"], data["parts"], **fields)
    for damage in log.damage if log else ():
        talk.session.problem(talk.number, "refused", damage.reason)


def _log(talk: Conversation, body: Json) -> Log | None:
    name = detect.form_of(body)
    if name not in providers.FORMATS:
        name = providers.COMMON
    try:
        log = requests.read(name, body, 0)
    except BadData:  # one of them is no message: the others are
        log = requests.read(name, listed(body.get(providers.load(name).package.FIELD)), 0)
    if log is None:
        talk.session.problem(talk.number, "skips", "no messages in it")
    return log


def _answered(talk: Conversation, answer: Json) -> None:
    """The model's message in an answer."""
    found = wire.read(dumps(answer))
    if isinstance(found, Reply):
        talk.add(
            "codeh", found.parts, provider=found.provider, model=found.model, finish=found.finish,
            usage=found.usage, response=found.id,
        )  # fmt: skip
        if found.further:
            talk.session.left["further choice"] += found.further
    elif isinstance(found, Failure):
        talk.session.left["failed request"] += 1
    else:
        talk.session.problem(talk.number, "skips", "an answer of no known provider")
