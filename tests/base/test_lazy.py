"""Fields, patterns and modules: they work as usual, and load in no time."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from codeh_history.base.lazy import Fields, Pattern
from support import environ


class Some(Fields):
    a: int = 1
    b: str = "x"


def test_omitted_fields_have_class_defaults():
    assert (Some().a, Some(a=2).a, Some(a=2).b) == (1, 2, "x")


def test_replace_leaves_the_original_unchanged():
    first = Some(a=2)
    second = first.but(b="y")
    assert (type(second), second.a, second.b) == (Some, 2, "y")
    assert (first.b, first.but(a=3).a, first.a) == ("x", 3, 2)


@pytest.mark.parametrize("text", ["a+b", "", r"(?i)A(\d)", "^x", "ü"])
@pytest.mark.parametrize("subject", ["xaab", "A7", "", "üx\nx"])
def test_lazy_pattern_equals_the_compiled_one(text, subject):
    pattern, compiled = Pattern(text), re.compile(text)
    for _ in range(2):  # the second time it is not looked up again
        for method in ("search", "match", "fullmatch"):
            match, right = getattr(pattern, method)(subject), getattr(compiled, method)(subject)
            assert (match and match.regs) == (right and right.regs)
        assert pattern.sub("-", subject) == compiled.sub("-", subject)
    assert pattern.flags == compiled.flags


def test_bytes_pattern_searches_bytes():
    assert Pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_re_is_imported_on_first_use():
    code = """if True:
        import sys
        from codeh_history.base.lazy import Pattern
        pattern = Pattern("a+")
        print("re" in sys.modules, bool(pattern.match("aa")), "re" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-ISc", f"import sys; sys.path[:0] = {sys.path!r}\n" + code],
                          capture_output=True, env=environ(), check=True)  # fmt: skip
    assert done.stdout.split() == [b"False", b"True", b"True"]
