"""Set a session's title, tags, system prompt, tools or models (x-… is your own); later wins."""

from __future__ import annotations

from collections.abc import Sequence

from .. import providers
from ..base import shared_options
from ..base.env import Env
from ..base.errors import Usage
from ..base.input import check_json, from_file
from ..base.options import Writing, argument
from ..base.read_json import json_value, parse_json
from ..base.words import suggestion
from ..filters import reduction
from ..session.records import dumps
from ..store import log
from ..store.resolve import for_writing
from ..talk.append.text import say_new

EXAMPLES = """\
  codeh-history set -s demo title="Why the sky is blue" tags=physics,demo
  codeh-history set -s demo system=@system.md tools=@tools.json
  codeh-history set -s demo model.anthropic=claude-opus-4-8 x-ticket=4711
  codeh-history set -s demo curate.remove='<follow-up>.*?</follow-up>' compact.policy=loop
"""
_PLAIN = ("title", "tags", "system", "tools")
_BY_PROVIDER = ("model", "settings")
KEYS = (
    *_PLAIN,
    *(f"{group}.{provider}" for group in _BY_PROVIDER for provider in providers.FORMATS),
    *shared_options.KEYS,
)
OWN = "x-"  # prefix of the user's own keys


class Options(Writing):
    settings: Sequence[str] = argument("KEY=VALUE|KEY=@FILE...", "An empty VALUE unsets.")


def run(env: Env, options: Options) -> None:
    values: dict[str, object] = {}
    for setting in options.settings:
        key, equals, text = setting.partition("=")
        if not equals or not key:
            raise Usage(f"set {setting}: KEY=VALUE or KEY=@FILE expected")
        check_key(key)
        if key in values and key not in shared_options.LISTS:
            raise Usage(f"set {key}: given twice; it takes one value")
        before, value = values.get(key), value_of(key, text)
        values[key] = [*before, *value] if isinstance(before, list) and isinstance(value, list) else value
    store(env, options.session, values)


def store(env: Env, session: str | None, values: dict[str, object]) -> None:
    """Validate and append these settings."""
    reduction.check({key: value for key, value in values.items() if key in shared_options.KEYS})
    target = for_writing(env, session)
    line = dumps({"type": "meta", "ts": env.now(), "set": values}) + b"\n"
    if log.append(env, target.path, lambda _: line, create=True):
        say_new(env, target)


def check_key(key: str) -> None:
    """Raise Usage for an unknown key."""
    if key in KEYS or (key.startswith(OWN) and key != OWN):
        return
    if key in shared_options.FLAGS_ONLY:
        raise Usage(f"set {key}: cannot be stored in a session; pass it as an option")
    group = key.partition(".")[0] + "."
    family = [other for other in KEYS if other.startswith(group)]
    keys = family or [*_PLAIN, *(f"{group}.PROVIDER" for group in _BY_PROVIDER), "curate.…", "compact.…"]
    hint = suggestion(key, KEYS, f"one of {', '.join(keys)}")
    raise Usage(f"set {key}: no such key; {hint}, or {OWN}… for a key of your own")


def value_of(key: str, text: str) -> object:
    """Parse a value: JSON for tools and settings, a list for tags, else text; None if empty."""
    where = text[1:] if text.startswith("@") else key
    if key == "tools" or key.startswith("settings."):
        check_json(text, f"set {key}={text}")
    text = from_file(text)
    if not text:
        return None
    if key == "tools" or key.startswith("settings."):
        return parse_json(text, where)
    if key in shared_options.LISTS:
        value = json_value(text)
        is_texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return value if is_texts else [text]
    if key == "tags":
        return [tag.strip() for tag in text.split(",") if tag.strip()]
    return text
