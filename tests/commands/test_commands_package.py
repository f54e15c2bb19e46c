"""The verbs by name: each a module with its options and what it does, in one section of the help."""

import pytest

from codeh_history import commands
from codeh_history.base.options import OptionSet


@pytest.mark.parametrize("verb", commands.COMMANDS)
def test_a_verb_is_a_module(verb):
    module = commands.module_of(verb)
    assert module.__name__ in {f"codeh_history.commands.{verb}", f"codeh_history.commands.{verb}_"}
    assert issubclass(module.Options, OptionSet)
    assert callable(module.run)
    assert module.__doc__


def test_each_stands_in_one_section_and_none_is_a_module_without_a_name():
    assert len(set(commands.COMMANDS)) == len(commands.COMMANDS)
    assert [verb for verb in commands.COMMANDS if not verb.isidentifier()] == []
