"""Print a completion script for a shell: verbs, options, sessions, providers."""

from typing import Annotated, Any

import typer

from ..base.env import Env
from ..base.errors import Usage
from ..filters.curate.passes import PASSES
from ..formats import EXPORTERS
from ..programs import IMPORTERS
from ..providers import TARGETS
from ..render.completion import SHELLS, Option, Verb
from ..session.rules import ROLE_OF_KIND
from ..tokens.counter import APPROX
from ..tokens.vocabulary import NAMES

EXAMPLES = """\
  eval "$(codeh-history completion bash)"        # in ~/.bashrc
  eval "$(codeh-history completion zsh)"         # in ~/.zshrc
  codeh-history completion fish | source         # in ~/.config/fish/config.fish
"""
STRAY = "completion SHELL"
WORDS = {  # what the value of an option can be, by its name, or by verb and name
    "--to": TARGETS, "--from": ["auto", *TARGETS], "--role": ["user", "model"], "--kind": ROLE_OF_KIND,
    "--counter": [*NAMES, APPROX], "--unanswered": ["error", "stub", "drop"],
    "--thoughts": ["keep", "old", "all"], "--only": PASSES, "--skip": PASSES,
    "export --to": EXPORTERS, "import --from": ["auto", *IMPORTERS],
}  # fmt: skip
KINDS = {"SESSION": "session", "FILE": "file", "SHELL": ",".join(SHELLS)}  # by a word of the metavar


def command(
    ctx: typer.Context,
    shell: Annotated[str, typer.Argument(metavar="SHELL", show_default=False, help="bash, zsh or fish.")],
) -> int:
    env: Env = ctx.obj
    if shell not in SHELLS:
        raise Usage(f"{shell}: one of {', '.join(SHELLS)}")
    root: Any = ctx.find_root()
    verbs = [verb(root.command.get_command(root, name)) for name in root.command.list_commands(root)]
    env.write(SHELLS[shell](verbs).encode())
    return 0


def verb(command: Any) -> Verb:
    """What a script needs to know of a command."""
    options = [option(command.name, p) for p in command.params if p.param_type_name == "option"]
    options.append(Option(("--help",), "", "Show this message and exit."))
    arguments = [
        kind_of(p.metavar or "") + ("+" if p.nargs == -1 else "")
        for p in command.params
        if p.param_type_name == "argument"
    ]
    return Verb(command.name, command.help.partition("\n")[0], tuple(options), tuple(arguments))


def option(verb: str, parameter: Any) -> Option:
    names = (*parameter.opts, *parameter.secondary_opts)
    value = ""
    if not parameter.is_flag:
        words = next(
            (WORDS[key] for name in names for key in (f"{verb} {name}", name) if key in WORDS), None
        )
        value = ",".join(words) if words else kind_of(parameter.metavar or "")
    return Option(names, value, (parameter.help or "").partition("\n")[0])


def kind_of(metavar: str) -> str:
    """`session`, `file`, words or `any`, by what the help calls a value."""
    return next((kind for word, kind in KINDS.items() if word in metavar), "any")
