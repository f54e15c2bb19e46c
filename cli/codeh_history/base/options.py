"""Declare options once, as class attributes.

`main`, Typer with its help and completion, and the library all read these declarations. The module imports
almost nothing, so that commands start quickly.
"""

from __future__ import annotations

from .errors import Usage
from .lazy import Fields, Pattern

MOST_TOKENS = 1_000_000_000  # limit of `--max-tokens`
MOST = 1e15  # default limit for numbers
MOST_BYTES = 256 << 20  # default limit for an answer or a tool's output
_SCALE = {"": 1, "k": 1000, "m": 1_000_000}
_AMOUNT = Pattern(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([km]?)")
# packages in `providers`; "text" is a transcript
PROVIDERS = ("gemini", "openai-chat", "openai-responses", "anthropic", "ollama", "text")
KINDS = ("user", "model", "tool", "error", "info")  # of messages
_BOOLS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Option(Fields):
    """An option: its spelling on the command line, its help text, its values."""

    metavar: str = ""
    help: str
    short: str = ""
    long: str = ""
    type: str = ""  # the annotation of its attribute
    unit: str = ""  # of an integer that may be written as 32k
    least: float | None = None
    most: float | None = None
    default: object = None
    positional: bool = False
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # accepted but not listed
    excludes: tuple[str, ...] = ()  # options it cannot be combined with
    requires: tuple[str, ...] = ()  # options of which at least one must be present
    section: str = ""  # heading in the help
    rare: bool = False  # only in --help-all
    hidden: bool = False  # accepted, without effect

    def flags(self, name: str) -> tuple[str, ...]:
        """Return `--long-name`, and `-l` if it has a short form."""
        long = self.long or "--" + name.rstrip("_").replace("_", "-")
        return (long, self.short) if self.short else (long,)

    def label(self, name: str) -> str:
        """Return its name for error messages."""
        return self.metavar.strip("[].") if self.positional else self.flags(name)[0]

    def coerce(self, value: Any, label: str) -> Any:
        """Convert a command-line word, a setting or a Python value; raise Usage if it is invalid."""
        kind = self.type.removesuffix(" | None")
        if value is None or callable(value):
            return value
        if kind == "Sequence[str]":
            items = value if isinstance(value, (list, tuple)) else (value,)
            if not all(isinstance(item, str) or callable(item) for item in items):
                raise Usage(f"{label}: expected a string or a list of strings")
            return [self._choice(item, label) for item in items] if self.choices else items
        if isinstance(value, (list, tuple, dict)):
            raise Usage(f"{label}: takes one value; pass it once")
        if kind == "bool":
            if str(value).lower() not in _BOOLS:
                raise Usage(f"{label} {value}: expected true or false")
            return _BOOLS[str(value).lower()]
        if self.unit:
            return self._amount(str(value), label)
        if kind != "str":
            return self._number(kind, str(value), label)
        if self.choices:
            return self._choice(str(value).strip(), label)
        return value if isinstance(value, str) else str(value)

    def _amount(self, text: str, label: str) -> int:
        match = _AMOUNT.fullmatch(text.strip().lower())
        number = round(float(match[1]) * _SCALE[match[2]], 6) if match else 0
        if number < 1 or number != int(number):
            raise Usage(f"{label} {text}: expected a positive number of {self.unit} (32k is 32000)")
        return int(number)

    def _number(self, kind: str, text: str, label: str) -> float:
        least, most = self.least, self.most
        try:
            number = int(text) if kind == "int" else float(text)
        except ValueError:
            number = float("nan")
        if (-MOST if least is None else least) <= number <= (MOST if most is None else most):
            return number
        noun = "an integer" if kind == "int" else "a number"
        if least is not None:
            noun += f" from {least} to {most}" if most else f" of at least {least}"
        raise Usage(f"{label} {text}: expected {noun}")

    def _choice(self, value: str, label: str) -> str:
        if value in (*self.choices, *self.also):
            return value
        import fnmatch

        from .words import did_you_mean

        word = value if self.positional else f"{label} {value}"
        longer = fnmatch.filter(self.choices, "*".join((*value, "")))  # `md` is `markdown`
        hint = f" (did you mean {longer[0]}?)" if value and len(longer) == 1 else ""
        hint = did_you_mean(value, self.choices) or hint
        raise Usage(f"{word}: one of {', '.join(self.choices)}{hint}")


def option(metavar: str, help: str, short: str = "", **more: Any) -> Any:
    """Declare an option with a value; `more` are further fields of `Option`."""
    return Option(metavar=metavar, help=help, short=short, **more)


def amount(help: str, unit: str, **more: Any) -> Any:
    """Declare an option whose value is a positive integer, such as `32k`."""
    return Option(metavar="N", help=help, unit=unit, **more)


def flag(help: str, short: str = "", *, default: bool = False, **more: Any) -> Any:
    """Declare a flag; a flag that is on by default has a `--no-…` form."""
    return Option(help=help, short=short, default=default or None, **more)


def argument(metavar: str, help: str = "", **more: Any) -> Any:
    """Declare a positional argument, required unless its type includes None."""
    return Option(metavar=metavar, help=help, positional=True, **more)


class OptionSet(Fields):
    """A set of options by name; an omitted option has its default.

    Without an explicit default, that is False for `bool`, empty for `Sequence[str]`, otherwise None.
    """

    DECLARED: ClassVar[dict[str, Option]] = {}
    TYPES: ClassVar[dict[str, str]] = {}
    DEFAULTS: ClassVar[dict[str, Any]] = {}
    CLOSING: ClassVar[bool] = False  # whether its options come after those of subclasses

    def __init_subclass__(
        cls, *, without: tuple[str, ...] = (), closing: bool = False, section: str = ""
    ) -> None:
        """`section`: the default section of the class's own options."""
        cls.CLOSING = closing
        own: dict[str, Option] = {}
        for name, type in cls.__annotations__.items():
            if name in cls.__dict__:
                option = cls.__dict__[name]
                own[name] = option.but(type=type, section=option.section or section)
        bases = [base for base in reversed(cls.__bases__) if issubclass(base, OptionSet)]
        groups = [base.DECLARED for base in bases if not base.CLOSING]
        groups += [own, *(base.DECLARED for base in bases if base.CLOSING)]
        cls.DECLARED = {n: option for all in groups for n, option in all.items() if n not in without}
        cls.TYPES = {name: option.type for name, option in cls.DECLARED.items()}
        cls.DEFAULTS = {}
        for name, option in cls.DECLARED.items():
            omitted = False if option.type == "bool" else () if option.type.startswith("Sequence") else None
            cls.DEFAULTS[name] = omitted if option.default is None else option.default
        for name in own:
            setattr(cls, name, cls.DEFAULTS[name])

    def __init__(self, **options: Any) -> None:
        unknown = options.keys() - self.DEFAULTS.keys()
        if unknown:
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        super().__init__(**{name: self.coerce(name, value) for name, value in options.items()})
        chosen = self.specified()
        for name in chosen:
            option = self.DECLARED[name]
            others = [self.DECLARED[other].label(other) for other in option.excludes if other in chosen]
            needed = [self.DECLARED[other].label(other) for other in option.requires if other in self.TYPES]
            if others:
                raise Usage(f"{option.label(name)} and {others[0]} cannot be combined")
            if needed and not set(chosen).intersection(option.requires):
                raise Usage(f"{option.label(name)} requires {' or '.join(needed)}")

    @classmethod
    def coerce(cls, name: str, value: Any, label: str = "") -> Any:
        """Convert a value by the option's declaration; `label` is its name in errors."""
        option = cls.DECLARED[name]
        return option.coerce(value, label or option.label(name))

    def specified(self, *names: str) -> list[str]:
        """Return which of these options differ from their defaults; without names, of all options."""
        return [name for name in names or self.DEFAULTS if getattr(self, name) != self.DEFAULTS[name]]

    def part(self, takes: type[Parsed]) -> Parsed:
        """Return these options as another set, without those that it does not have."""
        return takes(**{name: value for name, value in vars(self).items() if name in takes.DEFAULTS})


if TYPE_CHECKING:
    from typing import TypeVar

    Parsed = TypeVar("Parsed", bound=OptionSet)


# -- shared by several verbs ----------------------------------------------------------------------------

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
MAX_BYTES = amount("Longest answer or tool output in bytes (256 MiB).", "bytes", rare=True)


MESSAGE_ID = "Message id, unique prefix, or :N."


class Verb(OptionSet, closing=True):
    """The option of every verb."""

    quiet: bool = QUIET


class Named(Verb, closing=True):
    """The options of every verb that takes one session."""

    session: str | None = SESSION


class Writing(Named, closing=True):
    """The options of every verb that appends to a session."""


class Reading(Verb, closing=True):
    """The options of every verb that reads a session."""

    argument: str | None = ARGUMENT
    session: str | None = SESSION
    strict: bool = STRICT
