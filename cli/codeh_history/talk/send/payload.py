"""Make a request body from a session. It holds the whole history, because providers are stateless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from ... import providers
from ...base.env import Env
from ...base.errors import BadData, Lost, Usage
from ...base.input import from_file
from ...base.options import PROVIDERS
from ...base.shared_options import Compaction, Sending, from_settings, system_and_tools, tools_from
from ...base.words import plural
from ...filters.curate import pairs, passes
from ...filters.curate import run as curating
from ...providers.parts import name_of
from ...providers.request import Options, Request, Transcript
from ...session import sources
from ...session.labels import escaped
from ...session.model import Any, Json
from ...session.ops import apply
from ...session.pairing import open_at_end
from ...session.view import View
from ...store.resolve import for_filtering, for_reading, named
from ...views.late_media import Deferred
from ...views.view import report_missing_blocks, view_of

_CURATION = ("only", "skip", "ide_marker", "keep_system", "remove", "remove_cmd")  # --raw excludes them


def body_of(
    env: Env,
    argument: str | None,
    session: str | None,
    flags: Sending,
    *,
    base: Json | None = None,
    strict: bool = False,
    data: bytes | None = None,
    lost_known: bool = False,
) -> Iterable[bytes | memoryview]:
    """Return the request body in pieces; large media stays in the block store until its piece is written.

    It is read earlier only if a budget needs its cost and its first bytes do not show it. `base`: settings
    that the session's override. `data`: the content to use instead of the session's file. `lost_known`:
    repair missing results of calls without a note.
    """
    to = checked_provider(flags)
    choose = for_filtering if named(env, session, argument) is None else for_reading
    target = choose(env, session, argument)
    if flags.persist:
        from ...views.persist import persist

        if persist(env, target, every=True, lost={} if flags.allow_missing else None):
            env.stored = f"{target.id}, persisted"
    media = Deferred(measured=bool(flags.specified(*Compaction.DEFAULTS)))
    lost: Lost | None = {} if flags.allow_missing else None
    view = view_of(env, target, data, strict=strict, media=media, lost=lost)
    report_missing_blocks(env, target.id, lost)
    if base:
        over = {key: value for key, value in view.meta.items() if value is not None}
        view = view.with_settings({**base, **over})
    must_calibrate = flags.calibrated  # not if the session's settings ask for it
    flags = flags.with_settings(view.meta, target.id, env.note)
    options = _options(view, to, flags, target.id)
    if flags.context:
        prompt, view = split_context(env, view)
        system = "\n\n".join(filter(None, (options.system, prompt.rstrip("\n"))))
        options = options.but(system=system or None)
    view, options = _fitted(
        env, view, options, flags, target.id, lost_known=lost_known, must_calibrate=must_calibrate
    )
    check_sendable(view, target.id, prefill=flags.prefill)
    request, body = _request(to, view, options, flags)
    for note in request.notes:
        env.note(f"{target.id}: {note}")
    env.held = env.held, view, request  # keeps large objects alive: freeing them at exit takes time
    return media.pieces(body, env) if media.used else [body]


def _request(to: str, view: View, options: Options, flags: Sending) -> tuple[Request | Transcript, bytes]:
    """Return the request of a curated view, and its bytes."""
    messages = sources.listed(view.messages)
    if to == providers.PLAIN:
        from ...providers.text import build

        if flags.set:
            raise Usage("--set: plain text has no fields")
        # summaries that we did not write cannot imitate our labels
        texts = [s.text if "lines" in s.fields else escaped(s.text) for s in view.summaries]
        transcript = build(messages, options, texts)
        return transcript, transcript.text.encode("utf-8", "replace")
    request = providers.Format(to).request(messages, options, [summary.text for summary in view.summaries])
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if flags.pretty else 0)
    return request, orjson.dumps(_set(request.body, flags.set), option=option)


def split_context(env: Env, view: View) -> tuple[str, View]:
    """Move the summaries and recent exchanges into a context prompt; return it and the rest of the view.

    The newest exchange, exchanges with a pinned message, and those too old for the prompt stay in the view.
    """
    from ...base.times import local
    from ...formats import context
    from ...formats.entries import entry
    from ...session.exchanges import exchanges

    earlier = [group for group in exchanges(view.messages)[:-1] if not any(m.pinned for m in group)]
    recent = earlier[-context.RECENT :]
    summaries = [summary.text for summary in view.summaries]
    text = context.prompt([entry(group) for group in recent], summaries, env.millis(), local())
    moved = {message.id for group in recent for message in group}
    return text, view.with_messages([m for m in view.messages if m.id not in moved], [])


def checked_provider(flags: Sending) -> str:
    """Check the options that need no session, and return the provider; raise Usage if one is wrong."""
    to = provider_of(flags.to)
    _curation(flags)
    if flags.raw and (ignored := flags.specified(*_CURATION)):
        raise Usage(f"--raw and --{ignored[0].replace('_', '-')} cannot be combined")
    if flags.var:
        from . import templates

        templates.variables(flags.var)
    if flags.specified(*Compaction.DEFAULTS):
        from ...filters.compact import bounds

        bounds.limits(flags)
    return to


def provider_of(to: str | None) -> str:
    """Return the request's format; raise Usage if there is none."""
    if not to:
        raise Usage(f"no provider: pass --to PROVIDER, or set CODEH_TO ({', '.join(PROVIDERS)})")
    return to


def _curation(flags: Sending) -> tuple[passes.Settings, set[str]]:
    """Return the settings and the passes of the curation, with `--raw` only those that are required."""
    names = curating.names(flags)
    return curating.settings(flags), {*passes.FORCED, *(() if flags.raw else names)}


def _fitted(
    env: Env, view: View, options: Options, flags: Sending, session: str, *, lost_known: bool,
    must_calibrate: bool,
) -> tuple[View, Options]:  # fmt: skip
    """Curate the view, apply templates, and compact it to its limits."""
    with from_settings(session):
        settings, names = _curation(flags)
    view, _, report = passes.curate(sources.rendered(view), settings, names)
    pairing = [line for line in report if line["pass"] == "pairs"]  # noqa: S105 - a pass
    if repaired := sum(not (lost_known and line["why"] == pairs.MISSING) for line in pairing):
        repairs = plural(repaired, "repair of call/response pairs")
        env.note(f"{session}: {repairs} (curate --report shows each)")
    if flags.user_template or flags.system_template or flags.rendered_user is not None:
        from . import templates

        view, options = templates.rendered(view, options, flags)
    if not (flags.explain or flags.specified(*Compaction.DEFAULTS)):
        return view, options
    from ...filters.compact import bounds

    with from_settings(session):
        limits = bounds.limits(flags)
    limits = limits._replace(
        model=options.model, system=options.system, tools=options.tools, must_calibrate=must_calibrate
    )
    after = view
    if flags.explain or limits.limiting:
        after = apply(view, bounds.plan(env, view, limits).ops)
    if flags.explain:
        bounds.explain(env, session, view, after, limits, json=flags.json)
    return passes.curate(sources.rendered(after), settings, ("pairs",))[0], options


def check_sendable(view: View, session: str, *, prefill: bool) -> None:
    """Raise BadData if no provider would answer: no message, or it ends in open calls or with the model."""
    messages = view.messages
    last = next((m for m in reversed(messages) if m.is_sent), None)
    if last is None:
        raise BadData(f"{session}: no message to send; append one first")
    calls = open_at_end(messages)
    if calls:
        names = ", ".join(f"{call.name} ({call.id})" for call in calls)
        raise BadData(
            f"{session}: open calls at the end: {names}; append --result, or --unanswered stub|drop"
        )
    if last.role == "model" and not prefill:
        newest = next(m for m in reversed(messages) if m.role is not None)
        advice = "append a user's, or --prefill to continue it; `fork --at ID` asks an earlier one again"
        if newest.role == "user":
            advice = f"{newest.id} is pending: `commit {newest.id}` makes it a message"
        raise BadData(f"{session}: the last message is the model's; {advice}")


def model_for(view: View, to: str, model: str | None) -> str | None:
    """Return `--model`, else the session's `model.PROVIDER`, else the provider's last model in it."""
    models = (m.model for m in reversed(view.messages) if m.role == "model" and m.provider == to)
    return model or name_of(view.meta.get(f"model.{to}")) or next(filter(None, models), None)


def _options(view: View, to: str, flags: Sending, session: str) -> Options:
    model = model_for(view, to, flags.model)
    if model is None and to != providers.PLAIN and not providers.model_in_url(to):
        raise Usage(f"{session}: which model? --model MODEL, or `set model.{to}=MODEL` once")
    system, tools = system_and_tools(view.meta)
    settings = view.meta.get(f"settings.{to}")
    return Options(
        model=model,
        system=(system if flags.system is None else from_file(flags.system)) or None,
        tools=tools_from(flags.tools) if flags.tools else tools,
        max_tokens=flags.max_tokens,
        stream=flags.stream,
        cache=flags.cache,
        session=view.id,
        settings=settings if isinstance(settings, dict) else {},
    )


def _set(body: Json, settings: Sequence[str]) -> Json:
    """Set each `path=json` in the body; a path is keys and list indexes joined by dots."""
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not path:
            raise Usage(f"--set {setting}: expected PATH=JSON")
        try:
            value = orjson.loads(text)
        except ValueError:
            value = text
        body = _put(body, path.split("."), value, setting)
    return body


def _put(node: Any, keys: list[str], value: object, setting: str) -> Any:
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if isinstance(node, list):
        try:
            at = range(len(node))[int(key)]
        except (ValueError, IndexError):
            raise Usage(f"--set {setting}: no element {key}") from None
        return [*node[:at], _put(node[at], rest, value, setting), *node[at + 1 :]]
    if not isinstance(node, dict | None):
        raise Usage(f"--set {setting}: {key} is in a value that is no object or list")
    return {**(node or {}), key: _put((node or {}).get(key), rest, value, setting)}
