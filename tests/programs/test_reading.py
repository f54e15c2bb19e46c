"""Files of other programs read where they stand: every reader and filter takes one as SESSION, none writes it."""

import pytest

from in_process import run_in_process
from program_files import SAMPLES, SESSION, written

READERS = {
    "show": ["--json"], "stats": ["--json"], "last": ["--json"], "payload": ["--raw", "--to", "gemini", "--prefill"],
    "curate": [], "compact": ["--budget", "10k"], "redact": [], "export": ["--to", "html"], "calls": [], "expand": [],
}  # fmt: skip


@pytest.fixture(params=SAMPLES)
def file(request, tmp_path):
    return written(tmp_path / f"{SESSION}.jsonl", SAMPLES[request.param]())


@pytest.mark.parametrize("verb", READERS)
def test_a_verb_prints_the_same_for_a_file_and_its_copy(verb, file, tmp_path):
    copy = run_in_process("import", str(file), home=tmp_path).text
    before = file.read_bytes()
    first = (
        ["s"] if verb == "expand" and file.read_bytes().count(b'"s"') else ["h"] if verb == "expand" else []
    )
    of_file = run_in_process(verb, *first, "-s", str(file), *READERS[verb], home=tmp_path)
    of_copy = run_in_process(verb, *first, "-s", copy, *READERS[verb], home=tmp_path)
    stem = file.stem.encode()
    read, copied = ((done.code, done.out.replace(copy.encode(), stem)) for done in (of_file, of_copy))
    assert read == copied
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
    shown = run_in_process("show", str(file), home=tmp_path).err
    assert b"1 damaged line skipped (line 14: not JSON" in shown
    assert run_in_process("show", "--strict", str(file), home=tmp_path).code == 65


def test_2026_11_23_a_repaired_line_is_not_reported_as_skipped(tmp_path):
    """Nor has it a place in bytes: `status` named byte -1 of another program's file."""
    first, *lines = SAMPLES["pi"]()
    file = written(tmp_path / "x.jsonl", [first, *lines, b'{"torn', lines[0]])
    why = "the same as line 2: pi goes back there, and forgets what came after"
    done = run_in_process("status", str(file), home=tmp_path)
    assert f"x.jsonl: 1 line repaired (line 16: {why}".encode() in done.err
    assert b"x.jsonl: 1 damaged line skipped (line 15: not JSON" in done.err
    assert f"damage     line 16: {why}" in done.text
    counted = run_in_process("usage", str(file), home=tmp_path).err
    assert b"1 damaged line skipped, 1 line repaired" in counted
