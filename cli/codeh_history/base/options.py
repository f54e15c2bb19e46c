"""Options: each is declared once, as an attribute of a class, for the command line and for other code.

From the class come what the fast lane reads, what Typer reads and prints as help, what completion offers,
and the values that a job takes. It imports nothing: what loads it must start at once.
"""

from __future__ import annotations

from .lazy import Fields

MOST_TOKENS = 1_000_000_000  # of an answer
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Option(Fields):
    """How an option is spelled on the command line, and what the help says of it."""

    metavar: str = ""
    help: str
    short: str = ""
    long: str = ""
    least: float | None = None
    most: float | None = None
    default: object = None
    positional: bool = False
    choices: tuple[str, ...] = ()
    section: str = ""  # heading in the help
    rare: bool = False  # only in --help-all
    hidden: bool = False  # accepted, but has no effect

    def flags(self, name: str) -> tuple[str, ...]:
        """`--long-name` and `-l`, as far as it has them."""
        long = self.long or "--" + name.rstrip("_").replace("_", "-")
        return (long, self.short) if self.short else (long,)

    def check(self, name: str, value: object) -> None:
        """Usage for a value that is none of the choices."""
        if self.choices and value is not None and value not in self.choices:
            from .errors import Usage
            from .words import did_you_mean

            given = f"{value}" if self.positional else f"{self.flags(name)[0]} {value}"
            raise Usage(
                f"{given}: one of {', '.join(self.choices)}{did_you_mean(str(value), self.choices)}"
            )


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

    def __init__(self, **given: Any) -> None:
        unknown = given.keys() - self.DEFAULTS.keys()
        if unknown:
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        for name, value in given.items():
            self.SPELLED[name].check(name, value)
        super().__init__(**given)

    def specified(self, *names: str) -> list[str]:
        """Those of these options that were given; without names of all."""
        return [name for name in names or self.DEFAULTS if getattr(self, name) != self.DEFAULTS[name]]

    def one_of(self, said: str, *names: str) -> None:
        """Usage where several of these options were given, which are `said` to people so."""
        if len(self.specified(*names)) > 1:
            from .errors import Usage

            raise Usage(f"{said} cannot be combined")

    def part(self, takes: type[Taken]) -> Taken:
        """Those of these options that another job takes."""
        return takes(**{name: value for name, value in vars(self).items() if name in takes.DEFAULTS})


if TYPE_CHECKING:
    from typing import TypeVar

    Taken = TypeVar("Taken", bound=OptionSet)


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
JSONL = flag("Print JSON lines.")
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
