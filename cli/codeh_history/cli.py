"""The command line as Typer reads it, with help: each verb as its module in `commands` declares it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer
from typer import _click as click  # Typer 0.28 carries its own Click; the range is pinned
from typer._click.exceptions import NoSuchOption, UsageError
from typer.core import TyperCommand, TyperGroup, TyperOption

from . import __version__
from .base.env import Env, unwind
from .base.errors import Usage
from .base.options import Option, OptionSet
from .base.words import near
from .commands import COMMANDS, COMPLETE, FIRST, HOMES, SECTIONS, SHOWN, module_of

HELP = {"help_option_names": ["-h", "--help"]}
EXAMPLES = """\
  codeh-history append "Why is the sky blue?"     # starts a session here
  codeh-history payload --to gemini               # its request body, for curl
  codeh-history config init                       # once: then add your key
  codeh-history ask -p gemini "And at sunset?"    # sends it, stores the answer
  codeh-history show
"""

OWN = ("-h", "--help", "--help-all", "--version", "--")
OTHER_NAMES = {  # what others call a verb, or something like it
    "sessions": "list", "ls": "list", "lst": "list", "messages": "show", "cat": "show", "view": "show",
    "log": "show", "history": "show", "delete": "rm", "remove": "rm", "del": "rm",
    "restore": "rm --restore", "grep": "search", "find": "search",
    "new": "append", "add": "append", "say": "append", "send": "ask",
    "prompt": "ask", "continue": "ask", "resume": "ask", "retry": "ask", "talk": "chat", "repl": "chat",
    "cost": "usage", "costs": "usage", "tokens": "stats", "count": "stats", "info": "status",
    "copy": "fork", "branch": "fork", "edit": "update", "shrink": "compact", "compress": "compact",
    "fix": "curate --only pairs,invalid", "check": "verify", "recover": "rescue", "title": "set title=TEXT",
    "save": "export", "load": "import", "get": "show", "rename": "set title=TEXT", "version": "--version",
}  # fmt: skip
OTHER_OPTIONS = {"--format": "--to", "--out": "--output"}
ONLY = "the session is the only argument"  # what to say of an argument too many
NONE = "the session is -s SESSION"


class Command(TyperCommand):
    """A command whose help begins with examples and whose usage errors are one line."""

    examples = ""
    stray = ""
    declared: Mapping[str, Option] = {}
    everything = False  # whether the help has every option

    @property
    def summary(self) -> str:
        """What it does, in a line or two."""
        return (self.help or "").split("\n\n")[0].replace("\n", " ")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except NoSuchOption as error:
            meant = OTHER_OPTIONS.get(error.option_name, "")
            if any(meant in param.opts for param in self.params):
                error.possibilities = [meant]
            raise

    def get_help_option(self, ctx: click.Context) -> TyperOption | None:
        return _printed(super().get_help_option(ctx))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), HELP_ALL]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            formatter.write("Examples:\n" + self.examples.rstrip("\n") + "\n\n")
        super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options by section; those of other verbs and the rare ones only with `--help-all`."""
        sections = self.sections(ctx).items()
        further = {
            HOMES.get(title, "")
            for title, params in sections
            for param in params
            if self._is_further(title, param) and param.param_type_name == "option"
        }
        for title, params in sections:
            shown = [param for param in params if self.everything or not self._is_further(title, param)]
            rows = [record for param in shown if (record := param.get_help_record(ctx))]
            if title == "Options" and further:
                others = " and ".join(sorted(further - {""}, reverse=True))
                rows.append(("--help-all", f"Show all options{others and f', also those of {others}'}."))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def sections(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """The parameters by the heading that they stand under, "Options" last."""
        groups: dict[str, list[click.Parameter]] = {}
        for param in self.get_params(ctx):
            spelled = self.declared.get(str(param.name))
            groups.setdefault((spelled.section if spelled else "") or "Options", []).append(param)
        return {**groups, "Options": groups.pop("Options")}

    def _is_further(self, title: str, param: click.Parameter) -> bool:
        spelled = self.declared.get(str(param.name))
        return HOMES.get(title, self.name) != self.name or (spelled is not None and spelled.rare)


class Group(TyperGroup):
    """The verbs, each imported when it is named."""

    everything = False  # whether the help has every command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(SHOWN)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return load(cmd_name) if cmd_name in COMMANDS else None

    def get_help_option(self, ctx: click.Context) -> TyperOption | None:
        return _printed(super().get_help_option(ctx))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`help VERB` is `VERB --help`; `help --all` lists every command."""
        if args and args[0] in ("help", "--help-all"):
            everything = "--all" in args or "--help-all" in args
            verbs = [arg for arg in args[1:] if arg not in ("--all", "--help-all")][:1]
            self.everything = everything
            return super().parse_args(ctx, [*verbs, "--help-all" if verbs and everything else "--help"])
        verb = next((arg for arg in args if arg in COMMANDS and not ctx.resilient_parsing), None)
        if verb is not None and args[0].startswith("-") and args[0] not in OWN:
            option = args[0].partition("=")[0]
            raise Usage(f"{option}: put options after the command: `codeh-history {verb} … {option} …`")
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            meant = OTHER_NAMES.get(args[0]) or near(args[0], COMMANDS)
            say = f"did you mean `codeh-history {meant}`?" if meant else "see codeh-history --help"
            raise Usage(f"{args[0]}: no such command; {say}")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("Examples:\n" + EXAMPLES + "\n")
        super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands; the options, which every program has, only with `--all`."""
        if self.everything:
            super().format_options(ctx, formatter)
        else:
            self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        sections = SECTIONS if self.everything else {"Commands": FIRST}
        for section, names in sections.items():
            with formatter.section(section):
                formatter.write_dl([(name, load(name).summary) for name in names], col_max=12)
        if not self.everything:
            formatter.write_paragraph()
            formatter.write("All commands: codeh-history help --all\n")


def load(name: str) -> Command:
    """The Typer command of a verb, with the options that its module declares."""
    module = module_of(name)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, cls=Command, help=module.__doc__, context_settings=HELP)(called(module))
    built: Any = typer.main.get_command(app)
    command: Command = built
    command.name = name
    command.examples = getattr(module, "EXAMPLES", "")
    command.declared = module.Options.SPELLED
    takes_one = any(each.param_type_name == "argument" for each in command.params)
    command.stray = getattr(module, "STRAY", ONLY if takes_one else NONE)
    return command


def called(module: Any) -> Callable[..., int]:
    """A function with the parameters that Typer makes options of."""
    takes: type[OptionSet] = module.Options

    def run(ctx: click.Context, **options: Any) -> int:
        env: Env = ctx.obj
        env.quiet = env.quiet or bool(options.get("quiet"))
        return module.run(env, takes(**words(takes, options))) or 0

    parameters = [Parameter("ctx", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    parameters += [parameter(takes, name) for name in takes.SPELLED]
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def words(takes: type[OptionSet], params: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a command line by option; more than one of an option of one word stay a list."""
    single = {name for name, type in takes.TYPES.items() if not type.startswith("Sequence")}
    return {
        name: value[0] if name in single and isinstance(value, list | tuple) and len(value) == 1 else value
        for name, value in params.items()
        if value is not None
    }


def parameter(takes: type[OptionSet], name: str) -> Parameter:
    """An option as Typer takes it from a signature: a flag, or words, which `OptionSet` makes values of."""
    spelled, declared, default = takes.SPELLED[name], takes.TYPES[name], takes.DEFAULTS[name]
    single = spelled.positional and not declared.startswith("Sequence")
    type: Any = bool if declared == "bool" else str | None if single else list[str] | None

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:  # noqa: ARG001 - Typer looks for it
        from .commands.completion import candidates

        before = [name for name, value in ctx.params.items() if value]
        return candidates(ctx.obj, str(ctx.info_name), spelled, before)

    metavar, help = spelled.metavar or None, spelled.help or None
    if spelled.positional:
        as_typer = typer.Argument(show_default=False, metavar=metavar, help=help, autocompletion=complete)
        default = Parameter.empty if "None" not in declared else None
    else:
        names = (f"--{name}/--no-{name}",) if default is True else spelled.flags(name)
        as_typer = typer.Option(
            *names, hidden=spelled.hidden, metavar=metavar, help=help, autocompletion=complete
        )
    if declared != "bool" and default is not Parameter.empty:
        default = [str(default)] if default else None
    return Parameter(
        name, Parameter.POSITIONAL_OR_KEYWORD, annotation=Annotated[type, as_typer], default=default
    )


def _version(ctx: typer.Context, value: bool) -> None:  # noqa: FBT001 - as Typer calls it
    if value and not ctx.resilient_parsing:
        _print(ctx, f"codeh-history {__version__}")


def _help(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - the same
    if value and not ctx.resilient_parsing:
        _print(ctx, ctx.get_help())


def _help_all(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - the same
    if value and not ctx.resilient_parsing:
        command: Any = ctx.command
        command.everything = True
        _print(ctx, ctx.get_help())


HELP_ALL = TyperOption(
    param_decls=["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_help_all,
    hidden=True,
)  # fmt: skip


def _printed(option: TyperOption | None) -> TyperOption | None:
    """`--help`, whose text goes where all output does: what cannot be written is 74, a closed pipe 141."""
    if option is not None:
        option.callback = _help
    return option


def _print(ctx: click.Context, text: str) -> None:
    env: Env = ctx.obj
    env.write(f"{text}\n".encode())
    raise typer.Exit


def group() -> click.Command:
    """The whole command line."""
    app = typer.Typer(
        cls=Group, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False,
        context_settings=HELP,
        help="Keep conversations with LLMs as plain files, and build requests from them.",
    )  # fmt: skip

    @app.callback()
    def _root(
        *, version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False
    ) -> None:
        """Without this callback a single verb would be the whole program."""

    return typer.main.get_command(app)


def options_of(argv: list[str]) -> dict[str, Any] | None:
    """The options of a command line, by name; None where there is no such command or option."""
    if argv[0] not in COMMANDS:
        return None
    try:
        params = load(argv[0]).make_context(argv[0], argv[1:], resilient_parsing=True).params
        return words(module_of(argv[0]).Options, params)
    except UsageError:
        return None


def run(argv: list[str], env: Env) -> int:
    """The exit code of a command line; usage errors become one line."""
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
        raise Usage(_one_line(error, argv)) from None
    return code if isinstance(code, int) else 0


def _one_line(error: UsageError, argv: list[str]) -> str:
    text = error.format_message().rstrip(".").replace("\n", " ")
    command = error.ctx.command if error.ctx is not None else None
    name = (
        command.name
        if isinstance(command, Command)
        else next((arg for arg in argv[:1] if arg in COMMANDS), "")
    )
    where = f"{name}: " if name else ""
    if isinstance(command, Command) and text.startswith("Got unexpected extra argument"):
        return f"{where}{text}; {command.stray}"
    return f"{where}{text} (codeh-history {name + ' ' if name else ''}--help)"
