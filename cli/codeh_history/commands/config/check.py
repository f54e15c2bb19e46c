"""`config check`: whether each profile could send, found out without sending."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ... import providers
from ...base.env import Env
from ...base.errors import HistoryError, NegativeAnswer, Usage
from ...base.escape import visible
from ...base.shared_options import Request
from ...config import layers
from ...config.layers import Layer
from ...filters.redact.redactor import Redactor
from ...send import payload
from ...session.model import Json
from ...session.records import VERSION, dumps

_PLAIN = re.compile(r"[\w./~+-]+")
_HEADER_FILE = re.compile(r"""(?:-H|--header) ["']?@([^\s"'|;&]+)""")
_MODEL = "MODEL"  # what a trial asks where only the session or a flag says which


def run(env: Env) -> int:
    """A line for each profile, and each problem; 1 where there is one."""
    config, path = layers.config(env), layers.path_of(env)
    if config is None:
        raise NegativeAnswer(f"{path}: does not exist; `codeh-history config init` writes an example")
    top = Layer(where=path, values=config.top, above=False)
    tried = {
        name: [Layer(where=name, values=values, above=True), top]
        for name, values in config.profiles.items()
    }
    if config.top or not tried:
        tried = {"without a profile": [top], **tried}
    if any(Redactor().finds(str(each.values.get("via", ""))) for each in chain(*tried.values())):
        env.note(
            f"{path}: a key stands in a command, where `ps` shows it; curl reads one from a file: -H @FILE"
        )
    wrong = {name: list(problems(env, profile)) for name, profile in tried.items()}
    for name, profile in tried.items():
        for text in wrong[name] or [_summary(profile)]:
            env.write(f"{visible(f'{name}: {text}')}\n".encode())
    return NegativeAnswer.exit_code if any(wrong.values()) else 0


def _summary(profile: Sequence[Layer]) -> str:
    """What a profile without problems sets, and what it leaves to the command line."""
    values = {key: value for key, (value, _) in layers.held(profile).items()}
    named = ", ".join(str(values[key]) for key in ("to", "model") if key in values)
    missing = " and ".join(f"--{key}" for key in ("to", "via") if key not in values)
    return "; ".join(filter(None, (f"ok: {named}" if named else "ok", missing and f"pass {missing}")))


def problems(env: Env, profile: Sequence[Layer]) -> Iterator[str]:
    """What would be wrong with a request of these layers."""
    named = {key: value for key, (value, _) in layers.held(profile).items()}
    for key in ("via", "summarize.via", "compact.via", "calls.via"):
        if key in named:
            yield from (f"{key}: {problem}" for problem in wrong_with(named[key]))
    if "via" in named and "to" not in named:
        yield "via: no `to` says what it takes"
    try:
        _built(env, profile, named)
    except HistoryError as error:
        yield str(error)


def _built(env: Env, profile: Sequence[Layer], named: Mapping[str, Any]) -> None:
    """Make a request of one message as it would be sent."""
    request, under = layers.request_of(Request(), layers.held(profile))
    request = request.but(to=named.get("to", "gemini"), model=named.get("model", _MODEL))
    if request.to == providers.PLAIN and request.set:
        raise Usage("set: plain text has no fields")
    now, parts = env.now(), [{"text": "Hello."}]
    header: Json = {"type": "session", "version": VERSION, "id": "check", "created": now}
    message = {"type": "message", "id": "m", "ts": now, "kind": "user", "role": "user", "parts": parts}
    data = b"".join(dumps(record) + b"\n" for record in (header, message))
    for _ in payload.body_of(env, None, "check.jsonl", request, under=under, data=data):
        pass


def wrong_with(command: str) -> Iterator[str]:
    """What the shell could not read, the first program if it is not there, and files of curl's headers."""
    if _sh("-nc", command):
        yield f"not a command that sh can read: {command}"
    program = command.partition(" ")[0]
    if _PLAIN.fullmatch(program) and _sh("-c", 'command -v -- "$1"', "sh", os.path.expanduser(program)):
        yield f"{program}: no such command"
    for file in _HEADER_FILE.findall(command):
        path = os.path.expandvars(os.path.expanduser(file))
        if "$" not in path and not os.path.exists(path):
            yield f"-H @{path}: no such file"


def _sh(*words: str) -> int:
    """The exit code of the shell; nothing of a command is run."""
    return subprocess.run(["/bin/sh", *words], capture_output=True, check=False).returncode
