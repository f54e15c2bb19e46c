"""A format by its name: what is asked of it goes to the module that knows, and no other is loaded."""

import subprocess
import sys

import pytest

from codeh_history import providers
from codeh_history.providers.base import Options


def test_whoever_was_added_last_is_asked_first():
    assert list(providers.packages()) == list(providers.FORMATS)[::-1]
    assert [package.NAME for package in providers.packages().values()] == list(providers.FORMATS)[::-1]


@pytest.mark.parametrize("name", providers.FORMATS)
def test_each_part_is_the_formats_own(name):
    made, own = providers.load(name), f"codeh_history.providers.{providers.FORMATS[name]}"
    assert made.package.__name__ == own
    assert made.body.__name__ == f"{own}.body"
    assert type(made.stream()).__module__.startswith(own)
    body = made.request((), Options(model="m"), ("earlier",)).body
    assert made.problems({})
    assert "earlier" in str(made.imported(body))


def test_the_model_stands_in_the_address_of_one_and_a_transcript_has_none():
    assert [name for name in providers.TARGETS if providers.model_in_url(name)] == ["gemini"]
    assert "earlier" in providers.transcript((), Options(), ("earlier",)).text


def test_a_request_loads_nothing_that_reads_answers():
    code = (
        "import sys; from codeh_history import providers; from codeh_history.providers.base import Options;\n"
        "providers.load('gemini').request((), Options(), ('earlier',));"
        "print(*(name for name in sys.modules if '.gemini' in name))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "codeh_history.providers.gemini.request" in loaded
    assert "response" not in loaded
    assert "rules" not in loaded
