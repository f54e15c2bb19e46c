"""A session service of google-adk: `Runner(agent=…, app_name=…, session_service=SessionService())`.

Importing this file imports google-adk for its base class.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
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

from .. import providers
from ..base.env import Env
from ..base.errors import BadData
from ..base.times import from_millis, to_millis
from ..library.session import Session as History
from ..providers.parts import object_of
from ..providers.reply import Reply
from ..session.model import Json, Message
from ..session.view import View
from ..store.paths import exists
from ..store.resolve import ids
from ..store.trash import remove
from .kept import FIELD, SerialExecutor, exact_json, rendering

_FIRST = "adk-session"  # id of a session's first message
_PACKAGE, _FORMAT = "google-adk", "gemini"
_USUAL = str.maketrans("-_", "+/")  # from URL-safe to standard base64
_plain = partial(to_jsonable_python, by_alias=True, fallback=str)  # to JSON values, otherwise to strings


class SessionService(BaseSessionService):  # type: ignore[misc,unused-ignore]
    """One stored session per session of the service, and one for the state of each app and user.

    No event is rejected as stale: events of several processes are kept in the order of storing. An event
    that is appended again is stored once. Deleted sessions go to the trash.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        self._home = os.path.abspath(home if home is not None else Env().home)
        self._run = SerialExecutor()

    async def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:  # fmt: skip
        """Create a session; AlreadyExistsError if the id is taken."""
        id = (session_id or "").strip() or str(uuid.uuid4())
        await self._run(self._create, app_name, user_id, id, state or {})
        made = await self.get_session(app_name=app_name, user_id=user_id, session_id=id)
        if made is None:
            raise SessionNotFoundError(f"Session {id} not found.")
        return made

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session with its events and resulting state; None if it does not exist."""
        return await self._run(self._get, app_name, user_id, session_id, config)

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """List the sessions of one user or of all, without events, the newest last."""
        return await self._run(self._list, app_name, user_id)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Move a session to the trash; `codeh-history rm --restore` restores it."""
        await self._run(self._delete, name_of(app_name, user_id, session_id))

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return a user's state in an app, with keys without `user:`."""
        return await self._run(self._shared, name_of(app_name, user_id))

    async def append_event(self, session: Session, event: Event) -> Event:
        """Store an event, then add it to the session in memory."""
        if not event.partial:
            await self._run(self._append, session, event)
            session.last_update_time = event.timestamp
        return await super().append_event(session, event)

    # -- write ------------------------------------------------------------------------------------

    def _create(self, app: str, user: str, id: str, state: dict[str, Any]) -> None:
        history = self._opened(name_of(app, user, id))
        if exists(history.path):
            raise AlreadyExistsError(f"Session with id {id} already exists.")
        parted = by_scope(state)
        value = {"session": {"appName": app, "userId": user, "id": id}, "state": parted[""]}
        # unique, so that creating it twice conflicts
        text = f"session {id} of {app}, user {user} ({uuid.uuid4().hex[:8]})"
        try:
            self._store(history, _FIRST, text, value)
        except BadData as error:
            raise AlreadyExistsError(f"Session with id {id} already exists.") from error
        self._share(app, user, uuid.uuid4().hex, parted)

    def _append(self, session: Session, event: Event) -> None:
        history = self._existing(name_of(session.app_name, session.user_id, session.id))
        if history is None:
            raise SessionNotFoundError(f"Session {session.id} not found.")
        parted = by_scope(event.actions.state_delta if event.actions else {})
        message = message_of(event)
        value = message[FIELD][_PACKAGE]
        if event.actions and event.actions.state_delta:
            value["event"]["actions"]["stateDelta"] = _plain(
                {
                    key: held
                    for key, held in event.actions.state_delta.items()
                    if not key.startswith(State.TEMP_PREFIX)
                }
            )
        message[FIELD][_PACKAGE] = exact_json(value, _PACKAGE)
        self._share(session.app_name, session.user_id, event.id, parted)
        history.extend([message])

    def _share(self, app: str, user: str, id: str, parted: Mapping[str, dict[str, Any]]) -> None:
        """Store an event's changes to the state of the app and of the user."""
        for scope, names in ((State.APP_PREFIX, (app,)), (State.USER_PREFIX, (app, user))):
            state = parted[scope]
            if state:
                text = f"{scope} {', '.join(state)}"
                self._store(self._opened(name_of(*names)), id, text, {"state": _plain(state)})

    @staticmethod
    def _store(history: History, id: str, text: str, value: Any) -> None:
        kept = exact_json(value, _PACKAGE)
        history.extend([{"id": id, "kind": "info", "parts": [{"text": text}], FIELD: {_PACKAGE: kept}}])

    def _delete(self, name: str) -> None:
        if self._existing(name) is not None:
            remove(self._env, name)

    # -- read --------------------------------------------------------------------------------------

    def _get(self, app: str, user: str, id: str, config: GetSessionConfig | None) -> Session | None:
        history = self._existing(name_of(app, user, id))
        if history is None:
            return None
        view = history.view
        shown = events_of(view)
        if config is not None and config.after_timestamp:
            shown = [event for event in shown if event.timestamp >= config.after_timestamp]
        if config is not None and config.num_recent_events is not None:
            shown = shown[-config.num_recent_events :] if config.num_recent_events else []
        return self._session(app, user, id, view, shown)

    def _session(self, app: str, user: str, id: str, view: View, shown: Sequence[Event]) -> Session:
        state = {
            **{State.APP_PREFIX + key: value for key, value in self._shared(name_of(app)).items()},
            **{State.USER_PREFIX + key: value for key, value in self._shared(name_of(app, user)).items()},
            **by_scope(state_of(view))[""],
        }
        return Session(
            id=id, app_name=app, user_id=user, state=state, events=list(shown),
            last_update_time=last_time(view),
        )  # fmt: skip

    def _list(self, app: str, user: str | None) -> ListSessionsResponse:
        names = [name for name, _ in ids(self._env) if name.startswith(f"adk-{_slug(app)}-")]
        sessions: list[Session] = []
        for name in names:
            history = self._existing(name)
            view = history.view if history is not None else None
            if view is None or _FIRST not in view.all:
                continue
            about = _kept(view.all[_FIRST]).get("session")
            if about and about["appName"] == app and user in (None, about["userId"]):
                sessions.append(self._session(app, about["userId"], about["id"], view, ()))
        sessions.sort(key=attrgetter("last_update_time", "user_id", "id"))
        return ListSessionsResponse(sessions=sessions)

    def _shared(self, name: str) -> dict[str, Any]:
        history = self._existing(name)
        return state_of(history.view) if history is not None else {}

    def _existing(self, name: str) -> History | None:
        history = self._opened(name)
        return history if exists(history.path) else None

    def _opened(self, name: str) -> History:
        """Open a session, whether or not it exists."""
        return History.open(name, create=True, home=self._home)

    @property
    def _env(self) -> Env:
        return Env({**os.environ, "CODEH_HOME": self._home})


def name_of(*names: str) -> str:
    """Return the id of the stored session for a session (app, user, id), a user's state or an app's."""
    apart = (name.replace("\0", "\0\0") for name in names)
    digest = hashlib.sha256("\0".join(apart).encode("utf-8", "replace")).hexdigest()[:12]
    return "-".join(("adk", *map(_slug, names), digest))


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name)[:30]


def by_scope(state: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Split a state into the app's, the user's and the session's (""), with keys without prefix."""
    parted: dict[str, dict[str, Any]] = {State.APP_PREFIX: {}, State.USER_PREFIX: {}, "": {}}
    for key, value in state.items():
        scope = next(
            (prefix for prefix in (State.APP_PREFIX, State.USER_PREFIX) if key.startswith(prefix)), ""
        )
        if not key.startswith(State.TEMP_PREFIX):
            parted[scope][key.removeprefix(scope)] = value
    return parted


# -- events as messages: their parts have the same format, other fields are kept as metadata --------------


def message_of(event: Event) -> Json:
    """Convert an event to a message; one without content becomes a note that is never sent."""
    kept = event.model_dump(mode="json", by_alias=True, exclude_none=True, fallback=str)
    content = kept.pop("content", None) or {}
    parts, role = [*map(_standard, content.get("parts") or [])], content.get("role")
    if not parts or role not in ("user", "model"):
        state = ", ".join(event.actions.state_delta)
        text = f"state: {state}" if state else f"event of {event.author}"
        content_fields: Json = {"kind": "info", "parts": [{"text": text}]}
        kept |= {"content": content} if content else {}
    elif role == "user":
        answers = any("functionResponse" in part for part in parts)
        content_fields = {"kind": "tool" if answers else "user", "role": role, "parts": parts}
    else:
        content_fields = {"kind": "codeh", "role": role, "parts": parts, **_origin(kept)}
    return {
        "id": event.id, "ts": from_millis(int(event.timestamp * 1000)), **content_fields,
        FIELD: {_PACKAGE: {"event": kept}},
    }  # fmt: skip


def _standard(part: Json) -> Json:
    """Convert a part's URL-safe base64 to standard base64."""
    held = part.get("inlineData")
    if isinstance(held, dict) and isinstance(held.get("data"), str):
        part = {**part, "inlineData": {**held, "data": held["data"].translate(_USUAL)}}
    if isinstance(part.get("thoughtSignature"), str):
        part = {**part, "thoughtSignature": part["thoughtSignature"].translate(_USUAL)}
    return part


def _origin(kept: Json) -> Json:
    """Return the model and usage of an event."""
    fields: Json = {}
    model = kept.get("modelVersion")
    if isinstance(model, str) and model:
        fields = {"model": model} | ({"provider": _FORMAT} if "gemini" in model else {})
    if kept.get("usageMetadata"):
        candidate = {"content": {"role": "model", "parts": [{"text": "-"}]}, "finishReason": "STOP"}
        body = {"candidates": [candidate], "usageMetadata": kept["usageMetadata"]}
        reply = providers.load(_FORMAT).response(body)
        fields |= {"usage": reply.usage} if isinstance(reply, Reply) and reply.usage else {}
    return fields


def events_of(view: View) -> list[Event]:
    """Return the events of the current view: summaries first, including messages of other programs."""
    render = rendering(_FORMAT)
    texts = [summary.text for summary in view.summaries]
    events: list[Event] = [
        Event(id=view.summaries[0].id, author="user", content=content, timestamp=0.0)
        for content in (render((), texts) if texts else ())
    ]
    author = "model"
    for message in view.messages:
        kept = _kept(message).get("event")
        if kept is not None:
            content = kept.get("content") or (
                {"role": message.role, "parts": message.parts} if message.role else None
            )
            events.append(Event.model_validate({**kept, "content": content}))
            author = events[-1].author if events[-1].author != "user" else author
        elif message.role is not None and message.committed:
            by = author if message.role == "model" else "user"
            events += [
                Event(id=message.id, author=by, content=content, timestamp=_seconds(message.ts))
                for content in render([message], ())
            ]
    return events


def state_of(view: View) -> Json:
    """Apply all state changes, including those of hidden messages but not of reverted ones."""
    state: Json = {}
    for message in view.all.values():
        kept = _kept(message)
        actions = (kept.get("event") or {}).get("actions") or {}
        state |= {**(kept.get("state") or {}), **(actions.get("stateDelta") or {})}
    return state


def last_time(view: View) -> float:
    """Return the time of the last event, in seconds."""
    messages = list(view.all.values())
    kept = (_kept(message).get("event") or {} for message in reversed(messages))
    last = next((event["timestamp"] for event in kept if "timestamp" in event), None)
    return float(last) if last is not None else _seconds(messages[0].ts) if messages else 0.0


def _kept(message: Message) -> Json:
    """Return the package's fields kept in a message."""
    return object_of(object_of(message.fields.get(FIELD)).get(_PACKAGE))


def _seconds(ts: str | None) -> float:
    return (to_millis(ts or "") or 0) / 1000
