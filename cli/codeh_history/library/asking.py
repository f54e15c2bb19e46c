"""Methods in which a model or a tool works too: in our thread, or in the caller's event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..append.text import kind_and_role
from ..base import amounts
from ..base.errors import Usage
from ..base.read_json import json_object
from ..commands import ask as asking
from ..commands import calls as calling
from ..commands import summarize as summarizing
from ..config import layers
from ..receive import tool_call
from ..receive.answer import Received, Receiving, reader_of
from ..receive.run_command import exchange
from ..receive.stream import Streaming
from ..send import payload
from ..session.model import Json
from . import loop
from .env import Theirs
from .feed import Feed, Heard, pieces
from .functions import Writer, called, tool
from .loop import is_async
from .opened import Opened, own
from .options import read
from .results import Answer
from .stream import Stream

A_FUNCTION = "a function"  # stands for the command that it is in the place of
AGAIN = "`ask` without a text"

Heed = Callable[[str], object]  # what is told a text as it arrives


def response(opened: Opened, data: Any, from_: str, max_bytes: int | str | None, echo: Heed | None) -> Any:
    """Store a response; its id."""

    def stored(data: Any) -> str:
        with opened.call() as call:
            most = amounts.size(None if max_bytes is None else str(max_bytes))
            heard = Heard(call, echo) if echo is not None else None
            receiving = Receiving(call, opened.target, reader_of(from_), heard, fresh=False)
            return Feed(receiving, most).all(pieces(data)).id

    return loop.run(lambda bridge: stored(bridge.had(data))) if is_async(data) else stored(data)


def stream(opened: Opened, role: str | None, kind: str | None, max_bytes: int | str | None) -> Stream:
    """A message that is being written."""
    call = opened.call()
    most = amounts.size(None if max_bytes is None else str(max_bytes))
    return Stream(call, Streaming(call, opened.target, *kind_and_role(role, kind), None), most)


def _by_either(work: Callable[..., Any]) -> Callable[..., Any]:
    """The work with a command or a function; with an async one it comes to something to be awaited."""

    def done(opened: Opened, via: Any, *how: Any) -> Any:
        *rest, options = how

        def run(options: Json) -> Any:
            return work(opened, via, *rest, options)

        if is_async(via):
            return loop.run(
                lambda bridge: work(opened, bridge.called(via), *rest, _bridged(options, bridge))
            )
        return with_removers(options, run)

    return done


def with_removers(options: Json, work: Callable[[Json], Any]) -> Any:
    """The work with these options; where a function that removes text is async, to be awaited."""
    if any(map(is_async, _removers(options))):
        return loop.run(lambda bridge: work(_bridged(options, bridge)))
    return work(options)


def _removers(options: Json) -> list[Any]:
    given = options.get("remove_cmd") or ()
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _bridged(options: Json, bridge: loop.Bridge) -> Json:
    """The options with functions that can be called here."""
    removers = [bridge.called(one) if is_async(one) else one for one in _removers(options)]
    return {**options, "remove_cmd": removers} if removers else options


@_by_either
def ask(opened: Opened, via: Any, echo: Heed | None, options: Json) -> Answer:
    """Append a prompt, have the session sent, store the answer."""
    with opened.call() as call:
        said = {**options, "via": A_FUNCTION if callable(via) else via}
        given = read(asking.Options, said, session=opened.name, no_stdin=True, id=True, echo=False)
        most = amounts.size(given.max_bytes)
        asked = layers.asked(call, given, given.profile, given.via)
        if asked.via is None:
            raise Usage("ask: `via` says how to reach the provider: a function, or a command")
        payload.checked(asked.request)
        heard = Heard(call, echo) if echo is not None else None
        with asking.sending(call, opened.target, given, asked, AGAIN) as ready:
            if not isinstance(ready, asking.Ready):
                received = ready
            elif callable(via):
                ready.body.seek(0)
                receiving = Receiving(call, opened.target, ready.reader, heard, fresh=True)
                received = _by_function(via, ready.body.read(), Feed(receiving, most))
            else:
                received = exchange(
                    call, opened.target, ready.body, asked.via, ready.reader, echo=heard or False, most=most
                )
        return Answer(opened.look(call, opened.target).all[received.id])


def _by_function(via: Callable[[bytes], Any], body: bytes, feed: Feed) -> Received:
    """The answer that a function gives to a body; what it raises says that the prompt is stored."""
    try:
        return feed.all(pieces(called(via, body)))
    except Theirs as raised:
        raised.error.add_note(f"the prompt is stored: {AGAIN} sends it")
        raise


@_by_either
def calls(opened: Opened, via: Any, options: Json) -> list[Json]:
    """The open calls, each answered where somebody is to."""
    with opened.call() as call:
        said = {**options, "via": A_FUNCTION if callable(via) else via}
        given = read(calling.Options, said, session=opened.name, argument=None)
        most = amounts.size(given.max_bytes)
        run: tool_call.Run | None = None
        if callable(via):
            run = tool(via)
        elif given.via or given.profile:
            command = layers.command(call, "calls.via", given.profile, given.via)
            run = tool_call.by_command(command, most) if command is not None else None
        found: list[Json] = []
        for one in calling.waiting(call, opened.target, given):
            line = own(calling.line_of(one))
            if run is not None:
                line["result"] = next(iter(tool_call.answer(call, opened.target, one, run)), None)
            found.append(line)
        return found


@_by_either
def summarize(opened: Opened, via: Any, options: Json) -> Json | None:
    """Summarise what is due."""
    with opened.call() as call:
        alone = {"argument": None, "all_": False, "jobs": 1, "emit": False, "apply": None, "in_place": True}
        said = {**options, "via": A_FUNCTION if callable(via) else via}
        given = read(summarizing.Options, said, session=opened.name, **alone)
        command = layers.command(call, "summarize.via", given.profile, given.via)
        summarizing.check(given, command)
        writer = (
            Writer(via, body=given.to is not None)
            if callable(via)
            else summarizing.command_of(given, command)
        )
        settings = summarizing.settings_of(call, given, writer)
        try:
            summarizing.stored(call, opened.target, settings, strict=given.strict)
        finally:
            settings.summarizer.stop()
        return json_object(call.output)
