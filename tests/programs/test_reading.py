"""Files of other programs read where they stand: every reader and filter takes one as SESSION, none writes it."""

import orjson
import pytest

from in_process import run_in_process
from program_files import SAMPLES, SESSION, Claude, Codex, Pi, played, written

READERS = {
    "show": ["--json"], "stats": ["--json"], "last": ["--json"], "payload": ["--raw", "--to", "gemini", "--prefill"],
    "curate": [], "compact": ["--budget", "10k"], "redact": [], "export": ["--to", "html"], "calls": [], "expand": [],
}  # fmt: skip


@pytest.fixture(params=SAMPLES)
def file(request, tmp_path):
    return written(tmp_path / f"{SESSION}.jsonl", SAMPLES[request.param]())


@pytest.mark.parametrize("verb", READERS)
def test_a_reader_says_of_the_file_what_it_says_of_a_copy(verb, file, tmp_path):
    copy = run_in_process("import", str(file), home=tmp_path).text
    before = file.read_bytes()
    first = (
        ["s"] if verb == "expand" and file.read_bytes().count(b'"s"') else ["h"] if verb == "expand" else []
    )
    there = run_in_process(verb, *first, "-s", str(file), *READERS[verb], home=tmp_path)
    here = run_in_process(verb, *first, "-s", copy, *READERS[verb], home=tmp_path)
    stem = file.stem.encode()
    assert (there.code, there.out.replace(copy.encode(), stem)) == (
        here.code,
        here.out.replace(copy.encode(), stem),
    )
    assert file.read_bytes() == before


def test_a_stream_on_stdin(file, tmp_path):
    whole = run_in_process("show", str(file), "--json", home=tmp_path)
    assert run_in_process("show", "-", "--json", home=tmp_path, stdin=file.read_bytes()).out == whole.out


@pytest.mark.parametrize("argv", [["append", "-m", "x"], ["compact", "-i", "--budget", "100"], ["redact", "-i", "--yes"],
                                  ["undo"], ["set", "title=x"], ["clear"]], ids=lambda argv: argv[0])  # fmt: skip
def test_it_is_never_written(argv, file, tmp_path):
    before = file.read_bytes()
    done = run_in_process(*argv, "-s", str(file), home=tmp_path)
    assert file.read_bytes() == before
    if argv[0] in ("append", "clear"):  # `set` is kept beside it
        assert done.code == 65
        assert b"a session of" in done.err


def test_a_name_that_says_nothing(tmp_path):
    file = written(tmp_path / "session.backup", SAMPLES["pi"]())
    assert run_in_process("last", str(file), home=tmp_path).text == "three"
    assert run_in_process("last", str(tmp_path / "nowhere.backup"), home=tmp_path).code == 2


def test_damage_is_named_with_its_line(tmp_path):
    *lines, last = SAMPLES["pi"]()
    file = written(tmp_path / "x.jsonl", [*lines, b'{"torn', last])
    assert (
        b"1 damaged line skipped (line 14: not JSON" in run_in_process("show", str(file), home=tmp_path).err
    )
    assert run_in_process("show", "--strict", str(file), home=tmp_path).code == 65


def test_2026_11_23_a_line_that_is_read_all_the_same_is_not_said_to_be_skipped(tmp_path):
    """Nor has it a place in bytes: `status` named byte -1 of another program's file."""
    first, *lines = SAMPLES["pi"]()
    file = written(tmp_path / "x.jsonl", [first, *lines, b'{"torn', lines[0]])
    why = "the same as line 2: pi goes back there, and forgets what came after"
    said = run_in_process("status", str(file), home=tmp_path)
    assert f"x.jsonl: 1 line repaired (line 16: {why}".encode() in said.err
    assert b"x.jsonl: 1 damaged line skipped (line 15: not JSON" in said.err
    assert f"damage     line 16: {why}" in said.text
    assert (
        b"1 damaged line skipped, 1 line repaired" in run_in_process("usage", str(file), home=tmp_path).err
    )


# -- verify --------------------------------------------------------------------------------------------------


def lost_claude():
    file = played(Claude(), "user a one; said b two; user c three")
    del file.lines[1]
    return file


def unanswered_claude():
    return played(Claude(), "called a A; user b go_on; result c B orphan")


def nameless_claude():
    file = Claude()
    file.said("a", "one")
    del file.lines[0]["message"]["model"]
    return file


def odd_codex():
    file = Codex()
    file.user("one")
    file.item("message", role="user", content="lost")
    file.result("A", "before its call")
    file.called("A")
    file.result("A", "of A")
    file.result("A", "of A again")
    return file


def paginated_codex():
    file = Codex()
    file.lines[0] |= {"ordinal": 0}
    file.lines[0]["payload"]["history_mode"] = "paginated"
    file.user("one")
    return file


def headless_pi():
    file = Pi()
    file.user("a", "one")
    del file.lines[0]
    return file


def odd_pi():
    file = Pi()
    file.result("a", "A", "orphan")
    file.said("b", "x", usage={})
    return file


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (lost_claude(), [(2, "forgets", "its parent b… is not in the file: Claude Code would send 1 of 2 messages unless the times show its place")]),
        (
            unanswered_claude(),
            [
                (1, "drops", "the call of Bash has no result: Claude Code drops the model's message"),
                (3, "drops", "the result of tool answers no call before it: Claude Code drops it"),
            ],
        ),
        (nameless_claude(), [(1, "refused", "a model's message without `model`: Claude Code hangs")]),
        (
            odd_codex(),
            [
                (3, "drops", "a message whose content is not a list: Codex silently drops it"),
                (4, "refused", "the result of unknown comes before its call: Codex sends them unchanged, which its provider refuses"),
                (7, "refused", "a second result of exec_command for one call: Codex sends both, which its provider refuses"),
            ],
        ),
        (paginated_codex(), [(2, "refused", "a line without `ordinal`: Codex does not resume it")]),
        (headless_pi(), [(1, "forgets", "no header: pi overwrites the file when it opens it, and its messages are gone")]),
        (
            odd_pi(),
            [
                (2, "refused", "the result of bash answers no call before it: pi sends it, which its provider refuses"),
                (3, "refused", "a model's message without `usage.totalTokens`: pi crashes"),
            ],
        ),
    ],
    ids=["a lost line", "no pairs", "no model", "Codex", "Codex in pages", "no header", "pi"],
)  # fmt: skip
def test_verify_says_what_the_program_would_do(file, expected, tmp_path):
    path = file.write(tmp_path)
    done = run_in_process("verify", str(path), "--json", home=tmp_path)
    found = orjson.loads(done.out)
    assert [(p["line"], p["effect"], p["reason"]) for p in found["problems"]] == expected
    assert (done.code, found["ok"]) == (1, False)
    text = run_in_process("verify", str(path), home=tmp_path).text.splitlines()
    assert text == [f"{path}: line {line}: {reason}" for line, _, reason in expected]


def test_verify_of_a_sound_file(tmp_path):
    path = written(tmp_path / f"{SESSION}.jsonl", SAMPLES["pi"]())
    done = run_in_process("verify", str(path), home=tmp_path)
    assert (done.code, done.text) == (0, "ok: 5 messages of pi")
    (told,) = run_in_process("verify", str(path), "--json", home=tmp_path).lines
    about = (told["program"], told["session"], told["version"], told["sessions"], told["messages"])
    assert (about, told["ok"]) == (("pi", f"pi-{SESSION}", "3", 1, 5), True)
