"""Who says what holds: flags, a profile, the environment, the session, the file; the strongest first.

Without a file it costs one stat: what reads one is imported where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ..base import Any
from ..base.env import Env
from ..base.errors import HistoryError, Usage
from ..base.input import from_file
from ..base.lazy import Fields
from ..base.shared_options import COMPACT, Request, tools_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .file import Config

TOGETHER = ("to", "via", "model")
REQUEST = (*TOGETHER, "system", "tools", "budget", "max_tokens", "set", "stream")
VARIABLES = {
    "to": "CODEH_TO",
    "via": "CODEH_VIA",
    "model": "CODEH_MODEL",
    "summarize.via": "CODEH_SUMMARIZER",
}
SETTINGS = {
    "system": "system",
    "tools": "tools",
    "budget": COMPACT + "budget",
}  # of a session, which may say it
FLAGS, ENVIRONMENT, PROFILE = "flag", "environment", "CODEH_PROFILE"


class Layer(Fields):
    """What one of them says of which keys; `above` a session's settings, or beneath them."""

    where: str
    values: Mapping[str, Any]
    above: bool


Held = dict[str, "tuple[Any, Layer]"]


class Asked(Fields):
    """A request as it is to be: its options, its command, and settings to stand under the session's."""

    request: Request
    via: str | None
    under: dict[str, Any]
    said: Sequence[Layer]


def path_of(env: Env) -> str:
    """`$CODEH_CONFIG`, else `config.toml` in the home."""
    return env.environ.get("CODEH_CONFIG") or os.path.join(env.home, "config.toml")


def config(env: Env) -> Config | None:
    """What the file says; None where there is none. Usage for one that is wrong, or not only ours."""
    try:
        path = path_of(env)
        os.stat(path)
    except (Usage, FileNotFoundError, NotADirectoryError):  # Usage: no home
        return None
    except OSError:
        pass  # reading says what is wrong
    from . import file

    return file.read(path)


def profiles(env: Env) -> list[str]:
    """The names of the file's profiles."""
    found = config(env)
    return sorted(found.profiles) if found is not None else []


def layers(env: Env, profile: str | None, flags: Mapping[str, Any] | None = None) -> list[Layer]:
    """All that say something, the strongest first; Usage where a profile is not there."""
    found = config(env)
    usual = env.environ.get("CODEH_PROFILE")
    values = {key: env.environ[name] for key, name in VARIABLES.items() if env.environ.get(name)}
    said = [Layer(where=FLAGS, values=flags or {}, above=True)]
    if profile:
        said.append(Layer(where=f"-p {profile}", values=_profile(env, found, profile, "-p"), above=True))
    said.append(Layer(where=ENVIRONMENT, values=values, above=True))
    if usual:
        named = _profile(env, found, usual, PROFILE)
        said.append(Layer(where=f"{PROFILE} {usual}", values=named, above=False))
    if found is not None:
        said.append(Layer(where=found.path, values=found.top, above=False))
    return said


def _profile(env: Env, found: Config | None, name: str, by: str) -> Mapping[str, Any]:
    if found is not None and name in found.profiles:
        return found.profiles[name]
    from ..base.words import did_you_mean

    path = path_of(env)
    if found is None:
        raise Usage(f"{by} {name}: {path} does not exist; `codeh-history config init` writes an example")
    known = sorted(found.profiles)
    there = f"has {', '.join(known)}" if known else "has none"
    raise Usage(f"{by} {name}: no such profile{did_you_mean(name, known)}; {path} {there}")


def held(said: Sequence[Layer]) -> Held:
    """Each key that somebody says, as the strongest says it, and who that is.

    `to`, `via` and `model` come together. The fields of `set` are added up, the strongest for each; one
    provider's are not sent to another.
    """
    found = _together(said)
    to = found["to"][0] if "to" in found else None
    for layer in said:
        for key, value in layer.values.items():
            if key in TOGETHER or (key == "set" and layer.values.get("to", to) != to):
                continue
            if key == "set" and key in found:
                found[key] = ([*value, *found[key][0]], found[key][1])
            else:
                found.setdefault(key, (value, layer))
    return found


def _together(said: Sequence[Layer]) -> Held:
    """`to`, `via`, `model` of the first that names `to` or `via`, completed by those that go with it.

    A model alone is taken from those above it too.
    """
    found: Held = {}
    for layer in said:
        if ("to" in found or "via" in found) and not _goes_with(layer, found):
            continue
        for key in TOGETHER:
            if key in layer.values:
                found.setdefault(key, (layer.values[key], layer))
    return found


def _goes_with(layer: Layer, found: Held) -> bool:
    """Whether it speaks of the same provider, and of no other command.

    The environment says one half, a flag the other, as long as its own two do not name another provider; a
    model alone goes with whatever flags name.
    """
    to, via = layer.values.get("to"), layer.values.get("via")
    typed = layer.where == ENVIRONMENT
    if typed and to is via is None:
        return all(found[key][1].where == FLAGS for key in ("to", "via") if key in found)
    if "to" not in found:
        return typed and found["via"][1].where == FLAGS
    of_it = to == found["to"][0] or (to is None and typed and found["to"][1].where == FLAGS)
    return of_it and ("via" not in found or via == found["via"][0])


def asked(env: Env, given: Request, profile: str | None, via: str | None = None) -> Asked:
    """The request as flags and layers have it; of what a session may say otherwise, what is beneath it."""
    said = layers(env, profile, flags_of(given, via))
    found = held(said)
    request, under = request_of(given, found)
    via = found["via"][0] if "via" in found else None
    return Asked(request=request, via=via, under=under, said=said)


def request_of(given: Request, found: Held) -> tuple[Request, dict[str, Any]]:
    """The request that holds, and the settings that hold where the session has none."""
    above: dict[str, Any] = {"to": None}
    under = {}
    for key, (value, layer) in found.items():
        if key in SETTINGS and not layer.above:
            under[SETTINGS[key]] = _read(key, value)
        elif key in REQUEST and key != "via":
            above[key] = value
    return given.but(**above), under


def flags_of(given: Request, via: str | None) -> dict[str, Any]:
    """What a command line says of the keys; nothing by what is empty, but for a system prompt."""
    said = {key: getattr(given, key) for key in REQUEST if key != "via" and given.specified(key)}
    return {
        key: value
        for key, value in (*said.items(), ("via", via))
        if value or (key == "system" and key in said)
    }


def _read(key: str, value: str) -> object:
    """A setting as a session keeps it: the text of a file, not its name."""
    return from_file(value) if key == "system" else tools_from(value) if key == "tools" else value


def command(env: Env, key: str, profile: str | None, flag: str | None) -> str | None:
    """A verb's own command (`summarize.via`, `calls.via`): the flag's, else as the layers have it."""
    found = held(layers(env, profile, {key: flag} if flag else {}))
    return found[key][0] if key in found else None


def reaching(env: Env, asked: Asked) -> str:
    """The command that reaches the provider; Usage where none goes with it."""
    if asked.via is not None:
        return asked.via
    first = next((layer for layer in asked.said if layer.values.get("to")), None)
    if first is None:
        names = ", ".join(profiles(env))
        how = f"-p NAME ({names})" if names else "run `codeh-history config init`"
        raise Usage(f"no provider configured; pass --to and --via, or {how}")
    other = next((layer for layer in asked.said if layer.values.get("via")), None)
    beside = (
        f"; {who('via', other)} says how to reach {other.values.get('to', 'another')}"
        if other is not None
        else ""
    )
    raise Usage(f"--via CMD (or CODEH_VIA) says how to reach the provider{beside}")


def who(key: str, layer: Layer) -> str:
    """Who says a key, for people."""
    return VARIABLES[key] if layer.where == ENVIRONMENT else layer.where


def usual_to(env: Env) -> str | None:
    """The provider that holds without flags; None where none is named, or the file is wrong."""
    try:
        found = _together(layers(env, None))
    except HistoryError:  # whoever needs the file will say it
        return None
    return found["to"][0] if "to" in found else None


def words(env: Env, profile: str | None, to: str, via: str | None) -> tuple[list[str], list[str]]:
    """The flags that name this provider, and this command (None: any), where nothing else does."""
    try:
        found = {key: value for key, (value, _) in _together(layers(env, profile)).items()}
    except HistoryError:
        found = {}
    same = found.get("to") == to
    reached = same and "via" in found and via in (None, found["via"])
    chosen = [f"-p {profile}"] if profile else []
    return [*chosen, *([] if same else [f"--to {to}"])], [] if reached else ["--via CMD"]
