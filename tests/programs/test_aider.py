"""aider's histories, each trap by name."""

from interchange import imported, sessions, short
from program_formats import AIDER
from support import session_path


def test_several_runs_in_one_file_are_sessions_each(tmp_path):
    done = imported(tmp_path, AIDER.encode(), ".aider.chat.history.md")
    ids = done.text.split()
    assert [id[:25] for id in ids] == ["aider-2026-01-01-10-00-00", "aider-2026-01-02-12-00-00"]
    first, second = sessions(tmp_path, done)
    assert short(second) == [("user", "two"), ("codeh", "three")]
    assert first[0]["created"] == "2026-01-01T10:00:00.000Z"
    assert first[0]["imported"]["version"] == "0.86.1"


def test_marks_of_aider_within_an_answer_are_the_answers(tmp_path):
    """Its own splitter drops each line that begins with `# `, and takes quotations and headings for its marks."""
    first, _ = sessions(tmp_path, imported(tmp_path, AIDER.encode()))
    asked, answered, again, _ = short(first)
    assert asked == ("user", "one\nmore of it")
    assert "# a comment, not a header" in answered[1]
    assert "> a quotation in the answer\n#### A heading in the answer" in answered[1]
    assert again == ("user", "why?")


def test_commands_and_notes_are_counted_models_and_rounded_usage_come_along(tmp_path):
    done = imported(tmp_path, AIDER.encode())
    assert b"not imported: 1 command" in done.err
    answer = next(r for r in sessions(tmp_path, done)[0] if r.get("kind") == "codeh")
    assert answer["model"] == "gpt-5"
    assert {key: answer["usage"][key] for key in ("input", "output", "cached")} == {
        "input": 2100, "output": 1234, "cached": 300,
    }  # fmt: skip


def test_a_history_without_blanks_at_line_ends(tmp_path):
    text = "\n".join(line.rstrip() for line in AIDER.splitlines())
    _, second = sessions(tmp_path, imported(tmp_path, text.encode()))
    assert short(second) == [("user", "two"), ("codeh", "three")]


def test_a_run_that_goes_on_is_appended_to(tmp_path):
    ids = imported(tmp_path, AIDER.encode()).text
    before = session_path(tmp_path, ids.split()[1]).read_bytes()
    assert imported(tmp_path, AIDER.encode()).text == ids
    assert session_path(tmp_path, ids.split()[1]).read_bytes() == before
    assert imported(tmp_path, f"{AIDER}\n#### four  \n\nfive\n".encode()).text == ids
    assert session_path(tmp_path, ids.split()[1]).read_bytes().startswith(before)
