"""The command line by Typer, with help; the modules in `commands` declare the verbs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import cleandoc
from typing import Any

import typer
from typer import _click as click  # Typer 0.28 includes its own Click; the version is pinned
from typer._click.exceptions import NoSuchOption, UsageError
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from . import base
from .base.env import Env, unwind
from .base.errors import Usage
from .base.options import Option, OptionSet
from .base.words import closest
from .commands import COMMANDS, COMPLETE, FIRST, HOMES, SECTIONS, SHOWN, module_of

EXAMPLES = """\
  codeh-history append "Why is the sky blue?"     # starts a session here
  codeh-history payload --to gemini               # its request body, for curl
  codeh-history config init                       # once: then add your key
  codeh-history ask -p gemini "And at sunset?"    # sends it, stores the answer
  codeh-history show
"""

OTHER_NAMES = {  # verbs, and the names of similar ones in other programs
    "append": "new add say", "ask": "send prompt continue resume retry", "chat": "talk repl",
    "compact": "shrink compress", "config": "models", "config init": "init keys", "export": "save",
    "curate --only pairs,invalid": "fix", "fork": "copy branch clone checkout", "import": "load",
    "list": "sessions ls lst", "rescue": "recover", "rm": "delete remove del", "rm --restore": "restore",
    "search": "grep find", "set tags=TAGS": "tag", "set title=TEXT": "title mv rename",
    "show": "messages cat view log logs history get", "stats": "tokens count", "status": "info",
    "sync": "push pull", "undo": "reset", "update": "edit", "usage": "cost costs", "verify": "check",
    "--version": "version",
}  # fmt: skip
ONLY = "the session is the only argument"  # hint for a stray argument
NONE = "the session is -s SESSION"
TAKE_TEXT = ("append", "ask", "search")


class Command(TyperCommand):
    """A verb, with its module's options, help that begins with examples, and one-line usage errors."""

    everything = False  # whether the help lists every option

    def __init__(self, verb: str) -> None:
        self.module = module_of(verb)
        self.takes: type[OptionSet] = self.module.Options
        params = [parameter(self.takes, name, verb) for name in self.takes.DECLARED]
        super().__init__(
            verb, help=cleandoc(self.module.__doc__ or ""), params=[*params, HELP, HELP_ALL],
            add_help_option=False, rich_markup_mode=None,
        )  # fmt: skip

    def invoke(self, ctx: click.Context) -> int:
        env: Env = ctx.obj
        options = self.takes(**words(self.takes, ctx.params))
        env.quiet = env.quiet or bool(ctx.params.get("quiet"))
        return self.module.run(env, options) or 0

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("Examples:\n" + self.module.EXAMPLES + "\n")
        super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by section; rare ones, and those of other verbs, only with `--help-all`."""
        sections: dict[str, list[tuple[str, str]]] = {}
        further: set[str] = set()  # the verbs whose options are omitted
        for param in self.params:
            spelled = self.takes.DECLARED.get(str(param.name), Option(help=""))
            rows = sections.setdefault(spelled.section or "Options", [])
            home = HOMES.get(spelled.section, str(self.name))
            is_further = spelled.rare or home != self.name
            if is_further and param.param_type_name == "option":
                further.add(home)
            if (self.everything or not is_further) and (record := param.get_help_record(ctx)):
                rows.append(record)
        if further:
            others = " and ".join(sorted(further - {self.name}, reverse=True))
            more = f", also those of {others}" if others else ""
            sections["Options"].append(("--help-all", f"Show all options{more}."))
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(TyperGroup):
    """The verbs, each imported on first use."""

    everything = False  # whether the help lists every command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(SHOWN)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            return Command(cmd_name)
        if cmd_name.startswith("-") or ctx.resilient_parsing:
            return None
        others = (verb for verb, names in OTHER_NAMES.items() if cmd_name in names.split())
        meant = next(others, None) or closest(cmd_name, COMMANDS)
        hint = f"did you mean `codeh-history {meant}`?" if meant else "see codeh-history --help"
        raise Usage(f"{cmd_name}: no such command; {hint}")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Treat `help VERB` as `VERB --help`; `help --all` lists every command."""
        if args[:1] == ["help"]:
            verbs = [arg for arg in args[1:] if not arg.startswith("-")]
            args = [*verbs[:1], "--help-all" if "--all" in args or "--help-all" in args else "--help"]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("Examples:\n" + EXAMPLES + "\n")
        super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands; the global options only with `--all`."""
        if self.everything:
            super().format_options(ctx, formatter)
        else:
            self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        sections = SECTIONS if self.everything else {"Commands": FIRST}
        for section, names in sections.items():
            with formatter.section(section):
                helps = (str(Command(name).help).partition("\n\n")[0] for name in names)
                rows = [(name, help.replace("\n", " ")) for name, help in zip(names, helps, strict=True)]
                formatter.write_dl(rows, col_max=12)
        if not self.everything:
            formatter.write_paragraph()
            formatter.write("All commands: codeh-history help --all\n")


def words(takes: type[OptionSet], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words by option; a non-repeatable option has a single word, unless it was repeated."""

    def word(name: str, value: Any) -> Any:
        single = type(value) is tuple and len(value) == 1 and not takes.TYPES[name].startswith("Sequence")
        return value[0] if single else value

    return {name: word(name, value) for name, value in params.items() if value not in (None, ())}


def parameter(takes: type[OptionSet], name: str, verb: str) -> click.Parameter:
    """Make an option's Click parameter, which keeps words; `OptionSet` converts them to values."""
    spelled, type, default = takes.DECLARED[name], takes.TYPES[name], takes.DEFAULTS[name]

    def complete(ctx: click.Context, _args: list[str], _incomplete: str) -> list[str]:
        from .commands.completion import candidates

        return candidates(ctx.obj, verb, spelled, [name for name, value in ctx.params.items() if value])

    common: Any = {"metavar": spelled.metavar or None, "help": spelled.help or None,
                   "hidden": spelled.hidden, "autocompletion": complete}  # fmt: skip
    if spelled.positional:
        nargs = -1 if type.startswith("Sequence") else 1
        return TyperArgument(param_decls=[name], nargs=nargs, required="None" not in type, **common)
    names = [f"--{name}/--no-{name}"] if default is True else [*spelled.flags(name)]
    if type == "bool":
        return TyperOption(param_decls=[name, *names], is_flag=True, default=default, **common)
    shown = [str(default)] if default else None
    return TyperOption(
        param_decls=[name, *names], multiple=True, default=shown, show_default=True, **common
    )


def _printed(names: list[str], text: Callable[[click.Context], str], **more: Any) -> TyperOption:
    """Make an option that prints a text by `Env.write`: a full disk is 74, a closed pipe 141."""

    def write(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        if value and not ctx.resilient_parsing:
            command: Any = ctx.command
            command.everything = command.everything or "--help-all" in param.opts
            ctx.obj.write(f"{text(ctx)}\n".encode())
            raise typer.Exit

    return TyperOption(
        param_decls=names, is_flag=True, is_eager=True, expose_value=False, callback=write, **more
    )


HELP = _printed(["-h", "--help"], lambda ctx: ctx.get_help(), help="Show this message and exit.")
HELP_ALL = _printed(["--help-all"], lambda ctx: ctx.get_help(), hidden=True)
VERSION = _printed(["--version"], lambda _: f"codeh-history {base.VERSION}")


def group() -> Group:
    """Return the command with all verbs."""
    return Group(
        help="Keep conversations with LLMs as plain files, and build requests from them.",
        params=[VERSION, HELP, HELP_ALL], add_help_option=False, rich_markup_mode=None,
    )  # fmt: skip


def options_of(argv: list[str]) -> dict[str, Any] | None:
    """Return the options of a command line by name; None if it is invalid."""
    if not argv or argv[0] not in COMMANDS:
        return None
    try:
        params = Command(argv[0]).make_context(argv[0], argv[1:], resilient_parsing=True).params
        return words(module_of(argv[0]).Options, params)
    except UsageError:
        return None


def run(argv: list[str], env: Env) -> int:
    """Run a command line and return its exit code; usage errors become one line."""
    unwind()
    if COMPLETE in env.environ:
        from typer._completion_classes import completion_init

        completion_init()
    try:
        code = group().main(
            args=argv or ["--help"], prog_name="codeh-history", obj=env, standalone_mode=False
        )
    except typer.Abort:
        return 130
    except UsageError as error:
        text = error.format_message().rstrip(".").replace("\n", " ")
        if argv[0] not in COMMANDS:
            hint = "; put options after the command" if isinstance(error, NoSuchOption) else ""
            raise Usage(f"{text}{hint} (codeh-history --help)") from None
        command = Command(argv[0])
        hint = f" (codeh-history {command.name} --help)"
        if text.startswith("Got unexpected extra argument"):
            takes_one = any(each.param_type_name == "argument" for each in command.params)
            hint = f"; {getattr(command.module, 'STRAY', ONLY if takes_one else NONE)}"
        elif isinstance(error, NoSuchOption) and not error.possibilities and command.name in TAKE_TEXT:
            hint += "; put -- before a text that begins with -"
        raise Usage(f"{command.name}: {text}{hint}") from None
    return code if isinstance(code, int) else 0
