"""Users' regular expressions: invalid ones, and ones that take too long."""

import re
import threading

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.base.patterns import LimitedPattern

ENDLESS = "(a|aa)+$"
LONG = "a" * 60 + "b"


@pytest.mark.parametrize(
    "text",
    [
        "x{99999999999}",
        "[",
        "(" * 5000 + ")" * 5000,
        "(?P<",
        "*",
        "a**",
        "(x{1000}){1000}",
        "((x{99}){99,}){99,999}",
    ],
)
def test_invalid_pattern_is_a_usage_error(text):
    with pytest.raises(Usage, match=r"invalid regular expression"):
        LimitedPattern(text, "--remove")


@pytest.mark.parametrize(
    "text",
    [
        "a+b",
        "ab",
        "(?s)a.*?b",
        "a{2,3}",
        "[[a]",
        r"^\w{8}(-\w{4}){3}-\w{12}$",
        "a{e}",
        "{s}",
        "b{e<=1}",
        r"\{d}",
        "[{i}]+",
        "x{99}|([(]{99})(b{98}[^)]){2}|y{97}",
    ],
)
def test_pattern_matches_as_in_python(text):
    texts = ["xaaby", "", "a\nb", "ä" * 1000 + "ab\ud800", "01234567-0123-4567-89ab-0123456789ab"]
    names, pattern, own = list("12345"), LimitedPattern(text, "--remove"), re.compile(text)
    assert pattern.cut(texts, names) == [own.sub("", each) for each in texts]
    assert pattern.matches(texts, names) == [bool(own.search(each)) for each in texts]
    assert pattern.spans(texts, names) == [[match.span() for match in own.finditer(each)] for each in texts]


def test_flags_apply():
    assert LimitedPattern("a.*?b", "--remove", re.DOTALL | re.IGNORECASE).cut(["1A\nB2"], ["m"]) == ["12"]


@pytest.mark.parametrize("work", ["cut", "matches", "spans"])
def test_endless_search_names_rule_and_message(work):
    pattern = LimitedPattern(ENDLESS, "--remove", seconds=0.2)
    message = "--remove (a|aa)+$: at message m2 it takes longer than 0.2 s"
    with pytest.raises(BadData, match=re.escape(message)):
        getattr(pattern, work)(["aaa", LONG, "aaa"], ["m1", "m2", "m3"])


def test_the_limit_is_for_all_texts_together():
    with pytest.raises(BadData, match=r"longer than 0\.2 s"):
        LimitedPattern(ENDLESS, "", seconds=0.2).matches(["a" * 24 + "b"] * 1000, ["m"])


def test_endless_search_in_a_thread_is_ended():
    failed = []

    def work():
        try:
            LimitedPattern(ENDLESS, "--keep-system", seconds=0.2).matches([LONG], ["m1"])
        except BadData as error:
            failed.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failed) == 2
    assert all("longer than 0.2 s" in text for text in failed)
