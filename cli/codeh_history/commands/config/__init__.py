"""Print the effective settings and their sources; `init` writes a config.toml, `check` tests yours."""

from __future__ import annotations

from typing import Any

import orjson

from ...base.env import Env
from ...base.errors import NotFound
from ...base.escape import visible
from ...base.options import JSON, PROFILE, QUIET, SESSION, OptionSet, argument
from ...config import layers
from ...config.file import KEYS
from ...config.layers import SETTINGS, Held, Layer, who
from ...filters.redact.redactor import Redactor
from ...render import values
from ...send.payload import model_for
from ...session.view import View
from ...store.resolve import for_reading
from ...views.view import view_of

EXAMPLES = """\
  codeh-history config init             # writes an example of ~/.codeh/config.toml, never over yours
  codeh-history config                  # what holds, and who says it
  codeh-history config -p local -s demo # and with this profile, in this session
  codeh-history config check            # tries every profile, sends nothing
"""
WIDEST = 60  # characters of a setting, to be followed by its source in a column
STRAY = "config, config init or config check"


class Options(OptionSet):
    what: str | None = argument(
        "[init|check]", "Write an example, or test your configuration.",
        choices=("init", "check"), excludes=("profile", "json", "session"),
    )  # fmt: skip
    profile: str | None = PROFILE
    json: bool = JSON
    session: str | None = SESSION
    quiet: bool = QUIET


def run(env: Env, options: Options) -> int:
    if options.what == "init":
        from . import example

        env.write(f"{example.write(env)}\n".encode("utf-8", "surrogateescape"))
        env.note("add your key as the file says; then `codeh-history ask -p NAME TEXT` asks that provider")
        return 0
    if options.what == "check":
        from . import check

        return check.run(env)
    settings = in_session(env, options, layers.layers(env, options.profile))
    rows = [
        (key, safe(key, settings[key][0]), who(key, settings[key][1])) for key in KEYS if key in settings
    ]
    config, path = layers.config(env), layers.path_of(env)
    profiles = sorted(config.profiles) if config is not None else []
    if options.json:
        holds = {key: {"value": value, "from": by} for key, value, by in rows}
        env.write(
            values.line({"file": path, "exists": config is not None, "profiles": profiles, "holds": holds})
        )
        return 0
    state = f"profiles: {', '.join(profiles)}" if profiles else "no profile"
    shown = [f"# {path}: {state if config is not None else 'does not exist'}"]
    texts = [(f"{key} = {orjson.dumps(value).decode()}", by) for key, value, by in rows]
    wide = max((len(text) for text, _ in texts if len(text) <= WIDEST), default=0)
    shown += [f"{text:<{wide}}  # {by}" for text, by in texts]
    if not rows:
        none = "# nothing is configured; `config init` writes an example"
        shown.append("# no default; -p NAME chooses a profile" if profiles else none)
    env.write("".join(f"{visible(line)}\n" for line in shown).encode())
    return 0


def in_session(env: Env, options: Options, sources: list[Layer]) -> Held:
    """What holds, with what the session says; one that only CODEH_SESSION names need not be there."""
    view: View | None = None
    if options.session is not None or "CODEH_SESSION" in env.environ:
        try:
            view = view_of(env, for_reading(env, options.session), hydrate=False)
        except NotFound:
            if options.session is not None:
                raise
    if view is None:
        return layers.held(sources)
    meta = {key: view.meta[name] for key, name in SETTINGS.items() if view.meta.get(name)}
    if "tools" in meta:
        meta["tools"] = orjson.dumps(meta["tools"]).decode()
    session = Layer(where=f"session {view.id}", values=meta, above=True)
    beneath = sum(layer.above for layer in sources)
    held = layers.held([*sources[:beneath], session, *sources[beneath:]])
    model = model_for(view, held["to"][0], None) if "to" in held and "model" not in held else None
    return held | ({"model": (model, session)} if model else {})


def safe(key: str, value: Any) -> Any:
    """A value as it may be shown to others: a key in a command is none of theirs."""
    return Redactor().text(value) if key.endswith("via") else value
