"""What requests, curation and compaction may be asked for: each option once, for every verb that takes it.

A session may say how it is curated and compacted (`set curate.remove=…`, `set compact.policy=…`); a flag is
stronger. What runs a command, reads a file or lifts a limit never comes from a session: it may be foreign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Self, dataclass_transform

import orjson

from .errors import BadData, Usage
from .input import from_file

THOUGHTS = ("keep", "old", "all")
UNANSWERED = ("error", "stub", "drop")
CURATE, COMPACT = "curate.", "compact."
FLAGS_ONLY = ("curate.remove-cmd", "curate.timeout")
_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Options:
    """Options by name; one that was not given has its default. Never changed in place.

    What a frozen dataclass is, without the milliseconds that making one takes.
    """

    DEFAULTS: ClassVar[dict[str, Any]] = {}
    TYPES: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls) -> None:
        own = cls.__annotations__
        bases = [base for base in reversed(cls.__bases__) if issubclass(base, Options)]
        cls.TYPES = {name: type for base in bases for name, type in base.TYPES.items()} | own
        cls.DEFAULTS = {name: getattr(cls, name) for name in cls.TYPES}

    def __init__(self, **given: Any) -> None:
        unknown = given.keys() - self.DEFAULTS.keys()
        if unknown:
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        vars(self).update(given)

    def but(self, **given: Any) -> Self:
        """These options, some of them otherwise."""
        return type(self)(**(vars(self) | given))

    def given(self, *names: str) -> list[str]:
        """Those of these options that were given; without names of all."""
        return [name for name in names or self.DEFAULTS if getattr(self, name) != self.DEFAULTS[name]]

    def within(self, meta: dict[str, Any], session: str, tell: Callable[[str], None]) -> Self:
        """These options; what was not given is as the session's settings say, if they say so."""
        found: dict[str, Any] = {}
        for key, value in meta.items():
            if value is None or not key.startswith((CURATE, COMPACT)):
                continue
            name = name_of(key)
            if key not in KEYS:
                tell(f"{session}: {key} is not taken from a session; {_instead(key)}")
            elif name in self.DEFAULTS and not self.given(name):
                with by_settings(session):
                    found[name] = value_of(key, value)
        return self.but(**found) if found else self


class Curation(Options):
    """How `curate` works; the same for the curation inside `payload`, `ask` and `persist`."""

    only: Sequence[str] = ()
    skip: Sequence[str] = ()
    ide_marker: Sequence[str] = ()
    keep_system: Sequence[str] = ()
    remove: Sequence[str] = ()
    remove_cmd: Sequence[str] = ()
    thoughts: str | None = None
    unanswered: str | None = None
    timeout: float | None = None


class Compaction(Options):
    """How `compact` works; the same for the compaction inside `payload`, `ask` and `persist`."""

    budget: str | None = None
    max_chars: str | None = None
    max_items: str | None = None
    keep_last: str | None = None
    policy: str | None = None
    counter: str | None = None
    calibrated: bool = False
    upload_share: float | None = None
    history_share: float | None = None


class Reduction(Compaction, Curation):
    """What is left out of a session, and how small the rest is to be."""


class Wanted(Options):
    """What a request holds besides the session's messages."""

    to: str | None = None
    model: str | None = None
    system: str | None = None
    tools: str | None = None
    set: Sequence[str] = ()
    max_tokens: int | None = None
    stream: bool = False
    raw: bool = False
    prefill: bool = False
    pretty: bool = False
    cache: bool = False
    context: bool = False
    persist: bool = False
    user_template: str | None = None
    system_template: str | None = None
    var: Sequence[str] = ()
    allow_missing: bool = False


class Request(Reduction, Wanted):
    """Everything that `payload` and `ask` may be asked for."""


def key_of(name: str) -> str:
    """The setting that an option of curation or compaction is kept under."""
    return (CURATE if name in Curation.DEFAULTS else COMPACT) + name.replace("_", "-")


def name_of(key: str) -> str:
    """The option that such a setting is for."""
    return key.partition(".")[2].replace("-", "_")


KEYS = tuple(key for name in Reduction.DEFAULTS if (key := key_of(name)) not in FLAGS_ONLY)
LISTS = tuple(key for key in KEYS if Reduction.DEFAULTS[name_of(key)] == ())


def _instead(key: str) -> str:
    return "give the flag" if key in FLAGS_ONLY else "there is no such setting"


def value_of(key: str, value: object) -> object:
    """What an option is to be by a setting; Usage where the value is none of its kind.

    Of an option that may be given more than once it is a list of texts, or one text.
    """
    kind = Reduction.TYPES[name_of(key)]
    if key in LISTS:
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str) for item in values):
            raise Usage(f"{key}: a text or a list of texts expected")
        return tuple(values)
    if isinstance(value, (list, dict)):
        raise Usage(f"{key}: one value expected")
    text = str(value).strip()
    if kind == "bool":
        if text.lower() not in _WORDS:
            raise Usage(f"{key} {text}: true or false expected")
        return _WORDS[text.lower()]
    if kind == "float | None":
        try:
            return float(text)
        except ValueError:
            raise Usage(f"{key} {text}: a number expected") from None
    return text


@contextmanager
def by_settings(session: str) -> Iterator[None]:
    """Usage in here is the fault of the session's settings: what the flags say was looked at before."""
    try:
        yield
    except Usage as error:
        raise BadData(f"{session}: by the session's settings: {error}; `set KEY=` unsets one") from None


def tools_from(value: str) -> list[dict[str, Any]]:
    """Tool declarations from `@FILE` (or JSON text), in any provider's shape."""
    try:
        tools = orjson.loads(from_file(value))
    except ValueError as error:
        raise BadData(f"--tools {value}: not JSON: {error}") from None
    if not isinstance(tools, (list, dict)):
        raise BadData(f"--tools {value}: a list of tool declarations expected")
    return beside({"tools": tools})[1]


def beside(meta: dict[str, Any]) -> tuple[str | None, list[dict[str, Any]]]:
    """The session's system prompt and tools, as `set` left them."""
    system, tools = meta.get("system"), meta.get("tools")
    items = tools if isinstance(tools, list) else [tools]
    return (system if isinstance(system, str) else None), [item for item in items if isinstance(item, dict)]
