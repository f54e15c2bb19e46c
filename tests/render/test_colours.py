"""What a terminal shows of messages: all that is stored, in the terminal's own colours."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from codeh_history.base.escape import safe
from codeh_history.render import colours, messages
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
    found = STYLES.sub("", shown([{"text": text}], role=role, width=width))
    assert visible(safe(text)) in visible(found)


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
def test_so_is_what_tools_get_and_say(text):
    call = {"functionCall": {"name": "edit", "args": {"old": text, "n": 3}}}
    result = {"functionResponse": {"name": "edit", "response": {"output": text}}}
    found = visible(STYLES.sub("", shown([call, result])))
    assert found.count(visible(safe(text))) >= 2


def test_lines_stay_lines_and_long_code_is_not_broken():
    code = "x = " + "1 + " * 40 + "1"
    text = f'a line\nand another\n\n```python\n{code}\n\n    y\n```\nFile "x.py", line 1'
    found = STYLES.sub("", shown([{"text": text}]))
    assert found.split("\n")[1:-2] == [f"  {line}" if line else "" for line in text.split("\n")]


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


def test_a_text_too_long_for_colours_is_whole():
    text = "**a** " * 40_000
    assert STYLES.sub("", shown([{"text": text}])).count("**a**") == 40_000


PIECES = st.lists(
    st.sampled_from(["# ", "*", "`", "```", "```py", "~~~", "\n", "\n\n", "a", " ", "&lt;", "<b>", "\x1b[31m", "\t", "- "]),
    max_size=15,
).map("".join)  # fmt: skip


def markdown_lines(text):
    return list(colours.markdown(messages.text_lines(text)))


@given(PIECES)
def test_what_was_written_is_there_line_by_line(text):
    assert [line.plain for line in markdown_lines(text)] == (messages.text_lines(text) or [""])


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        ("a\n```py\nx = 1\n\ny\n```\nb", [True, False, False, False, False, False, True]), ("```\n```", [False, False]),
        ("```\nopen", [False, False]), ("prose `code`", [True]), ("~~~\na\n~~~\n```\nb\n```", [False] * 6),
    ],
)  # fmt: skip
def test_prose_may_be_wrapped_and_code_may_not(text, wrapped):
    assert [not line.no_wrap for line in markdown_lines(text)] == wrapped


def test_code_is_in_the_colours_of_its_language_and_fences_are_dim():
    fence, code, _ = markdown_lines("```python\nNone\n```")
    assert fence.style == "dim"
    assert [str(span.style) for span in code.spans] == [colours.OF_CODE["constant"]]
    title, _ = markdown_lines("# Title\nx")
    assert "bold" in {str(span.style) for span in title.spans}


def test_what_would_take_long_is_plain():
    text = "# Title\n" + "x" * (colours.LONGEST - 7)
    assert all(not line.spans for line in markdown_lines(text))
    assert [line.plain for line in markdown_lines(text)] == text.split("\n")
    first, *_ = markdown_lines(text[:-1])
    assert first.spans
