"""A plain command line is read without Typer: to the same options, or not at all."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer._click.exceptions import ClickException

from codeh_history import cli, main
from codeh_history.commands import COMMANDS, module_of
from in_process import command
from length import examples


def read_by_typer(verb, argv):
    """The parameters that Typer passes on, None where it refuses; unset ones are left out."""
    try:
        params = command(verb).make_context(verb, list(argv)).params
    except ClickException:
        return None
    takes = OPTIONS[verb]
    if any(
        len(v) > 1
        for name, v in params.items()
        if isinstance(v, list) and not takes.TYPES[name].startswith("Seq")
    ):
        return None
    options = cli.words(takes, params)
    return {name: list(v) if isinstance(v := options.get(name), tuple) else v for name in params}


OPTIONS = {verb: module_of(verb).Options for verb in COMMANDS}
WORDS = [
    "x", "a b", "", "-", "--", "-h", "--help", "--no-raw", "demo", "@", ":1", "-1", "--x", "-mx", "-m=x", "-sq",
    "--message=x", "--to=gemini", "--mess", "-qq", "--from", "auto", "--echo", "--key", "--set", "a=1", "--jsonl",
    "gemini", "error", "--max-tokens", "7", "0.5", "1e3", " 7", "07", "１", "--failed", "--strict", "é", "\udc80",
]  # fmt: skip


@pytest.mark.parametrize("verb", OPTIONS)
def test_typer_knows_the_same_options(verb):
    takes = OPTIONS[verb]
    declared = {name: list(it.flags(name)) for name, it in takes.DECLARED.items() if not it.positional}
    params = (param for param in command(verb).params if param.expose_value)
    accepted = {param.name: list(param.opts) for param in params if param.opts[0] != param.name}
    assert accepted == declared


@pytest.mark.parametrize("verb", OPTIONS)
def test_typer_agrees_with_the_fast_lane(verb):
    takes = OPTIONS[verb]
    flags = [word for name, it in takes.DECLARED.items() if not it.positional for word in it.flags(name)]
    taken = 0
    pieces = st.tuples(st.sampled_from([*flags, *WORDS])) | st.tuples(
        st.sampled_from(flags or WORDS), st.sampled_from(WORDS)
    )
    many = verb in ("append", "payload", "compact")  # what scripts call most

    tried = examples(400 if many else 60)

    @settings(max_examples=tried)
    @given(argv=st.lists(pieces, max_size=4).map(lambda taken: [word for piece in taken for word in piece]))
    @example(argv=["-m", "x", "-m", "-"])
    @example(argv=["--quiet", "-s", "demo"])
    @example(argv=[])
    @example(argv=["x"])
    @example(argv=["x", "demo"])
    def agree(argv):
        nonlocal taken
        options = main.plain_options(argv, takes)
        if options is None:
            return
        taken += 1
        typed = read_by_typer(verb, argv)
        assert typed is not None, "Typer refuses it"
        unset = {name: default for name, default in takes.DEFAULTS.items() if name not in options}
        assert options | unset == {name: takes.DEFAULTS[name] if value in (None, [], str(takes.DEFAULTS[name])) else value
                                 for name, value in typed.items()}  # fmt: skip

    agree()
    assert taken > (tried // 20 if many else 0)  # else it compared nothing


@pytest.mark.parametrize(
    "argv",
    [["-mx"], ["--message=x"], ["-m"], ["-m", "-x"], ["--role", "user", "--role", "model"], ["-q", "-q"],
     ["--help"], ["--"], [""], ["-x"], ["--mess", "x"], ["--max-items", "-1"]],
)  # fmt: skip
def test_anything_unusual_is_left_to_typer(argv):
    assert main.plain_options(argv, OPTIONS["append"]) is None
