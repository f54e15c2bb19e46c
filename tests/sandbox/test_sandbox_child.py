"""What a template may do in the child, and what is said of one that does not."""

import re

import pytest

from codeh_history.sandbox import Sandbox, TooMuch

VALUES = {"message": "m", "context": "", "vars": {"y": "Y"}}


def rendered(source, seconds=10.0):
    with Sandbox(seconds) as sandbox:
        return list(sandbox.ask("render", "t.j2", source, VALUES))


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% set ns = namespace(n=10) %}{% for i in range(9) %}{% set ns.n = ns.n ** ns.n %}{% endfor %}{{ ns.n }}",
    ],
)
def test_an_endless_template_is_ended(source):
    with pytest.raises(TooMuch, match=r"longer than 0\.5 s"):
        rendered(source, 0.5)


@pytest.mark.parametrize("source", ["{{ vars.y * 10000000000 }}", "{{ vars.y * 100000000 }}"])
def test_a_template_that_makes_gigabytes_is_ended(source):
    with pytest.raises(TooMuch, match=r"memory|MiB"):
        rendered(source)


def test_a_range_without_end_is_refused():
    with pytest.raises(ValueError, match=r"Range too big"):
        rendered("{% for i in range(1000000000) %}{% endfor %}")


@pytest.mark.parametrize(
    "source", ["{% if vars.x %}a{% endif %}", "{% if vars.x == 'a' %}a{% endif %}", "{{ '' }}"]
)
def test_what_is_unset_is_false(source):
    assert rendered(source) == [""]


@pytest.mark.parametrize(
    "source", ["{{ vars.x }}", "{{ vars.x | upper }}", "{{ 'a' ~ vars.x }}", "{{ vars['x'] }}"]
)
def test_printing_what_is_unset_names_it(source):
    with pytest.raises(ValueError, match=re.escape("t.j2: vars.x is not set (--var x=VALUE)")):
        rendered(source)
