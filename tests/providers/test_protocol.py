"""Each provider is a package behind the protocols: what they name is there, with the parameters they name."""

import inspect
from importlib import import_module

import pytest

from codeh_history import providers
from codeh_history.providers import protocol

formats = pytest.mark.parametrize("name", providers.FORMATS)
MODULES = {
    "": protocol.Provider,
    ".request": protocol.RequestModule,
    ".rules": protocol.RulesModule,
    ".body": protocol.BodyModule,
    ".response": protocol.ResponseModule,
}


def public(of):
    found = {**dict.fromkeys(inspect.get_annotations(of)), **vars(of)}
    return {name: value for name, value in found.items() if not name.startswith("_")}


def parameters(function):
    """Their names; one that is not used begins with an underscore."""
    names = inspect.signature(function).parameters
    return [name.removeprefix("_") for name in names if name != "self"]


@pytest.mark.parametrize("module", MODULES)
@formats
def test_a_module_has_what_its_protocol_says(name, module):
    found = import_module(f"codeh_history.providers.{providers.FORMATS[name]}{module}")
    for key, value in public(MODULES[module]).items():
        assert hasattr(found, key), key
        if inspect.isfunction(value):
            assert parameters(getattr(found, key)) == parameters(value), key


@formats
def test_a_reader_has_what_its_protocol_says(name):
    reader = providers.load(name).stream()
    for key, value in public(protocol.StreamReader).items():
        if not inspect.isfunction(value):
            continue
        assert parameters(getattr(reader, key)) == parameters(value), key
    assert (reader.done, reader.id, reader.model) == (False, None, None)


@formats
def test_a_package_knows_its_name(name):
    package = providers.load(name).package
    assert name == package.NAME
    assert isinstance(package.FIELD, str)
    assert isinstance(package.END, str)
    assert package.recognises({}) is None
    assert package.tools({}) is None
    assert not providers.load(name).body.shows({})


def test_a_later_line_of_the_table_is_asked_first():
    assert list(providers.packages()) == list(reversed(providers.FORMATS))
