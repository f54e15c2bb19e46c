"""Patterns and templates of users: what they may take, in a child that ends with its work."""

import re
import signal
import threading

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.base.sandbox import Pattern, Sandbox, TooMuch, compiled, quick
from support import until

ENDLESS = "(a+)+$"


LONG = "a" * 60 + "b"


def test_one_child_serves_many_requests_and_exits():
    with Sandbox() as sandbox:
        assert [list(sandbox.ask("matches", "a", 0, ["a", "b"])) for _ in range(3)] == [[True, False]] * 3
        process = sandbox._process
    assert process is not None
    assert process.poll() is not None


def test_orphaned_child_exits():
    """Its alarm ends it, whatever the parent does."""
    with Sandbox(0.2) as sandbox:
        answers = sandbox.ask("matches", ENDLESS, 0, ["a", LONG])
        assert next(answers) is True
        process = sandbox._process
        assert process is not None
        until(lambda: process.poll() is not None)
        assert process.returncode == -signal.SIGALRM


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
def test_endless_template_is_ended(source):
    with pytest.raises(TooMuch, match=r"longer than 0\.5 s"):
        rendered(source, 0.5)


@pytest.mark.parametrize("source", ["{{ vars.y * 10000000000 }}", "{{ vars.y * 100000000 }}"])
def test_huge_template_output_is_ended(source):
    with pytest.raises(TooMuch, match=r"memory|MiB"):
        rendered(source)


def test_huge_range_is_refused():
    with pytest.raises(ValueError, match=r"Range too big"):
        rendered("{% for i in range(1000000000) %}{% endfor %}")


@pytest.mark.parametrize(
    "source", ["{% if vars.x %}a{% endif %}", "{% if vars.x == 'a' %}a{% endif %}", "{{ '' }}"]
)
def test_undefined_variable_is_false(source):
    assert rendered(source) == [""]


@pytest.mark.parametrize(
    "source", ["{{ vars.x }}", "{{ vars.x | upper }}", "{{ 'a' ~ vars.x }}", "{{ vars['x'] }}"]
)
def test_printing_an_undefined_variable_names_it(source):
    with pytest.raises(ValueError, match=re.escape("t.j2: vars.x is not set (--var x=VALUE)")):
        rendered(source)


@pytest.mark.parametrize("text", ["x{99999999999}", "[", "(" * 5000 + ")" * 5000, "(?P<", "*", "a**"])
def test_invalid_pattern_is_a_usage_error(text):
    with pytest.raises(Usage, match=r"invalid regular expression"):
        compiled(text, "--remove")


@pytest.mark.parametrize("text", ["a+b", "ab", "(?s)a.*?b"])
def test_pattern_matches_as_in_python(text):
    texts = ["xaaby", "", "a\nb", "ä" * 1000 + "ab\ud800"]
    names = list("1234")
    own = re.compile(text)
    assert Pattern(text, "--remove").cut(texts, names) == [own.sub("", each) for each in texts]
    assert Pattern(text, "--remove").matches(texts, names) == [bool(own.search(each)) for each in texts]


@pytest.mark.parametrize(
    ("text", "texts", "soon"),
    [
        ("abc", ["x" * 9999], True), ("a|b?c", ["x" * 9999], True), ("|".join("a" * 10), ["x"], False),
        ("a.*b", ["x" * 4096], True), ("a.*b", ["x", "x" * 4097], False), ("(a|a)*b", ["x"], False),
        ("a.*?b", ["x"], False), (ENDLESS, ["x"], False), ("a{2}", ["x"], False), ("a+b+", ["x"], False),
    ],
)  # fmt: skip
def test_only_linear_patterns_run_in_process(text, texts, soon):
    assert quick(text, texts) is soon


def test_flags_apply_in_the_child():
    assert Pattern("a.*?b", "--remove", re.DOTALL | re.IGNORECASE).cut(["1A\nB2"], ["m"]) == ["12"]


def test_endless_search_names_rule_and_message():
    pattern = Pattern(ENDLESS, "--remove", seconds=0.2)
    with pytest.raises(
        BadData, match=re.escape("--remove (a+)+$: at message m2 it takes longer than 0.2 s")
    ):
        pattern.cut(["aaa", LONG, "aaa"], ["m1", "m2", "m3"])


def test_endless_search_in_a_thread_is_ended():
    failed = []

    def work():
        try:
            Pattern(ENDLESS, "--keep-system", seconds=0.2).matches([LONG], ["m1"])
        except BadData as error:
            failed.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failed) == 2
    assert all("longer than 0.2 s" in text for text in failed)
