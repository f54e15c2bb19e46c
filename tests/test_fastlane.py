"""The fast lane is a second way to read the same command line: it may say less than Typer, never else."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer._click.exceptions import ClickException

from codeh_history import cli, fastlane
from codeh_history.append import text as append
from codeh_history.base.options import Compaction, Request
from codeh_history.filters.compact import run as compact
from codeh_history.send import payload

LANES: dict[str, tuple[dict[str, tuple[str, str]], str | None, Callable[..., int]]] = {
    "append": (fastlane.APPEND, None, append.run),
    "payload": (fastlane.PAYLOAD, "argument", payload.run),
    "compact": (fastlane.COMPACT, "argument", compact.run),
}
MORE = {"append": (), "payload": Request.DEFAULTS, "compact": Compaction.DEFAULTS}  # options taken together


def derive(verb: str, takes: Callable[..., int]) -> dict[str, tuple[str, str]]:
    """The table of a verb: its text options and flags, as far as the function behind both lanes takes them."""
    known = {*inspect.signature(takes).parameters, *MORE[verb]}
    table: dict[str, tuple[str, str]] = {}
    for param in cli.load(verb).params:
        if param.param_type_name == "option" and param.name in known:
            if param.type.name not in ("str", "text", "boolean"):
                continue
            shape = "flag" if getattr(param, "is_flag", False) else "list" if param.multiple else "str"
            table |= dict.fromkeys(param.opts, (param.name, shape))
    return table


@pytest.mark.parametrize("verb", LANES)
def test_the_table_is_what_typer_says(verb: str) -> None:
    table, _, run = LANES[verb]
    assert table == derive(verb, run), f"fastlane.{verb.upper()} should be {derive(verb, run)}"


def read_by_typer(verb: str, argv: list[str]) -> dict[str, Any] | None:
    """The parameters that Typer passes on, None where it refuses; unset ones are left out."""
    try:
        params = cli.load(verb).make_context(verb, list(argv)).params
    except ClickException:
        return None
    return {name: list(v) if isinstance(v, tuple) else v for name, v in params.items()}


DEFAULTS = {verb: read_by_typer(verb, []) or {} for verb in LANES}
WORDS = [
    "x", "a b", "", "-", "--", "-h", "--help", "--no-raw", "demo", "@", ":1", "-1", "--x", "-mx", "-m=x", "-sq",
    "--message=x", "--to=gemini", "--mess", "-qq", "--from", "auto", "--echo", "--key", "--set", "a=1", "--jsonl",
    "gemini", "error", "--max-tokens", "7", "--failed", "--strict", "é", "\udc80",
]  # fmt: skip


@pytest.mark.parametrize("verb", LANES)
def test_what_the_fast_lane_takes_typer_reads_alike(verb: str) -> None:
    table, positional, _ = LANES[verb]
    taken = 0

    pieces = st.tuples(st.sampled_from([*table, *WORDS])) | st.tuples(
        st.sampled_from(list(table)), st.sampled_from(WORDS)
    )

    @settings(max_examples=400)
    @given(argv=st.lists(pieces, max_size=4).map(lambda found: [word for piece in found for word in piece]))
    @example(argv=["-m", "x", "-m", "-"])
    @example(argv=["--quiet", "-s", "demo"])
    def agree(argv: list[str]) -> None:
        nonlocal taken
        found = fastlane.read(argv, table, positional)
        if found is None:
            return
        taken += 1
        typed = read_by_typer(verb, argv)
        assert typed is not None, "Typer refuses it"
        assert {**DEFAULTS[verb], **found} == typed

    agree()
    assert taken > 20  # else it compared nothing


@pytest.mark.parametrize(
    "argv",
    [["-mx"], ["--message=x"], ["-m"], ["-m", "-x"], ["--role", "user", "--role", "model"], ["-q", "-q"],
     ["--help"], ["--"], ["stray"], [""], ["--from", "auto"], ["--mess", "x"]],
)  # fmt: skip
def test_anything_unusual_is_left_to_typer(argv: list[str]) -> None:
    assert fastlane.read(argv, fastlane.APPEND, None) is None
