"""Users' patterns: what they may take, in any thread, and what is said when it is more."""

import re
import threading

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.sandbox import Pattern, compiled, patterns

ENDLESS = "(a+)+$"
LONG = "a" * 60 + "b"


@pytest.mark.parametrize("text", ["x{99999999999}", "[", "(" * 5000 + ")" * 5000, "(?P<", "*", "a**"])
def test_a_wrong_pattern_is_a_mistake_of_the_command_line(text):
    with pytest.raises(Usage, match=r"invalid regular expression"):
        compiled(text, "--remove")


@pytest.mark.parametrize("text", ["a+b", "ab", "(?s)a.*?b"])
def test_a_pattern_does_what_python_s_does(text):
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
def test_only_what_cannot_take_long_works_without_a_child(text, texts, soon):
    assert patterns.quick(text, texts) is soon


def test_flags_hold_in_the_child_too():
    assert Pattern("a.*?b", "--remove", re.DOTALL | re.IGNORECASE).cut(["1A\nB2"], ["m"]) == ["12"]


def test_an_endless_search_is_ended_and_the_rule_and_the_message_are_named():
    pattern = Pattern(ENDLESS, "--remove", seconds=0.2)
    with pytest.raises(
        BadData, match=re.escape("--remove (a+)+$: at message m2 it takes longer than 0.2 s")
    ):
        pattern.cut(["aaa", LONG, "aaa"], ["m1", "m2", "m3"])


def test_an_endless_search_is_ended_in_a_thread_too():
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
