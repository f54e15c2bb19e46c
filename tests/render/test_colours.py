"""Messages on a terminal: complete, coloured, and wrapped between words."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from codeh_history.base.escape import safe
from codeh_history.render import colours, messages
from codeh_history.render.code import lexer_of, pieces
from codeh_history.render.wrapping import Wrapping
from codeh_history.session.fold import message_of
from codeh_history.session.records import Record

STYLES = re.compile(r"\x1b\[[0-9;]*m")
MARKDOWN = st.lists(
    st.sampled_from(
        "# |**|*|_|`|```|```py|~~~|[a](b)|![c](d)|<think>|</p>|&amp;|\\\\|- |1. |> || a |\n|\n\n|  |\t|x|Vec<u8>|def f():"
        "|<!-- c -->|---|[^1]|:smile:|\x1b[31m|👩\u200d💻|می\u200cخواهم|漢字|https://a.b/?c=d&e|word ".split(
            "|"
        )
    ),
    max_size=30,
).map("".join)


def shown(parts, *, role="model", width=40, colour=True):
    kind = "codeh" if role == "model" else "user"
    record = {"type": "message", "id": "m", "ts": None, "kind": kind, "role": role, "parts": parts}
    message = message_of(0, Record(record, b"", 0))
    lines = [messages.heading(1, message, "m", people=True), *messages.body(message, people=True)]
    return colours.draw([*lines, messages.Line("", "")], width=width, colour=colour).decode()


def visible(text):
    return "".join(text.split())


@given(MARKDOWN, st.sampled_from(["model", "user"]), st.integers(8, 90))
@example("<message> Vec<u8> <think>x</think> &amp; ![picture](a.png) a\\*b", "model", 80)
@example("Roses\nare\nred", "model", 80)
def test_every_visible_character_is_shown(text, role, width):
    plain = STYLES.sub("", shown([{"text": text}], role=role, width=width))
    assert visible(safe(text)) in visible(plain)


def test_a_text_of_a_user_is_as_it_was_typed():
    lines = [
        messages.Line("head", "system"),
        messages.Line("text", "Be *brief*."),
        messages.Line("text", "  Kind."),
    ]
    assert (
        STYLES.sub("", colours.draw(lines, width=40, colour=False).decode())
        == "system\n  Be *brief*.\n    Kind.\n"
    )


@given(MARKDOWN)
def test_every_visible_character_of_calls_and_results_is_shown(text):
    call = {"functionCall": {"name": "edit", "args": {"old": text, "n": 3}}}
    result = {"functionResponse": {"name": "edit", "response": {"output": text}}}
    plain = visible(STYLES.sub("", shown([call, result])))
    assert plain.count(visible(safe(text))) >= 2


def test_lines_stay_lines_and_long_code_is_not_broken():
    code = "x = " + "1 + " * 40 + "1"
    text = f'a line\nand another\n\n```python\n{code}\n\n    y\n```\nFile "x.py", line 1'
    plain = STYLES.sub("", shown([{"text": text}]))
    assert plain.split("\n")[1:-2] == [f"  {line}" if line else "" for line in text.split("\n")]


def test_prose_is_wrapped_behind_its_indentation():
    lines = STYLES.sub("", shown([{"text": "word " * 30}])).split("\n")[1:-2]
    assert len(lines) > 3
    assert all(line.startswith("  word") and len(line) <= 40 for line in lines)


def test_colours_are_the_terminals_own():
    text = "# Head\n```rust\nlet v: Vec<u8> = vec![]; // why\n```\n```diff\n- a\n+ b\n```"
    styles = set(re.findall(r"\x1b\[([0-9;]*)m", shown([{"text": text}])))
    assert any("3" in style for style in styles)
    for style in styles:
        assert set(style.split(";")) <= {"0", "1", "2", "3", "31", "32", "34", "35", "36"}, style


@pytest.mark.parametrize("language", ["nosuch", "PYTHON", "{.python}", "py title=x"])
def test_any_language_is_shown(language):
    assert f"```{language}\n  x = 1" in STYLES.sub("", shown([{"text": f"```{language}\nx = 1\n```"}]))


PIECES = st.lists(
    st.sampled_from(["# ", "*", "`", "```", "```py", "~~~", "\n", "\n\n", "a", " ", "&lt;", "<b>", "\x1b[31m", "\t", "- "]),
    max_size=15,
).map("".join)  # fmt: skip


def markdown_lines(text):
    return list(colours.markdown(messages.text_lines(text)))


@given(PIECES)
def test_markdown_lines_equal_the_text_lines(text):
    assert [line.plain for line in markdown_lines(text)] == (messages.text_lines(text) or [""])


def test_code_is_in_the_colours_of_its_language_and_fences_are_dim():
    fence, code, _ = markdown_lines("```python\nNone\n```")
    assert fence.style == "dim"
    assert [str(span.style) for span in code.spans] == [colours.OF_CODE["constant"]]
    title, _ = markdown_lines("# Title\nx")
    assert "bold" in {str(span.style) for span in title.spans}


def test_long_text_is_not_styled():
    text = "# Title\n" + "x" * (colours.LONGEST - 7)
    assert all(not line.spans for line in markdown_lines(text))
    assert [line.plain for line in markdown_lines(text)] == text.split("\n")
    first, *_ = markdown_lines(text[:-1])
    assert first.spans


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
def test_the_kind_of_a_piece_sets_its_colour(code, language, kind, piece):
    assert (kind, piece) in [
        (kind, text.strip(" '")) if kind == "string" else (kind, text)
        for kind, text in pieces(code, language)
    ]


@pytest.mark.parametrize("language", ["", "no-such-language", "\0", "a b"])
def test_code_in_an_unknown_language_is_one_piece(language):
    assert lexer_of(language) is None
    assert list(pieces("def f", language)) == [("", "def f")]


WIDTH = 12
TEXTS = st.lists(
    st.sampled_from(["a", "word", " ", "  ", "\n", "longer-than-a-line", "```", "`", "|", "天気", "é", "- ", "\t"]), max_size=40
).map("".join)  # fmt: skip


def wrapped(*pieces, width=WIDTH):
    wrapping = Wrapping(lambda: width)
    return "".join([*map(wrapping.feed, pieces), wrapping.feed("\n")])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("the sky is blue today", ["the sky is", "blue today"]), ("exactly-12ch x", ["exactly-12ch", "x"]), ("a  b", ["a  b"]),
        ("one\ntwo three four", ["one", "two three", "four"]), ("see longer-than-a-line", ["see", "longer-than-a-line"]),
        ("```\nlet x = a + b + c\n```\na b c d e f g h", ["```", "let x = a + b + c", "```", "a b c d e f", "g h"]),
        ("| a | b | c | d | e |", ["| a | b | c | d | e |"]), ("今日は天気がいい", ["今日は天気が", "いい"]),
        ("    indented text here", ["    indented", "text here"]), ("trailing    \nx", ["trailing", "x"]),
    ],
)  # fmt: skip
def test_prose_is_broken_between_words_code_and_tables_are_not(text, lines):
    assert wrapped(text).splitlines() == lines
    assert wrapped(*text).splitlines() == lines


@given(text=TEXTS, cuts=st.lists(st.integers(0, 200), max_size=8))
def test_nothing_is_lost_but_blanks_that_end_a_line(text, cuts):
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    pieces = [text[a:b] for a, b in pairwise(places)]
    assert wrapped(*pieces).split() == wrapped(text).split()
    assert "".join(wrapped(*pieces).split()) == "".join(text.split())


def test_a_word_is_written_once_it_is_complete():
    wrapping = Wrapping(lambda: 80)
    assert wrapping.feed("Rayl") == ""
    assert wrapping.feed("eigh scat") == "Rayleigh"
    assert wrapping.feed("tering\n") == " scattering\n"
    assert wrapping.feed("今日は") == "今日"
