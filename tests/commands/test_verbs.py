"""Small verbs, and the table of all verbs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history import commands
from codeh_history.commands.fork import up_to
from codeh_history.formats import EXPORTERS
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from in_process import run_in_process, run_ok


def test_each_verb_is_in_one_section_and_every_module_is_listed():
    assert len(set(commands.COMMANDS)) == len(commands.COMMANDS)
    assert [verb for verb in commands.COMMANDS if not verb.isidentifier()] == []


@pytest.mark.parametrize("form", EXPORTERS)
@pytest.mark.parametrize("flag", ["--output", "-o"])
def test_any_form_goes_into_a_new_file(home, tmp_path, form, flag):
    run_ok("append", "-s", "a", "-m", "hi")
    file = tmp_path / "a.out"
    done = run_ok("export", "a", "--to", form, flag, file)
    assert (done.out, file.read_bytes()) == (b"", run_ok("export", "a", "--to", form).out)
    again = run_in_process("export", "a", "--to", form, flag, str(file))
    assert (again.code, b"already exists" in again.err) == (65, True)


HIDING = (b'"clear"', b'"summary"', b'"compaction"')


def shows(view):
    return [(m.id, m.parts if m.committed else None, m.pending) for m in view.messages]


@given(data=some.files_of(refs=True), choice=st.data())
def test_a_fork_shows_the_messages_up_to_its_last_as_they_are_now(data, choice):
    """Later edits, commits and undos show in the fork too."""
    kept = [line for line in lines_of(data) if not any(word in line for word in HIDING)]
    view = fold(parse(b"".join(kept)))
    if not view.messages:
        return
    at = choice.draw(st.integers(0, len(view.messages) - 1))
    records = up_to(view, view.messages[at])
    forked = fold(parse(b"".join(record.raw + b"\n" for record in records)))
    assert shows(forked) == shows(view)[: at + 1]


@pytest.mark.parametrize("environ", [{}, {"CODEH_STORE": "dir:{}/w"}, {"CODEH_BLOCKS": "{}/b"}])
def test_a_folder_needs_no_tables(home, tmp_path, environ):
    env = {name: value.format(tmp_path) for name, value in environ.items()}
    done = run_ok("store", "init", env=env)
    place = env.get("CODEH_STORE", f"dir:{home}/sessions").removeprefix("dir:")
    note = f"{place}: a folder needs no tables (CODEH_STORE=postgres://… does)"
    assert done.err.decode() == f"codeh-history: {note}\n"
    assert not home.exists()
    assert not (tmp_path / "w").exists()
