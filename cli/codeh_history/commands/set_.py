"""Set a session's title, tags, system prompt, tools or models (x-… is your own); later wins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .. import providers
from ..base import shared_options
from ..base.env import Env
from ..base.errors import Usage
from ..base.input import from_file
from ..base.options import Option, Writing, argument
from ..base.read_json import json_value
from ..base.words import is_id, suggestion
from ..filters import reduction
from ..session.fold import fold
from ..session.records import dumps
from ..store import foreign_settings, log, read
from ..store.paths import exists, path_of
from ..store.resolve import for_writing
from ..talk.append.text import announce_session

EXAMPLES = """\
  codeh-history set -s demo title="Why the sky is blue" tags=physics,demo
  codeh-history set -s claude-code-5e551000-0000-4000-8000-00000000c1a0 pinned=true   # imported or not
  codeh-history set -s demo system=@system.md tools=@tools.json
  codeh-history set -s demo model.anthropic=claude-opus-4-8 x-ticket=4711
  codeh-history set -s demo curate.remove='<follow-up>.*?</follow-up>' compact.policy=loop
"""
_PLAIN = ("title", "tags", "pinned", "system", "tools")
_BY_PROVIDER = [f"{group}.{provider}" for group in ("model", "settings") for provider in providers.FORMATS]
KEYS = (*_PLAIN, *_BY_PROVIDER, *shared_options.KEYS)
PINNED = Option(help="", type="bool")
OWN = "x-"  # prefix of the user's own keys


class Options(Writing):
    settings: Sequence[str] = argument("KEY=VALUE|KEY=@FILE...", "An empty VALUE unsets.")


def run(env: Env, options: Options) -> None:
    values: dict[str, Any] = {}
    for setting in options.settings:
        key, equals, text = setting.partition("=")
        if not equals or not key:
            is_session = is_id(setting) and exists(path_of(env, setting))
            hint = f"; name the session with -s {setting}" if is_session else ""
            raise Usage(f"set {setting}: expected KEY=VALUE or KEY=@FILE{hint}")
        check_key(key)
        value: Any = value_of(key, text)
        adds = isinstance(value, list) and key in shared_options.LISTS
        values[key] = [*(values.get(key) or ()), *value] if adds else value
    store(env, options.session, values)


def store(env: Env, session: str | None, values: dict[str, object]) -> None:
    """Validate and append these settings."""
    reduction.check_settings({key: value for key, value in values.items() if key in shared_options.KEYS})
    foreign = foreign_id(env, session or env.environ.get("CODEH_SESSION") or "")
    if foreign is not None and not exists(path_of(env, foreign)):
        if others := [key for key in values if key not in foreign_settings.KEYS]:
            names = ", ".join(foreign_settings.KEYS)
            raise Usage(f"set {others[0]}: {foreign} is not imported; only {names} can be set")
        foreign_settings.keep(env, foreign, values)
        return
    target = for_writing(env, foreign or session)
    line = dumps({"type": "meta", "ts": env.now(), "set": values}) + b"\n"
    if log.append(env, target.path, lambda _: line, create=True):
        announce_session(env, target)
    if before := values.keys() & foreign_settings.kept(env).get(target.id, {}).keys():
        foreign_settings.keep(env, target.id, dict.fromkeys(before))  # the session has them now


def foreign_id(env: Env, name: str) -> str | None:
    """The id (`PROGRAM-ID`) of the other program's session with this id or file; None if it is ours."""
    if is_id(name):
        if exists(path_of(env, name)):
            return None
        from ..programs.registry import PROGRAMS
        from .list_ import program_rows

        owners = [program for program in PROGRAMS if name.startswith(f"{program}-")]
        rows = program_rows(env, owners) if owners else []
        return name if any(row["id"] == name for row in rows) else None
    if not os.path.isfile(name) or read.is_ours(name):
        return None
    from ..store.program_files import translated

    headers = [fold(read.read_log(data)).header or {} for data in translated.each(name)]
    if len(headers) > 1:
        raise Usage(f"set: {name} holds {len(headers)} sessions; name one as `list --all-programs` does")
    return next((header.get("id") for header in headers), None)


def check_key(key: str) -> None:
    """Raise Usage for an unknown key."""
    if key not in KEYS and (not key.startswith(OWN) or key == OWN):
        families = "model.PROVIDER, settings.PROVIDER, curate.…, compact.…"
        hint = suggestion(key, KEYS, f"one of {', '.join(_PLAIN)}, {families}")
        raise Usage(f"set {key}: no such key; {hint}, or {OWN}… for a key of your own")


def value_of(key: str, text: str) -> object:
    """Parse a value: JSON for tools and settings, a list for tags, else text; None if empty."""
    if text and (key == "tools" or key.startswith("settings.")):
        types = (list, dict) if key == "tools" else (dict,)
        return shared_options.json_from(text, f"set {key}={text}", *types)
    text = from_file(text)
    if not text:
        return None
    if key in shared_options.LISTS:
        value = json_value(text)
        is_texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return value if is_texts else [text]
    if key == "pinned":
        return PINNED.coerce(text, "set pinned") or None
    if key == "tags":
        return [tag.strip() for tag in text.split(",") if tag.strip()]
    return text
