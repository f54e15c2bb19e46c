"""Templates of users, and what they may take."""

import re

import pytest

from codeh_history.base.errors import BadData
from codeh_history.base.input import Text
from codeh_history.talk.send.templates import render

VALUES = {"message": "m", "context": "", "vars": {"y": "Y"}}


def rendered(source, seconds=10.0):
    return render(Text(source), VALUES, seconds)


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% set ns = namespace(n=10) %}{% for i in range(9) %}{% set ns.n = ns.n ** ns.n %}{% endfor %}{{ ns.n }}",
    ],
)
def test_endless_template_is_ended(source):
    with pytest.raises(BadData, match=r"^template: it takes longer than 0\.5 s"):
        rendered(source, 0.5)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("{% for i in range(1000000000) %}{% endfor %}", "Range too big"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"), ("a\n{% if %}", "template:2: "), ("{{ 1 / 0 }}", "ZeroDivisionError"),
        ("{{ '\\ud800' }}", "surrogates"), ("{{ vars.y * 10000000000 }}", "memory"),
        ("{{ vars.y * 1000000000 }}", "memory"),
    ],
)  # fmt: skip
def test_what_fails_is_named(source, error):
    with pytest.raises(BadData, match=error):
        rendered(source)


@pytest.mark.parametrize(
    "source", ["{% if vars.x %}a{% endif %}", "{% if vars.x == 'a' %}a{% endif %}", "{{ '' }}"]
)
def test_undefined_variable_is_false(source):
    assert rendered(source) == ""


@pytest.mark.parametrize(
    "source", ["{{ vars.x }}", "{{ vars.x | upper }}", "{{ 'a' ~ vars.x }}", "{{ vars['x'] }}"]
)
def test_printing_an_undefined_variable_names_it(source):
    with pytest.raises(BadData, match=re.escape("template: vars.x is not set (--var x=VALUE)")):
        rendered(source)
