"""Code in pieces by what they are: together they are the code, character for character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.render.code import lexer_of, pieces

LANGUAGES = ["python", "py", "markdown", "json", "diff", "bash", "html", "no-such-language", "", "PYTHON"]


@given(st.text(), st.sampled_from(LANGUAGES))
def test_no_character_is_lost_or_altered(code, language):
    assert "".join(text for _, text in pieces(code, language)) == code


@pytest.mark.parametrize(
    ("code", "language", "kind", "piece"),
    [
        ("def f(): pass", "python", "keyword", "def"), ("def f(): pass", "PY", "name", "f"), ("x = None", "python", "constant", "None"),
        ("x = 'a'", "python", "string", "a"), ("# why", "python", "comment", "# why"), ("a and b", "python", "keyword", "and"),
        ("x = 12", "python", "constant", "12"), ("@wraps\n", "python", "constant", "@wraps"), ("+new\n", "diff", "inserted", "+new"),
        ("-old\n", "diff", "deleted", "-old"), ("# Title\n", "markdown", "strong", "# Title"), ("a *b* c", "markdown", "emphasis", "*b*"),
        ("a **b** c", "markdown", "strong", "**b**"), ('{"a": 1}', "json", "name", '"a"'), ("class A: pass", "python", "name", "A"),
    ],
)  # fmt: skip
def test_what_a_piece_is_tells_its_colour(code, language, kind, piece):
    assert (kind, piece) in [
        (kind, text.strip(" '")) if kind == "string" else (kind, text)
        for kind, text in pieces(code, language)
    ]


@pytest.mark.parametrize("language", ["", "no-such-language", "\0", "a b"])
def test_of_a_language_that_nothing_knows_it_is_one_piece(language):
    assert lexer_of(language) is None
    assert list(pieces("def f", language)) == [("", "def f")]
