"""`payload`: session → request body. Whole history every time: the provider remembers nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import orjson

from .. import providers, references
from ..blocks import Lost
from ..env import Env
from ..errors import BadData, Usage
from ..model import Json, Message
from ..pairing import open_at_end
from ..providers.base import Options, Request
from ..session import View
from ..stages import passes
from ..stages.base import Settings
from ..store.resolve import Target, for_reading
from . import straight
from .deferring import Deferred
from .reading import tell_lost, view_of

UNANSWERED = ("error", "stub", "drop")


def run(  # noqa: PLR0913 - payload's options, one by one
    env: Env,
    *,
    to: str | None = None,
    argument: str | None = None,
    session: str | None = None,
    model: str | None = None,
    system: str | None = None,
    tools: str | None = None,
    set: Sequence[str] = (),
    max_tokens: int | None = None,
    stream: bool = False,
    budget: str | None = None,
    raw: bool = False,
    unanswered: str = "error",
    prefill: bool = False,
    pretty: bool = False,
    cache: bool = False,
    context: bool = False,
    persist: bool = False,
    user_template: str | None = None,
    system_template: str | None = None,
    var: Sequence[str] = (),
    allow_missing: bool = False,
    counter: str | None = None,
    thoughts: str = "keep",
    strict: bool = False,
    quiet: bool = False,
) -> int:
    """Print the request body for a provider."""
    given = {
        key: value for key, value in locals().items() if key not in ("env", "argument", "session", "quiet")
    }
    env.quiet = env.quiet or quiet
    for piece in body_of(env, argument, session, **given):
        env.write(piece)
    return 0


def body_of(
    env: Env,
    argument: str | None,
    session: str | None,
    *,
    to: str | None,
    data: bytes | None = None,
    **given: object,
) -> Iterable[bytes | memoryview]:
    """The request body, in pieces that are made as they are written; the options are those of `run`.

    With `data` of these lines instead of those of the session's file. Large media in the block store is
    not read before its piece is written, unless a budget must know what it costs and its first bytes do
    not tell.
    """
    to = provider_of(env, to)
    if given["unanswered"] not in UNANSWERED:
        raise Usage(f"--unanswered {given['unanswered']}: one of {', '.join(UNANSWERED)}")
    if given.get("persist"):
        from .persisting import persist_now

        persist_now(env, session, argument, {} if given["allow_missing"] else None)
    if given["thoughts"] not in ("keep", "old", "all"):
        raise Usage(f"--thoughts {given['thoughts']}: keep, old or all")
    target = for_reading(env, session, argument)
    found = straight.read(target.path, given, data)
    if found is not None:
        options = _options(found.view, to, given, found.models.get(to))
        request = providers.load(to).request(found.texts, options, [])
        return [_written(env, target, request, given)]
    media = Deferred(measured=given["budget"] is not None)
    lost: Lost | None = {} if given["allow_missing"] else None
    view = view_of(env, target, data, strict=bool(given["strict"]), media=media, lost=lost)
    tell_lost(env, target.id, lost)
    options = _options(view, to, given)
    if given["context"]:
        from .contextual import split

        told, view = split(env, view)
        options = replace(
            options, system="\n\n".join(filter(None, (options.system, told.rstrip("\n")))) or None
        )
    view = _reduced(env, view, options, given)
    check_sendable(view, target.id, prefill=bool(given["prefill"]))
    messages = view.messages
    if given["user_template"] or given["system_template"]:
        from . import templates

        messages, options = templates.rendered(view, options, given)
    if not view.log.plain:
        messages = references.listed(messages)
    request = providers.load(to).request(messages, options, [s.text for s in view.summaries])
    text = _written(env, target, request, given)
    return media.pieces(text, env) if media.used else [text]


def _written(env: Env, target: Target, request: Request, given: Json) -> bytes:
    """The request's bytes; what could not be sent as it is goes to stderr."""
    for note in request.notes:
        env.note(f"{target.id}: {note}")
    body = _set(request.body, given["set"])
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if given["pretty"] else 0)
    return orjson.dumps(body, option=option)


def provider_of(env: Env, to: str | None) -> str:
    """The format asked for, else `$CODEH_TO`."""
    to = to or env.environ.get("CODEH_TO")
    if not to:
        raise Usage(f"--to PROVIDER (or CODEH_TO) says whose request: {', '.join(providers.FORMATS)}")
    if to not in providers.FORMATS:
        raise Usage(f"--to {to}: one of {', '.join(providers.FORMATS)}")
    return to


def _reduced(env: Env, view: View, options: Options, given: Json) -> View:
    """The view after the passes (with `--raw` only those that provider rules force), and the budget."""
    settings = Settings(thoughts=str(given["thoughts"]), unanswered=str(given["unanswered"]))
    names = passes.FORCED if given["raw"] else tuple(passes.PASSES)
    view, _, report = passes.curate(references.rendered(view), settings, names)
    repaired = sum(1 for line in report if line["pass"] == "pairs")  # noqa: S105 - a pass
    if repaired:
        repairs = "1 repair" if repaired == 1 else f"{repaired} repairs"
        env.note(f"{view.id}: {repairs} of call/response pairs (curate --report shows each)")
    if given["budget"] is not None:
        from .compacting import within_budget

        counted = _with_listings(options, view.messages)
        view = within_budget(env, view, counted, str(given["budget"]), given["counter"])
        view, _, _ = passes.curate(references.rendered(view), settings, ("pairs",))
    return view


def _with_listings(options: Options, messages: Sequence[Message]) -> Options:
    """The options with what will be said of attached files, so that a budget counts it too."""
    said = [options.system or "", *(references.listing(message) for message in messages)]
    return replace(options, system="\n\n".join(filter(None, said)) or None)


def check_sendable(view: View, session: str, *, prefill: bool) -> None:
    """Refuse what no provider would answer: nothing, open calls or a model's word at the end."""
    messages = view.messages
    last = next((m for m in reversed(messages) if m.role is not None and m.committed), None)
    if last is None:
        raise BadData(f"{session}: no message to send; append one first")
    calls = open_at_end(messages)
    if calls:
        names = ", ".join(f"{call.name} ({call.id})" for call in calls)
        raise BadData(
            f"{session}: open calls at the end: {names}; append --result, or --unanswered stub|drop"
        )
    if last.role == "model" and not prefill:
        edited = view.edited_after(last)
        advice = (
            f"{edited} was edited after it: `fork --at {edited}` asks again from there, "
            "`undo` takes the edit back"
            if edited
            else "append a user's, or --prefill to continue it"
        )
        raise BadData(f"{session}: the last message is the model's; {advice}")


def model_for(view: View, to: str, model: str | None) -> str | None:
    """`--model`, else the session's `model.PROVIDER`, else its last one of that provider."""
    kept = view.meta.get(f"model.{to}")
    if model or (isinstance(kept, str) and kept):
        return model or str(kept)
    for message in reversed(view.messages):
        if message.role == "model" and message.provider == to and message.model:
            return message.model
    return None


def _options(view: View, to: str, given: Json, last: str | None = None) -> Options:
    """What the request is to hold; `last`: the provider's last model, of a view that has no message."""
    model = model_for(view, to, given["model"]) or last
    if model is None and to != "gemini":
        raise Usage(f"{view.id}: which model? --model MODEL, or `set model.{to}=MODEL` once")
    system = from_file(given["system"]) if given["system"] is not None else view.meta.get("system")
    settings = view.meta.get(f"settings.{to}")
    return Options(
        model=model,
        system=str(system) if system else None,
        tools=tools_from(given["tools"]) if given["tools"] else _list(view.meta.get("tools")),
        max_tokens=given["max_tokens"],
        stream=bool(given["stream"]),
        cache=bool(given["cache"]),
        session=view.id,
        settings=settings if isinstance(settings, dict) else {},
    )


def _list(value: object) -> list[Json]:
    items = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
    return [item for item in items if isinstance(item, dict)]


def from_file(value: str) -> str:
    """TEXT, or the text of the file that `@FILE` names."""
    if not value.startswith("@"):
        return value
    from .append import decode, read_file

    return decode(read_file(value[1:]), value[1:]).removesuffix("\n")


def tools_from(value: str) -> list[Json]:
    """Tool declarations from `@FILE` (or JSON text), in any provider's shape."""
    try:
        tools = orjson.loads(from_file(value))
    except ValueError as error:
        raise BadData(f"--tools {value}: not JSON: {error}") from None
    if not isinstance(tools, (list, dict)):
        raise BadData(f"--tools {value}: a list of tool declarations expected")
    return _list(tools)


def _set(body: Json, settings: Sequence[str]) -> Json:
    """The body with each `path=json` set; a path is keys and list positions joined by dots."""
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not path:
            raise Usage(f"--set {setting}: PATH=JSON expected")
        try:
            value = orjson.loads(text)
        except ValueError:
            value = text
        body = _put(body, path.split("."), value, setting)
    return body


def _put(node: object, keys: list[str], value: object, setting: str) -> Json:
    if not keys:
        return value  # type: ignore[return-value]
    key, rest = keys[0], keys[1:]
    if isinstance(node, list):
        if not key.lstrip("-").isdigit() or not -len(node) <= int(key) < len(node):
            raise Usage(f"--set {setting}: no element {key}")
        at = int(key) % len(node)
        return [*node[:at], _put(node[at], rest, value, setting), *node[at + 1 :]]  # type: ignore[return-value]
    if node is not None and not isinstance(node, dict):
        raise Usage(f"--set {setting}: {key} stands inside a plain value")
    return {**(node or {}), key: _put((node or {}).get(key), rest, value, setting)}
