"""Print a shell completion script for commands, options, sessions and providers."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable

from ..base.config import profiles
from ..base.env import Env
from ..base.errors import HistoryError
from ..base.options import Option, OptionSet, argument
from ..base.shared_options import PASSES
from ..store import trash
from ..store.resolve import ids
from ..tokens.counter import APPROX, VOCABULARIES
from ..views.rows import row_of
from . import COMPLETE

EXAMPLES = """\
  eval "$(codeh-history completion bash)"        # in ~/.bashrc
  eval "$(codeh-history completion zsh)"         # in ~/.zshrc
  codeh-history completion fish | source         # in ~/.config/fish/config.fish
"""
STRAY = "completion SHELL"
_RECENT = 20  # most recent sessions whose models are offered
_NEEDS_COMPINIT = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }"


class Options(OptionSet):
    shell: str = argument("SHELL", "bash, zsh or fish.", choices=("bash", "zsh", "fish"))


def run(env: Env, options: Options) -> None:
    from typer._completion_shared import get_completion_script

    script = get_completion_script(prog_name="codeh-history", complete_var=COMPLETE, shell=options.shell)
    if options.shell == "zsh":  # so that the quotes that Typer doubles stay: "the provider's model"
        script = f"{_NEEDS_COMPINIT}\n{script.replace('  eval', '  setopt local_options rc_quotes; eval')}"
    env.print(script)


def candidates(env: Env, command: str, option: Option, before: Collection[str]) -> list[str]:
    """Completions for an option or argument, if its values can be listed.

    `before`: the names of the options already on the command line.
    """
    if option.choices:
        return list(option.choices)
    kind = "TRASH" if command == "rm" and "restore" in before else option.metavar
    try:
        return list(next((find(env) for word, find in COMPLETERS.items() if word in kind), ()))
    except (HistoryError, OSError):
        return []


def models(env: Env) -> list[str]:
    """Models that answered in the sessions that changed most recently."""
    files = sorted((path for _, path in ids(env) if os.path.isfile(path)), key=os.path.getmtime)
    return sorted({model for path in files[-_RECENT:] for model in row_of(path)["models"]})


COMPLETERS: dict[str, Callable[[Env], Iterable[str]]] = {  # by a word in the option's metavar
    "SESSION": lambda env: (id for id, _ in ids(env)),
    "TRASH": lambda env: dict.fromkeys(each.id for each in trash.trashed(env)),
    "PROFILE": profiles,
    "MODEL": models,
    "COUNTER": lambda _: (*VOCABULARIES, APPROX),
    "PASS": lambda _: PASSES,
}
