"""Print the effective settings and their sources; `init` writes a config.toml, `check` tests yours."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from itertools import chain
from typing import Any

import orjson

from .. import providers
from ..base import config
from ..base.config import KEYS, SETTINGS, Layer, ValuesByLayer, source_of
from ..base.env import Env
from ..base.errors import BadData, HistoryError, NegativeAnswer, NotFound, Usage
from ..base.escape import visible
from ..base.input import read_file
from ..base.options import JSON, PROFILE, Named, argument
from ..base.shared_options import Sending
from ..filters.redact.redactor import Redactor
from ..store import new_file
from ..store.resolve import for_reading
from ..talk.send import payload
from ..views.view import view_of

EXAMPLES = """\
  codeh-history config init             # writes an example of ~/.codeh/config.toml, never over yours
  codeh-history config                  # the effective settings and their sources
  codeh-history config -p local -s demo # with this profile, in this session
  codeh-history config check            # tries every profile, sends nothing
"""
WIDEST = 60  # characters; longer settings do not widen the column
STRAY = "config, config init or config check"
_PLAIN = re.compile(r"[\w./~+-]+")
_PLACEHOLDER = re.compile(rb"(?m)[: ]KEY\s*$")
_HEADER_FILE = re.compile(r"""(?:-H|--header) ["']?@([^\s"'|;&]+)""")
_MESSAGE = b'{"role":"user","parts":[{"text":"Hello."}]}\n'
GEMINI = (
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
)
CURL = "curl -sSN --fail-with-body --json @-"
TEXT = f"""\
# Settings of codeh-history, for whatever a command line does not say. `codeh-history config` prints the
# effective ones and where each comes from; `codeh-history config check` tries the profiles without sending.
#
# A profile per provider follows: `codeh-history ask -p anthropic "Why is the sky blue?"`; for a whole shell
# `export CODEH_PROFILE=anthropic`. Keep your key in a file of its own, from which curl reads the header:
#
#   umask 077
#   printf 'x-goog-api-key: %s\\n' "$GEMINI_API_KEY" > ~/.codeh/gem.hdr
#   printf 'authorization: Bearer %s\\n' "$OPENAI_API_KEY" > ~/.codeh/oai.hdr
#   printf 'x-api-key: %s\\nanthropic-version: 2023-06-01\\n' "$ANTHROPIC_API_KEY" > ~/.codeh/ant.hdr
#
# Precedence: a flag, -p NAME, CODEH_TO, CODEH_VIA and CODEH_MODEL, the session (`set`), CODEH_PROFILE, the
# settings above all profiles. `to`, `via` and `model` come together, from the first that has `to` or `via`.
# curl before 7.82 needs `-H content-type:application/json --data-binary @-` for `--json @-`.

# Settings for all profiles; remove a "#" to use one.
#system = "Be brief."                   # or "@system.md", a file beside this one
#tools = "@tools.json"                  # declarations, in any provider's shape
#budget = "100k"                        # tokens of a request: what is older is shortened to fit
#max_tokens = 8192                      # of an answer
#summarize.via = "llm"                  # what `summarize` runs: prompt on stdin, summary on stdout
#compact.via = "llm"                    # the same for `ask` and `chat` above the budget

[profile.gemini]                        # the model is in the URL
to = "gemini"
via = '{CURL} -H @$HOME/.codeh/gem.hdr "{GEMINI}"'

[profile.openai-responses]
to = "openai-responses"
model = "gpt-5.1"
via = '{CURL} -H @$HOME/.codeh/oai.hdr https://api.openai.com/v1/responses'
stream = true

[profile.openai-chat]                   # llama.cpp is at http://localhost:8080, LM Studio at port 1234
to = "openai-chat"
model = "gpt-5.1"
via = '{CURL} -H @$HOME/.codeh/oai.hdr https://api.openai.com/v1/chat/completions'
stream = true

[profile.anthropic]
to = "anthropic"
model = "claude-opus-4-8"
via = '{CURL} -H @$HOME/.codeh/ant.hdr https://api.anthropic.com/v1/messages'
stream = true
#set = {{ temperature = 0.2 }}            # fields of the body, for this provider alone

[profile.ollama]                        # a model on this machine
to = "ollama"
model = "llama3.2"
via = "{CURL} http://localhost:11434/api/chat"
stream = true
#calls.via = "./tool"                   # runs each tool call of `calls -p ollama` and `chat`

[profile.text]                          # any command that takes a prompt and prints an answer
to = "text"
via = "llm"
"""


class Options(Named):
    what: str | None = argument(
        "[init|check]", "Write an example, or test your configuration.",
        choices=("init", "check"), excludes=("profile", "json", "session"),
    )  # fmt: skip
    profile: str | None = PROFILE
    json: bool = JSON


def run(env: Env, options: Options) -> int:
    if options.what == "init":
        return write_example(env)
    if options.what == "check":
        return check(env)
    settings = in_session(env, options, config.layers(env, options.profile))
    rows: list[tuple[str, Any, str]] = []  # the key, its value without secrets, its source
    for key in (key for key in KEYS if key in settings):
        value, layer = settings[key]
        rows.append((key, Redactor().text(value) if key.endswith("via") else value, source_of(key, layer)))
    path, exists = config.path_of(env), config.read_config(env) is not None
    profiles = config.profiles(env)
    if options.json:
        holds = {key: {"value": value, "from": by} for key, value, by in rows}
        env.print_json({"file": path, "exists": exists, "profiles": profiles, "holds": holds})
        return 0
    state = f"profiles: {', '.join(profiles)}" if profiles else "no profile"
    lines = [f"# {path}: {state if exists else 'does not exist'}"]
    texts = [(f"{key} = {orjson.dumps(value).decode()}", by) for key, value, by in rows]
    wide = max((len(text) for text, _ in texts if len(text) <= WIDEST), default=0)
    lines += [f"{text:<{wide}}  # {by}" for text, by in texts]
    if not rows and profiles:
        lines.append("# no default; -p NAME chooses a profile")
    elif not rows:
        lines.append("# nothing is configured; `config init` writes an example")
    env.print(*map(visible, lines))
    return 0


def in_session(env: Env, options: Options, sources: list[Layer]) -> ValuesByLayer:
    """The effective settings, including the session's; a session named by CODEH_SESSION may be missing."""
    if options.session is None and "CODEH_SESSION" not in env.environ:
        return config.values_by_layer(sources)
    try:
        view = view_of(env, for_reading(env, options.session), hydrate=False)
    except NotFound:
        if options.session is not None:
            raise
        return config.values_by_layer(sources)
    meta = {key: view.meta[name] for key, name in SETTINGS.items() if view.meta.get(name)}
    if "tools" in meta:
        meta["tools"] = orjson.dumps(meta["tools"]).decode()
    session = Layer(where=f"session {view.id}", values=meta, above=True)
    settings = config.values_by_layer(sorted([*sources, session], key=lambda layer: not layer.above))
    if "to" not in settings or "model" in settings:
        return settings
    model = payload.model_for(view, settings["to"][0], None)
    return settings | ({"model": (model, session)} if model else {})


def write_example(env: Env) -> int:
    """Write the example configuration, readable only by its owner; never overwrite a file."""
    path = config.path_of(env)
    if os.path.lexists(path):
        raise BadData(f"{path}: already exists; left unchanged (`codeh-history config check` tries it)")
    new_file.write(path, TEXT.encode(), folders=True)
    env.print(path)
    env.note("add your key as the file says; then `codeh-history ask -p NAME TEXT` asks that provider")
    return 0


def check(env: Env) -> int:
    """Print a line per profile or problem; return 1 if there is a problem."""
    file, path = config.read_config(env), config.path_of(env)
    if file is None:
        raise NegativeAnswer(f"{path}: does not exist; `codeh-history config init` writes an example")
    top = Layer(where=path, values=file.top, above=False)
    tried = {"without a profile": [top]} if file.top or not file.profiles else {}
    for name, values in file.profiles.items():
        tried[name] = [Layer(where=name, values=values, above=True), top]
    if any(Redactor().finds(str(each.values.get("via", ""))) for each in chain(*tried.values())):
        env.note(f"{path}: a command contains a key, which `ps` can show; pass a file to curl: -H @FILE")
    code = 0
    for name, profile in tried.items():
        settings = config.values_by_layer(profile)
        texts = list(problems(env, settings))
        code = NegativeAnswer.exit_code if texts else code
        named = ", ".join(str(settings[key][0]) for key in ("to", "model") if key in settings)
        missing = " and ".join(f"--{key}" for key in ("to", "via") if key not in settings)
        ok = f"ok{f': {named}' if named else ''}{f'; pass {missing}' if missing else ''}"
        for text in texts or [ok]:
            env.print(visible(f"{name}: {text}"))
    return code


def problems(env: Env, settings: ValuesByLayer) -> Iterator[str]:
    """Problems of a request made with these settings."""
    for key in ("via", "summarize.via", "compact.via", "calls.via"):
        if key in settings:
            yield from (f"{key}: {problem}" for problem in wrong_with(settings[key][0]))
    if "via" in settings and "to" not in settings:
        yield "via: set `to` as well"
    try:
        request, base = config.request_of(Sending(), settings)
        to, model = request.to or "gemini", request.model or "MODEL"  # a session or flag will name them
        if to == providers.PLAIN and request.set:
            raise Usage("set: plain text has no fields")
        request = request.but(to=to, model=model)
        list(payload.body_of(env, None, "check.jsonl", request, base=base, data=_MESSAGE))
    except HistoryError as error:
        yield str(error)


def wrong_with(command: str) -> Iterator[str]:
    """Find shell syntax errors, a missing program, and missing header files of curl."""
    if _sh("-nc", command):
        yield f"sh cannot parse it: {command}"
    program = command.partition(" ")[0]
    if _PLAIN.fullmatch(program) and _sh("-c", 'command -v -- "$1"', "sh", os.path.expanduser(program)):
        yield f"{program}: no such command"
    for file in _HEADER_FILE.findall(command):
        path = os.path.expandvars(os.path.expanduser(file))
        if "$" not in path and not os.path.exists(path):
            yield f"-H @{path}: no such file"
        elif os.path.isfile(path) and _PLACEHOLDER.search(read_file(path)):
            yield f"-H @{path}: KEY is not replaced by your key"


def _sh(*words: str) -> int:
    return subprocess.run(["/bin/sh", *words], capture_output=True, check=False).returncode
