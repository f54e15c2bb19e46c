"""Each provider behind the protocols: how it is loaded, recognised and validated."""

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from answers import FORMATS, OVERLOADED, STREAMS, arrived, error
from codeh_history import providers
from codeh_history.providers import protocol, wire
from codeh_history.providers.request import Options

formats = pytest.mark.parametrize("name", providers.FORMATS)


def public(of):
    members = {**dict.fromkeys(inspect.get_annotations(of)), **vars(of)}
    return {name: value for name, value in members.items() if not name.startswith("_")}


def parameters(function):
    """Their names; one that is not used begins with an underscore."""
    names = inspect.signature(function).parameters
    return [name.removeprefix("_") for name in names if name != "self"]


@formats
def test_a_package_has_what_its_protocol_says(name):
    package = import_module(f"codeh_history.providers.{providers.FORMATS[name]}")
    for key, value in public(protocol.Provider).items():
        assert hasattr(package, key), key
        if inspect.isfunction(value):
            assert parameters(getattr(package, key)) == parameters(value), key


@formats
def test_a_reader_has_what_its_protocol_says(name):
    reader = providers.Format(name).stream()
    for key, value in public(protocol.StreamReader).items():
        if not inspect.isfunction(value):
            continue
        assert parameters(getattr(reader, key)) == parameters(value), key
    assert (reader.done, reader.id, reader.model) == (False, None, None)


@formats
def test_a_package_knows_its_name(name):
    package = providers.Format(name).package
    assert name == package.NAME
    assert isinstance(package.FIELD, str)
    assert isinstance(package.END, str)
    assert package.recognises({}) is None
    assert package.tools({}) is None
    assert not providers.Format(name).shows({})


def test_newest_provider_is_tried_first():
    assert list(providers.packages()) == list(providers.FORMATS)[::-1]
    assert [package.NAME for package in providers.packages().values()] == list(providers.FORMATS)[::-1]


@pytest.mark.parametrize("name", providers.FORMATS)
def test_each_package_provides_its_own_parts(name):
    made, own = providers.Format(name), f"codeh_history.providers.{providers.FORMATS[name]}"
    assert made.package.__name__ == own
    assert not made.holds(None)
    assert type(made.stream()).__module__.startswith(own)
    body = made.request((), Options(model="m"), ("earlier",)).body
    assert made.problems({})
    assert "earlier" in str(made.imported(body))


def test_gemini_and_text_have_no_model_in_the_body():
    assert [name for name in providers.PROVIDERS if providers.model_in_url(name)] == ["gemini"]


def test_request_does_not_import_response_readers():
    code = (
        "import sys; from codeh_history import providers; from codeh_history.providers.request import Options;\n"
        "providers.Format('gemini').request((), Options(), ('earlier',));"
        "print(*(name for name in sys.modules if '.gemini' in name))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "codeh_history.providers.gemini.request" in loaded
    assert "response" not in loaded
    assert "rules" not in loaded


PROVIDER_OF_ERROR = {
    OVERLOADED: "gemini",
    error("api_error"): "anthropic",
    b'{"error":{"message":"m","type":"server_error","param":null,"code":null}}': "openai-chat",
    b'{"error":"model not found"}': "ollama",
    b'{"error":"model not found","error_type":"validation"}': "openai-chat",
    b'{"object":"error","message":"m","type":"BadRequestError","code":400}': "openai-chat",
    b'{"type":"error","code":"server_error","message":"m","sequence_number":2}': "openai-responses",
}


@pytest.mark.parametrize(("body", "provider"), PROVIDER_OF_ERROR.items())
def test_error_bodies_are_attributed(body, provider):
    outcome = wire.read(body)
    assert isinstance(outcome, wire.Failure)
    assert outcome.provider == provider
    named = wire.read(body, "anthropic")
    assert isinstance(named, wire.Failure)
    assert named.provider == "anthropic"


@pytest.mark.parametrize("name", STREAMS)
def test_format_is_detected_by_content(name):
    provider = name.removesuffix("-array")
    outcome, _, reader = arrived([STREAMS[name]()])
    assert isinstance(outcome, wire.Reply)
    assert outcome.provider == reader.provider == provider
    assert outcome == wire.read(STREAMS[name](), provider)


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("format", FORMATS)
def test_only_the_given_format_is_accepted(name, format):
    provider = name.removesuffix("-array")
    outcome = wire.read(STREAMS[name](), format)
    if format == provider:
        assert isinstance(outcome, wire.Reply)
    else:
        assert outcome == wire.Unreadable(f"this is an answer of the format {provider}, not {format}")
