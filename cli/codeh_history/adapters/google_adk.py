"""A session service of google-adk: `Runner(agent=…, app_name=…, session_service=SessionService())`.

Importing this file imports google-adk for its base class.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import (
    BaseSessionService,
    GetSessionConfig,
    ListSessionsResponse,
)
from google.adk.sessions.session import Session
from google.adk.sessions.state import State
from pydantic_core import to_jsonable_python

from ..base.env import Env
from ..base.errors import BadData
from ..base.times import from_millis, to_millis
from ..library.session import Session as History
from ..programs.fields import omit_empty
from ..providers import usage
from ..providers.gemini.response import USAGE
from ..providers.parts import object_of
from ..session.model import Json, Message
from ..session.view import View
from ..store.paths import exists
from ..store.resolve import ids
from ..store.trash import remove
from .native_history import FIELD, SerialExecutor, exact_json, in_order, rendering

_FIRST = "adk-session"  # id of a session's first message
_PACKAGE, _FORMAT = "google-adk", "gemini"
_USUAL = str.maketrans("-_", "+/")  # from URL-safe to standard base64


class SessionService(BaseSessionService):  # type: ignore[misc,unused-ignore]
    """Stores each session of the service in a session, and the state of each app and user in another.

    No event is rejected as stale: events of several processes are stored in the order in which they come.
    An event that is appended again is stored once. Deleted sessions are moved to the trash.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        self._home = os.path.abspath(home if home is not None else Env().home)
        self.executor = SerialExecutor()

    @in_order
    def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:  # fmt: skip
        """Create a session; raise AlreadyExistsError if its id is taken."""
        id = (session_id or "").strip() or str(uuid.uuid4())
        history, scopes = self._history(app_name, user_id, id), _by_scope(state or {})
        about = {"appName": app_name, "userId": user_id, "id": id}
        # unique text, so that two simultaneous creations conflict
        text = f"session {id} of {app_name}, user {user_id} ({uuid.uuid4().hex[:8]})"
        if exists(history.path):
            raise AlreadyExistsError(f"Session with id {id} already exists.")
        try:
            _add(history, _note(_FIRST, text, {"session": about, "state": scopes[""]}))
        except BadData as error:
            raise AlreadyExistsError(f"Session with id {id} already exists.") from error
        self._share(app_name, user_id, uuid.uuid4().hex, scopes)
        return self._session(about, history.view)

    @in_order
    def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session with its events and state; None if it does not exist."""
        history = self._history(app_name, user_id, session_id)
        if not exists(history.path):
            return None
        view = history.view
        events = events_of(view)
        if config is not None and config.after_timestamp:
            events = [event for event in events if event.timestamp >= config.after_timestamp]
        if config is not None and config.num_recent_events is not None:
            events = events[-config.num_recent_events :] if config.num_recent_events else []
        return self._session({"appName": app_name, "userId": user_id, "id": session_id}, view, events)

    @in_order
    def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """List the sessions of one user or of all, without events, the newest last."""
        sessions: list[Session] = []
        for name in [name for name, _ in ids(self._env) if name.startswith(f"adk-{_slug(app_name)}-")]:
            view = History.open(name, create=True, home=self._home).view
            about = _stored(view.all[_FIRST]).get("session") if _FIRST in view.all else None
            if about and about["appName"] == app_name and user_id in (None, about["userId"]):
                sessions.append(self._session(about, view))
        sessions.sort(key=attrgetter("last_update_time", "user_id", "id"))
        return ListSessionsResponse(sessions=sessions)

    @in_order
    def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Move a session to the trash; `codeh-history rm --restore` restores it."""
        history = self._history(app_name, user_id, session_id)
        if exists(history.path):
            remove(self._env, history.id)

    @in_order
    def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return a user's state in an app; its keys lack the prefix `user:`."""
        return _state_of(self._history(app_name, user_id).view)

    async def append_event(self, session: Session, event: Event) -> Event:
        """Store an event, then add it to the session in memory."""
        if not event.partial:
            await self.executor(self._append, session, event)
            session.last_update_time = event.timestamp
        return await super().append_event(session, event)

    def _append(self, session: Session, event: Event) -> None:
        history = self._history(session.app_name, session.user_id, session.id)
        if not exists(history.path):
            raise SessionNotFoundError(f"Session {session.id} not found.")
        message = message_of(event)
        self._share(session.app_name, session.user_id, event.id, _by_scope(event.actions.state_delta))
        _add(history, message)

    def _share(self, app: str, user: str, id: str, changes: Mapping[str, Json]) -> None:
        """Store an event's changes to the state of the app and of the user."""
        for scope, names in ((State.APP_PREFIX, (app,)), (State.USER_PREFIX, (app, user))):
            if state := changes[scope]:
                _add(self._history(*names), _note(id, f"{scope} {', '.join(state)}", {"state": state}))

    def _session(self, about: Json, view: View, events: Sequence[Event] = ()) -> Session:
        app, user = about["appName"], about["userId"]
        of_app, of_user = (_state_of(self._history(*names).view) for names in ((app,), (app, user)))
        state = {
            **{State.APP_PREFIX + key: value for key, value in of_app.items()},
            **{State.USER_PREFIX + key: value for key, value in of_user.items()},
            **_by_scope(_state_of(view))[""],
        }
        return Session(
            id=about["id"], app_name=app, user_id=user, state=state, events=list(events),
            last_update_time=_last_time(view),
        )  # fmt: skip

    def _history(self, *names: str) -> History:
        """Open the stored session of a session (app, user, id), of a user's state or of an app's."""
        apart = (name.replace("\0", "\0\0") for name in names)
        digest = hashlib.sha256("\0".join(apart).encode("utf-8", "replace")).hexdigest()[:12]
        name = "-".join(("adk", *map(_slug, names), digest))
        return History.open(name, create=True, home=self._home)

    @property
    def _env(self) -> Env:
        return Env({**os.environ, "CODEH_HOME": self._home})


def _add(history: History, message: Json) -> None:
    value = exact_json(message[FIELD][_PACKAGE], _PACKAGE)
    history.extend([{**message, FIELD: {_PACKAGE: value}}])


def _note(id: str, text: str, value: Json) -> Json:
    """Make a message that is never sent."""
    return {"id": id, "kind": "info", "parts": [{"text": text}], FIELD: {_PACKAGE: value}}


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name)[:30]


def _by_scope(state: Mapping[str, Any]) -> dict[str, Json]:
    """Split a state into the app's, the user's and the session's (""), and remove the keys' prefixes."""
    parted: dict[str, Json] = {State.APP_PREFIX: {}, State.USER_PREFIX: {}, "": {}}
    for key, value in state.items():
        scope = next(prefix for prefix in parted if key.startswith(prefix))
        if not key.startswith(State.TEMP_PREFIX):
            parted[scope][key.removeprefix(scope)] = to_jsonable_python(value, by_alias=True, fallback=str)
    return parted


# -- events as messages: their parts have the same format, other fields are kept as metadata --------------


def message_of(event: Event) -> Json:
    """Convert an event to a message; one without content becomes a note that is never sent."""
    stored = event.model_dump(mode="json", by_alias=True, exclude_none=True, fallback=str)
    if changes := event.actions.state_delta:  # including nulls
        plain = to_jsonable_python(changes, by_alias=True, fallback=str)
        lasting = {key: plain[key] for key in changes if not key.startswith(State.TEMP_PREFIX)}
        stored["actions"]["stateDelta"] = lasting
    content = stored.pop("content", None) or {}
    parts, role = [*map(_standard_base64, content.get("parts") or [])], content.get("role")
    if not parts or role not in ("user", "model"):
        stored |= {"content": content} if content else {}
        text = f"state: {', '.join(changes)}" if changes else f"event of {event.author}"
        message = _note(event.id, text, {"event": stored})
    else:
        answers = any("functionResponse" in part for part in parts)
        kind = "codeh" if role == "model" else "tool" if answers else "user"
        model, counts = stored.get("modelVersion"), usage.read(stored.get("usageMetadata"), USAGE)
        provider = _FORMAT if "gemini" in str(model) else None
        fields = omit_empty(model=model, provider=provider, usage=counts) if role == "model" else {}
        message = {"id": event.id, "kind": kind, "role": role, "parts": parts, **fields}
        message[FIELD] = {_PACKAGE: {"event": stored}}
    return {**message, "ts": from_millis(int(event.timestamp * 1000))}


def _standard_base64(part: Json) -> Json:
    """Convert a part's URL-safe base64 to standard base64."""
    blob = part.get("inlineData")
    if isinstance(blob, dict) and isinstance(blob.get("data"), str):
        part = {**part, "inlineData": {**blob, "data": blob["data"].translate(_USUAL)}}
    if isinstance(part.get("thoughtSignature"), str):
        part = {**part, "thoughtSignature": part["thoughtSignature"].translate(_USUAL)}
    return part


def events_of(view: View) -> list[Event]:
    """Return the view as events: summaries, then messages, including those of other programs."""
    render = rendering(_FORMAT)
    texts = [summary.text for summary in view.summaries]
    contents = render((), texts) if texts else ()
    first = {"author": "user", "timestamp": 0.0}
    events = [Event(id=view.summaries[0].id, content=content, **first) for content in contents]
    author = "model"
    for message in view.messages:
        stored = _stored(message).get("event")
        if stored is not None:
            content = stored.get("content") or (
                {"role": message.role, "parts": message.parts} if message.role else None
            )
            events.append(Event.model_validate({**stored, "content": content}))
            author = events[-1].author if events[-1].author != "user" else author
        elif message.is_sent:
            by = author if message.role == "model" else "user"
            events += [
                Event(id=message.id, author=by, content=content, timestamp=_seconds(message.ts))
                for content in render([message], ())
            ]
    return events


def _state_of(view: View) -> Json:
    """Apply the state changes of all messages, including hidden ones but not reverted ones."""
    state: Json = {}
    for message in view.all.values():
        stored = _stored(message)
        actions = (stored.get("event") or {}).get("actions") or {}
        state |= {**(stored.get("state") or {}), **(actions.get("stateDelta") or {})}
    return state


def _last_time(view: View) -> float:
    """Return the time of the last event, in seconds."""
    messages = list(view.all.values())
    events = (_stored(message).get("event") or {} for message in reversed(messages))
    last = next((event["timestamp"] for event in events if "timestamp" in event), None)
    return float(last) if last is not None else _seconds(messages[0].ts) if messages else 0.0


def _stored(message: Message) -> Json:
    """Return the package's fields kept in a message."""
    return object_of(object_of(message.fields.get(FIELD)).get(_PACKAGE))


def _seconds(ts: str | None) -> float:
    return (to_millis(ts or "") or 0) / 1000
