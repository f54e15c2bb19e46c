"""Select part of a session: messages of a role, since a time, or in a range."""

from __future__ import annotations

from collections.abc import Callable

from ..base.env import Env
from ..base.errors import NotFound, Usage
from ..base.options import OptionSet, option
from ..base.times import moment, to_millis
from ..session.exchanges import is_prompt
from ..session.model import Message
from ..session.view import View
from .view import find_message

ROLE = option("ROLE", "Only messages of user (prompts), model or tool.", choices=("user", "model", "tool"))
KIND_OF_ROLE = {"model": "codeh"}  # other roles are kinds too


class Selection(OptionSet, closing=True):
    """The options that select part of a session."""

    role: str | None = ROLE
    since: str | None = option("D", "Only messages since: 30m, 2h, 7d, or a date.")
    range: str | None = option(":N..:M", "Only these messages; either end may be left out.")


def has_role(message: Message, role: str | None) -> bool:
    """Return whether a message has this role (None: any); `user` stands for real prompts."""
    if role == "user":
        return is_prompt(message)
    return role is None or message.kind == KIND_OF_ROLE.get(role, role)


def selected(env: Env, view: View, chosen: Selection, session: str) -> View:
    """Return a view of the selected messages, without summaries unless the options select everything.

    A role excludes the system prompt and tools too.
    """
    if not chosen.specified(*Selection.DEFAULTS):
        return view
    is_chosen = filter_of(env, chosen)
    if chosen.role is not None:
        view = view.with_settings({k: v for k, v in view.meta.items() if k not in ("system", "tools")})
    return view.with_messages(list(filter(is_chosen, in_range(view, chosen.range, session))), [])


def in_range(view: View, range: str | None, session: str) -> list[Message]:
    """Return the messages of a range; None: all."""
    if range is None:
        return view.messages
    first, dots, last = range.partition("..")
    if not dots:
        raise Usage(f"--range {range}: expected :N..:M")
    start, end = (_place(view, name, session) for name in (first or ":1", last or ":-1"))
    if start > end:
        raise Usage(f"--range {range}: the first message comes after the last one")
    return view.messages[start : end + 1]


def filter_of(env: Env, chosen: Selection) -> Callable[[Message], bool]:
    """Return a function that tests whether a message has the role and is recent enough."""
    earliest = moment(env.millis(), chosen.since) if chosen.since is not None else 0
    return lambda message: (
        has_role(message, chosen.role) and (not earliest or (to_millis(message.ts or "") or 0) >= earliest)
    )


def _place(view: View, name: str, session: str) -> int:
    message = find_message(view, name, session=session)
    if message not in view.messages:
        raise NotFound(f"{session}: {name} is hidden; `codeh-history expand` shows it")
    return view.messages.index(message)
