"""Print a shell completion script for commands, options, sessions and providers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..base.env import Env
from ..base.jobs import PASSES
from ..base.options import Options, argument
from ..programs.sessions import WRITTEN
from ..providers import TARGETS
from ..render.completion import SHELLS, Option, Verb
from ..session.rules import ROLE_OF_KIND
from ..tokens.counter import APPROX
from ..tokens.vocabulary import NAMES
from . import SHOWN, module_of, told
from .export import FORMS
from .import_.given import FORMS as FILES
from .set_ import KEYS

EXAMPLES = """\
  eval "$(codeh-history completion bash)"        # in ~/.bashrc
  eval "$(codeh-history completion zsh)"         # in ~/.zshrc
  codeh-history completion fish | source         # in ~/.config/fish/config.fish
"""
STRAY = "completion SHELL"
WORDS: dict[str, Iterable[str]] = {  # what the value of an option can be, by its name, or by verb and name
    "--to": TARGETS, "--from": ["auto", *TARGETS], "--kind": ROLE_OF_KIND,
    "--counter": [*NAMES, APPROX], "--only": PASSES, "--skip": PASSES,
    "export --to": FORMS, "import --from": ["auto", *FILES], "rescue --to": WRITTEN,
}  # fmt: skip
KINDS = {
    "KEY=VALUE": ",".join(f"{key}=" for key in KEYS),
    "SESSION": "session",
    "PROFILE": "profile",
    "FILE": "file",
    "SHELL": ",".join(SHELLS),
    "init|check": "init,check",
    "MODEL": "model",
}  # by a word of the metavar


class Given(Options):
    shell: str = argument("SHELL", "bash, zsh or fish.", choices=tuple(SHELLS))


def run(env: Env, given: Given) -> None:
    env.write(SHELLS[given.shell]([verb(name, module_of(name)) for name in SHOWN]).encode())


def verb(name: str, module: Any) -> Verb:
    """What a script needs to know of a verb."""
    takes: type[Options] = module.Given
    options = [
        option_of(name, takes, each)
        for each, it in takes.SPELLED.items()
        if not (it.positional or it.hidden)
    ]
    options.append(Option(("--help",), "", "Show examples and the main options."))
    options.append(Option(("--help-all",), "", "Show all options."))
    arguments = [
        kind_of(it.metavar) + ("+" if takes.TYPES[each].startswith("Sequence") else "")
        for each, it in takes.SPELLED.items()
        if it.positional
    ]
    return Verb(name, (module.__doc__ or "").partition("\n")[0], tuple(options), tuple(arguments))


def option_of(verb: str, takes: type[Options], name: str) -> Option:
    spelled = takes.SPELLED[name]
    names = spelled.flags(name)
    if takes.DEFAULTS[name] is True:
        names += (f"--no-{name}",)
    value = ""
    if takes.TYPES[name] != "bool":
        keys = (key for each in names for key in (f"{verb} {each}", each))
        words: Iterable[str] = next((WORDS[key] for key in keys if key in WORDS), spelled.choices)
        value = ",".join(words) if words else kind_of(spelled.metavar)
    return Option(names, value, told(spelled.help))


def kind_of(metavar: str) -> str:
    """`session`, `file`, words or `any`, by what the help calls a value."""
    return next((kind for word, kind in KINDS.items() if word in metavar), "any")
