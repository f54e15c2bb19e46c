"""The sources of a request's values: flags, profiles, the environment, the session, `config.toml`.

The file names commands to run, so no one else may be able to write it. Without a file this costs one stat.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence

import orjson

from . import Any
from .env import Env
from .errors import HistoryError, Usage
from .input import from_file
from .lazy import Fields, Pattern
from .shared_options import COMPACT, Sending, tools_from
from .words import did_you_mean, suggestion

TOGETHER = ("to", "via", "model")
REQUEST = (*TOGETHER, "system", "tools", "budget", "max_tokens", "set", "stream")
KEYS = (*REQUEST, "summarize.via", "calls.via", "compact.via")  # of the file
VARIABLES = {
    "to": "CODEH_TO", "via": "CODEH_VIA", "model": "CODEH_MODEL", "summarize.via": "CODEH_SUMMARIZER",
}  # fmt: skip
SETTINGS = {"system": "system", "tools": "tools", "budget": COMPACT + "budget"}  # keys of sessions too
FLAGS, ENVIRONMENT, PROFILE = "flag", "environment", "CODEH_PROFILE"
_PROFILES = "profile"  # the tables of profiles
_IN_FOLDER = Pattern(r"[\w.+-]+/")  # beginning of a command in the file's folder or below


class Config(Fields):
    """`config.toml`: the top-level keys and those of each profile, checked; paths are absolute."""

    path: str
    top: Mapping[str, Any]
    profiles: Mapping[str, Mapping[str, Any]]


class Layer(Fields):
    """The values of one source; `above`: whether they take precedence over the session's settings."""

    where: str
    values: Mapping[str, Any]
    above: bool


ValuesByLayer = dict[str, "tuple[Any, Layer]"]


class ResolvedRequest(Fields):
    """A request, the command that sends it, and the defaults for the session's settings (`base`)."""

    request: Sending
    via: str | None
    base: dict[str, Any]
    layers: Sequence[Layer]


def path_of(env: Env) -> str:
    """Return `$CODEH_CONFIG`, else `config.toml` in the home."""
    return env.environ.get("CODEH_CONFIG") or os.path.join(env.home, "config.toml")


def read_config(env: Env) -> Config | None:
    """Read the file, or return None if there is none; Usage if it is invalid or writable by others."""
    try:
        path = path_of(env)
        os.stat(path)
    except (Usage, FileNotFoundError, NotADirectoryError):  # Usage: no home
        return None
    except OSError:
        pass  # `read` reports the error
    return read(path)


def profiles(env: Env) -> list[str]:
    """Return the names of the file's profiles."""
    file = read_config(env)
    return sorted(file.profiles) if file is not None else []


def layers(env: Env, profile: str | None, flags: Mapping[str, Any] | None = None) -> list[Layer]:
    """Return all layers in order of precedence; raise Usage for an empty flag or an unknown profile."""
    for key, value in {"-p": profile, **(flags or {})}.items():
        if value == "" and key != "system":  # an unset variable must not select another provider
            name = key if key == "-p" else f"--{key.rpartition('.')[2]}"
            raise Usage(f"{name}: an empty value; leave it out to use the configured one")
    file, usual = read_config(env), env.environ.get("CODEH_PROFILE")
    variables = {key: env.environ[name] for key, name in VARIABLES.items() if env.environ.get(name)}
    result = [Layer(where=FLAGS, values=flags or {}, above=True)]
    if profile:
        result.append(_profile(env, file, profile, "-p", above=True))
    result.append(Layer(where=ENVIRONMENT, values=variables, above=True))
    if usual:
        result.append(_profile(env, file, usual, PROFILE, above=False))
    if file is not None:
        result.append(Layer(where=file.path, values=file.top, above=False))
    return result


def _profile(env: Env, file: Config | None, name: str, by: str, *, above: bool) -> Layer:
    where = f"{by} {name}"
    if file is None:
        path = path_of(env)
        raise Usage(f"{where}: {path} does not exist; `codeh-history config init` writes an example")
    if name not in file.profiles:
        names = f"has {', '.join(sorted(file.profiles)) or 'none'}"
        raise Usage(f"{where}: no such profile{did_you_mean(name, file.profiles)}; {file.path} {names}")
    return Layer(where=where, values=file.profiles[name], above=above)


def values_by_layer(layers: Sequence[Layer]) -> ValuesByLayer:
    """Return each key's value and layer: the first layer that has the key.

    `to`, `via` and `model` come from the first layer with `to` or `via`, and from compatible ones. The
    fields of `set` are combined, with the first layer's taking precedence; a layer for another provider
    adds none.
    """
    result: ValuesByLayer = {}
    for layer in layers:  # a layer before the first with `to` or `via` may provide the model
        if ("to" not in result and "via" not in result) or _is_compatible(layer, result):
            for key in TOGETHER:
                if key in layer.values:
                    result.setdefault(key, (layer.values[key], layer))
    to = result["to"][0] if "to" in result else None
    for layer in layers:
        for key, value in layer.values.items():
            if key in TOGETHER or (key == "set" and layer.values.get("to", to) != to):
                continue
            if key == "set" and key in result:
                result[key] = ([*value, *result[key][0]], result[key][1])
            else:
                result.setdefault(key, (value, layer))
    return result


def _is_compatible(layer: Layer, result: ValuesByLayer) -> bool:
    """Return whether a layer names the same provider, and no other command.

    The environment may add the command to a flag's provider, or the reverse, unless its own values name
    another provider; a model alone is compatible with any flags.
    """
    to, via = layer.values.get("to"), layer.values.get("via")
    environment = layer.where == ENVIRONMENT
    if environment and to is via is None:
        return all(result[key][1].where == FLAGS for key in ("to", "via") if key in result)
    if "to" not in result:
        return environment and result["via"][1].where == FLAGS
    same = to == result["to"][0] or (to is None and environment and result["to"][1].where == FLAGS)
    return same and ("via" not in result or via == result["via"][0])


def resolve(env: Env, request: Sending, profile: str | None, via: str | None = None) -> ResolvedRequest:
    """Combine the flags and the layers into a request."""
    flags = {key: getattr(request, key) for key in REQUEST if key != "via" and request.specified(key)}
    flags["via"] = via
    flags = {key: value for key, value in flags.items() if value or value == ""}
    all_layers = layers(env, profile, flags)
    values = values_by_layer(all_layers)
    request, base = request_of(request, values)
    command = values["via"][0] if "via" in values else None
    return ResolvedRequest(request=request, via=command, base=base, layers=all_layers)


def request_of(request: Sending, values: ValuesByLayer) -> tuple[Sending, dict[str, Any]]:
    """Return the request with these values, and the defaults for the session's settings."""
    above: dict[str, Any] = {"to": None}
    base = {}
    for key, (value, layer) in values.items():
        if key in SETTINGS and not layer.above:  # as a session stores it: a file's content, not its path
            read = {"system": from_file, "tools": tools_from}.get(key)
            base[SETTINGS[key]] = read(value) if read else value
        elif key in REQUEST and key != "via":
            above[key] = value
    return request.but(**above), base


def command(env: Env, key: str, profile: str | None, flag: str | None) -> str | None:
    """Return the command of a verb (`summarize.via`, `calls.via`): from the flag, else from the layers."""
    values = values_by_layer(layers(env, profile, {} if flag is None else {key: flag}))
    return values[key][0] if key in values else None


def command_to_send(env: Env, resolved: ResolvedRequest) -> str:
    """Return the command that sends the request; raise Usage if there is none for its provider."""
    if resolved.via is not None:
        return resolved.via
    if resolved.request.to is not None:
        raise Usage(
            f"no command for {resolved.request.to}; pass --via CMD, or set CODEH_TO and CODEH_VIA together"
        )
    names = ", ".join(profiles(env))
    how = f"-p NAME ({names})" if names else "run `codeh-history config init`"
    raise Usage(f"no provider configured; pass --to and --via, or {how}")


def source_of(key: str, layer: Layer) -> str:
    """Return a printable name for the source of a key."""
    return VARIABLES[key] if layer.where == ENVIRONMENT else layer.where


def defaults(env: Env, profile: str | None = None) -> dict[str, Any]:
    """Return the values without flags; empty if the file is invalid."""
    try:
        return {key: value for key, (value, _) in values_by_layer(layers(env, profile)).items()}
    except HistoryError:
        return {}


def flags_for(env: Env, profile: str | None, to: str, via: str | None) -> tuple[list[str], list[str]]:
    """Return the flags that select this provider and command (None: any), unless they are the defaults."""
    usual = defaults(env, profile)
    same = usual.get("to") == to
    has_command = same and "via" in usual and via in (None, usual["via"])
    provider = ([f"-p {profile}"] if profile else []) + ([] if same else [f"--to {to}"])
    return provider, [] if has_command else ["--via CMD"]


# -- the file ------------------------------------------------------------------------------------------


def read(path: str) -> Config:
    """Read the file; raise Usage if it is invalid, or if another user owns it or can write it."""
    import tomllib

    with open(path, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as file:
        if path != os.devnull:
            _check_owner(path, os.fstat(file.fileno()))
        try:
            data = tomllib.loads(file.read().decode("utf-8-sig"))
        except ValueError as error:
            raise Usage(f"{path}: {error}") from None
    profiles = data.pop(_PROFILES, {})
    if not isinstance(profiles, dict) or not all(isinstance(table, dict) for table in profiles.values()):
        example = "expected tables, such as [profile.local]; CODEH_PROFILE names the default"
        raise Usage(f"{path}: {_PROFILES}: {example}")
    return Config(
        path=path,
        top=_checked(path, "", data),
        profiles={
            name: _checked(path, f"[{_PROFILES}.{name}] ", table) for name, table in profiles.items()
        },
    )


def _check_owner(path: str, file: os.stat_result) -> None:
    """Raise Usage if another user could have written or replaced the file."""
    from shlex import quote

    folder = os.stat(os.path.dirname(os.path.realpath(path)))
    if not stat.S_ISREG(file.st_mode):
        raise Usage(f"{path}: not a file")
    if file.st_uid != os.geteuid():
        problem, fix = "it belongs to another user", "copy it, or name yours by CODEH_CONFIG"
    elif file.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        problem, fix = "others may write it", f"`chmod go-w {quote(path)}`"
    elif folder.st_mode & stat.S_IWOTH and not folder.st_mode & stat.S_ISVTX:
        problem, fix = "others may replace it", f"`chmod o-w {quote(os.path.dirname(path) or '.')}`"
    else:
        return
    raise Usage(f"{path}: not read: {problem}; it names commands, so only its owner may write it: {fix}")


def _checked(path: str, table: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table's values by key, converted for their options; raise Usage for an invalid one."""
    folder = os.path.dirname(os.path.abspath(path))
    groups = {key.partition(".")[0] for key in KEYS if "." in key}
    values: dict[str, Any] = {}
    for key, value in data.items():
        in_group = key in groups and isinstance(value, dict)
        values |= {f"{key}.{name}": inner for name, inner in value.items()} if in_group else {key: value}
    for key, value in values.items():
        where = f"{path}: {table}{key}"
        if key not in KEYS:
            others = f"one of {', '.join(KEYS)}"
            raise Usage(f"{where}: no such key; {suggestion(key, KEYS, others)}")
        try:
            values[key] = _value(key, value, folder)
        except (Usage, TypeError) as error:  # TypeError: not JSON, such as an integer above 64 bits
            raise Usage(f"{where}: {error}") from None
        if key in Sending.TYPES:
            values[key] = Sending.coerce(key, values[key], where)
    return values


def _value(key: str, value: Any, folder: str) -> Any:
    """Return a key's value in its option's form; relative paths start from the file's folder."""
    if key in ("to", "max_tokens", "stream", "budget"):
        return value
    if key == "set":  # a list of PATH=JSON, or a table of paths and values
        if isinstance(value, dict):
            return [f"{path}={orjson.dumps(inner).decode()}" for path, inner in _paths(value)]
        if not isinstance(value, list) or not all(isinstance(it, str) and "=" in it[1:] for it in value):
            raise Usage('expected a table of fields, or a list of "PATH=JSON"')
        return value
    if key == "tools" and isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return orjson.dumps(value).decode()
    if not isinstance(value, str) or not (value or key == "system"):
        raise Usage("expected a string")
    if key.endswith("via") and _IN_FOLDER.match(value):
        from shlex import quote

        return f"{quote(folder)}/{value.removeprefix('./')}"
    if key == "tools" or (key == "system" and value.startswith("@")):
        return f"@{os.path.join(folder, os.path.expanduser(value.removeprefix('@')))}"
    return value


def _paths(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _paths(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value
