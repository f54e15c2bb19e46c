"""Options: each is declared once, as an attribute of a class, for the command line and for other code.

From the class come what the fast lane reads, what Typer reads and prints as help, what completion offers,
and the values that a job takes. It imports nothing: what loads it must start at once.
"""

from __future__ import annotations

from .lazy import Fields

MOST_TOKENS = 1_000_000_000  # of an answer
MOST = 1e15  # of any number
PROVIDERS = (  # packages in `providers`; "text" is a transcript
    "gemini",
    "openai-chat",
    "openai-responses",
    "anthropic",
    "ollama",
    "text",
)
KINDS = ("user", "model", "tool", "error", "info")  # of messages
_BOOLS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Option(Fields):
    """How an option is spelled on the command line, what the help says of it, which values it takes."""

    metavar: str = ""
    help: str
    short: str = ""
    long: str = ""
    least: float | None = None
    most: float | None = None
    default: object = None
    positional: bool = False
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # accepted, but not listed
    excludes: tuple[str, ...] = ()  # options that it cannot be combined with
    requires: tuple[str, ...] = ()  # options of which one must be there too
    section: str = ""  # heading in the help
    rare: bool = False  # only in --help-all
    hidden: bool = False  # accepted, but has no effect

    def flags(self, name: str) -> tuple[str, ...]:
        """`--long-name` and `-l`, as far as it has them."""
        long = self.long or "--" + name.rstrip("_").replace("_", "-")
        return (long, self.short) if self.short else (long,)

    def label(self, name: str) -> str:
        """How errors call it."""
        return self.metavar.strip("[].") if self.positional else self.flags(name)[0]

    def coerce(self, type: str, value: Any, label: str) -> Any:
        """The value of a word of a command line, of a setting, or Python's own; Usage for what is none."""
        kind = type.removesuffix(" | None")
        if value is None or callable(value):
            return value
        if kind == "Sequence[str]":
            items = value if isinstance(value, (list, tuple)) else (value,)
            if not all(isinstance(item, str) or callable(item) for item in items):
                raise _wrong(f"{label}: a text or a list of texts expected")
            return [self._choice(item, label) for item in items] if self.choices else items
        if isinstance(value, (list, tuple, dict)):
            raise _wrong(f"{label}: one value expected")
        if kind == "bool":
            if str(value).lower() not in _BOOLS:
                raise _wrong(f"{label} {value}: true or false expected")
            return _BOOLS[str(value).lower()]
        if kind != "str":
            return self._number(kind, str(value), label)
        return self._choice(str(value).strip(), label) if self.choices else _text(value)

    def _number(self, kind: str, text: str, label: str) -> float:
        try:
            number = int(text) if kind == "int" else float(text)
        except ValueError:
            number = float("nan")
        least, most = self.least, self.most
        if not (-MOST if least is None else least) <= number <= (MOST if most is None else most):
            bounds = (
                "" if least is None else f" from {least} to {most}" if most else f" of at least {least}"
            )
            raise _wrong(
                f"{label} {text}: {'an integer' if kind == 'int' else 'a number'}{bounds} expected"
            )
        return number

    def _choice(self, value: str, label: str) -> str:
        if value in (*self.choices, *self.also):
            return value
        from .words import did_you_mean

        word = value if self.positional else f"{label} {value}"
        raise _wrong(f"{word}: one of {', '.join(self.choices)}{did_you_mean(value, self.choices)}")


def option(metavar: str, help: str, short: str = "", **more: Any) -> Any:
    """An option with a value; `more` are further fields of `Option`."""
    return Option(metavar=metavar, help=help, short=short, **more)


def flag(help: str, short: str = "", *, default: bool = False, **more: Any) -> Any:
    """An option without a value; one that is on by default has a `--no-…`."""
    return Option(help=help, short=short, default=default or None, **more)


def argument(metavar: str, help: str = "", **more: Any) -> Any:
    """A word that is known by its place; required unless its type has None."""
    return Option(metavar=metavar, help=help, positional=True, **more)


class OptionSet(Fields):
    """Options by name; one that was not given has its default.

    The default follows from the type where none is named: `bool` False, `Sequence[str]` empty, anything
    else None.
    """

    DEFAULTS: ClassVar[dict[str, Any]] = {}
    TYPES: ClassVar[dict[str, str]] = {}
    SPELLED: ClassVar[dict[str, Option]] = {}

    CLOSING: ClassVar[bool] = False  # whether they stand after those of the classes that take them

    def __init_subclass__(
        cls, *, without: tuple[str, ...] = (), closing: bool = False, section: str = ""
    ) -> None:
        """`section`: of the class's own options that name none."""
        cls.CLOSING = closing
        bases = [base for base in reversed(cls.__bases__) if issubclass(base, OptionSet)]
        own = {name: type for name, type in cls.__annotations__.items() if name in cls.__dict__}
        spelled = {name: cls.__dict__[name] for name in own}
        if section:
            spelled = {name: it if it.section else it.but(section=section) for name, it in spelled.items()}
        taken = [(base.TYPES, base.SPELLED) for base in bases if not base.CLOSING] + [(own, spelled)]
        taken += [(base.TYPES, base.SPELLED) for base in bases if base.CLOSING]
        cls.TYPES = {n: type for types, _ in taken for n, type in types.items() if n not in without}
        cls.SPELLED = {n: spelling for _, all in taken for n, spelling in all.items() if n not in without}
        cls.DEFAULTS = {name: _default(cls.SPELLED[name], type) for name, type in cls.TYPES.items()}
        for name in own:
            setattr(cls, name, cls.DEFAULTS[name])

    def __init__(self, **options: Any) -> None:
        unknown = options.keys() - self.DEFAULTS.keys()
        if unknown:
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        super().__init__(**{name: self.coerce(name, value) for name, value in options.items()})
        self._see_that_they_combine()

    @classmethod
    def coerce(cls, name: str, value: Any, label: str = "") -> Any:
        """The value of an option, by its declaration; `label`: what errors call it."""
        spelled = cls.SPELLED[name]
        return spelled.coerce(cls.TYPES[name], value, label or spelled.label(name))

    def _see_that_they_combine(self) -> None:
        chosen = self.specified()
        for name in chosen:
            spelled = self.SPELLED[name]
            others = [other for other in spelled.excludes if other in chosen]
            needed = [self.SPELLED[other].label(other) for other in spelled.requires if other in self.TYPES]
            if others:
                other = self.SPELLED[others[0]].label(others[0])
                raise _wrong(f"{spelled.label(name)} and {other} cannot be combined")
            if needed and not set(chosen).intersection(spelled.requires):
                raise _wrong(f"{spelled.label(name)} requires {' or '.join(needed)}")

    def specified(self, *names: str) -> list[str]:
        """Those of these options that were given; without names of all."""
        return [name for name in names or self.DEFAULTS if getattr(self, name) != self.DEFAULTS[name]]

    def part(self, takes: type[Taken]) -> Taken:
        """Those of these options that another job takes."""
        return takes(**{name: value for name, value in vars(self).items() if name in takes.DEFAULTS})


if TYPE_CHECKING:
    from typing import TypeVar

    Taken = TypeVar("Taken", bound=OptionSet)


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _wrong(why: str) -> Exception:
    from .errors import Usage

    return Usage(why)


def _default(spelled: Option, type: str) -> object:
    if spelled.default is not None:
        return spelled.default
    return False if type == "bool" else () if type.startswith("Sequence") else None


# -- what several verbs share ------------------------------------------------------------------------------

SESSION = option("SESSION", "Session id, prefix, path, @, @. or -.", "-s")
ARGUMENT = argument("[SESSION]", "The same as -s.", rare=True)
PROFILE = option("PROFILE", "Use this profile of config.toml; $CODEH_PROFILE.", "-p")
QUIET = flag("No notes on stderr.", "-q")
JSON = flag("Print one JSON value.")
JSONL = flag("Print JSON lines.", excludes=("json",))
STREAM = flag("On a terminal, print the session itself instead of a table.")
REPORT = flag("JSON lines of what changed and why, on stderr.")
IN_PLACE = flag("Append one reversible record instead of printing.", "-i")
REWRITE = flag("Replace the session's file instead of printing.", "-i")
RULES = option("FILE", "JSON object: kind, regular expression.")
VIA = option("CMD", "Shell command: body in, response out; $CODEH_VIA.")
COMPACT_VIA = option(
    "CMD", "Above 0.85 of the budget: compact -i first, with this as its --via.", rare=True
)
FILES = option("FILE|-", "Text from a file, after the -m texts.", "-F")
ALLOW_MISSING = flag("Use a placeholder for a missing or altered block.", rare=True)
STRICT = flag("Exit 65 on a damaged line instead of skipping it.")
NO_PAGER = flag("Do not use a pager.")
ENCRYPT_TO = option("AGE1...", "Encrypt to this public key (age, or SSH); repeatable.")
IDENTITY = option("FILE", "Private key to decrypt with; repeatable.")
NEW = flag("Start a new session; -s names it.")
MAX_BYTES = option("N", "Longest answer or tool output in bytes (256 MiB).", rare=True)


MESSAGE_ID = "Message id, unique prefix, or :N."


class Writing(OptionSet, closing=True):
    """What every verb that appends to a session takes."""

    session: str | None = SESSION
    quiet: bool = QUIET


class Reading(OptionSet, closing=True):
    """What every verb that reads a session takes."""

    argument: str | None = ARGUMENT
    session: str | None = SESSION
    strict: bool = STRICT
    quiet: bool = QUIET
