"""Files of other programs as their readers see them: folders, archives, and lines of a session."""

import io
import os
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, NotFound
from codeh_history.programs.model import Problem
from codeh_history.programs.protocol import Unreadable
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from codeh_history.store import program_files
from codeh_history.store.program_files import folders, head_of, is_database, opened, translated
from codeh_history.store.program_files.containers import Archive
from codeh_history.store.program_files.folders import files_of
from codeh_history.store.program_files.translated import each, is_reported
from program_files import Claude, played, written
from program_formats import zipped


@contextmanager
def of(path, data=None):
    if data is not None:
        path.write_bytes(data)
    with opened(str(path)) as file:
        yield file


LINES = st.lists(st.sampled_from([b"", b"{}", b'{"a":1}', b"x\ry", b"\r", b"long " * 9]), max_size=8)


@given(lines=LINES, ended=st.booleans(), step=st.integers(1, 30))
def test_lines_are_those_between_newlines(lines, ended, step, tmp_path_factory):
    data = b"\n".join(lines) + (b"\n" if ended else b"")
    with of(tmp_path_factory.mktemp("f") / "s.jsonl", data) as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(program_files, "blocks", partial(program_files.blocks, step=step))
        for _ in range(2):
            read = list(file.lines())
            assert b"".join(read) == data
            assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in read[:-1])
        assert file.at(2, 5) == data[2:7]


def test_what_lies_in_its_own_folder_is_read_and_named(tmp_path):
    (tmp_path / "s" / "deep").mkdir(parents=True)
    (tmp_path / "s" / "deep" / "f").write_bytes(b"beside")
    (tmp_path / "other").write_bytes(b"above")
    with of(tmp_path / "s.jsonl", b"{}\n") as file:
        assert file.stem == "s"
        assert file.beside("deep", "f") == b"beside"
        assert file.names("deep") == ["f"]
        assert file.names() == ["deep"]
        assert file.names("none") == []
        with pytest.raises(Unreadable, match=r"deep/none: is not there"):
            file.beside("deep", "none")


def elsewhere(place):
    """A folder with a file that no session may lead to."""
    (place / "elsewhere").mkdir()
    (place / "elsewhere" / "f").write_bytes(b"secret")


@pytest.mark.parametrize(
    "names",
    [
        ("..", "other"),
        ("deep", "..", "..", "other"),
        ("/etc/hosts",),
        ("OTHER",),
        ("deep/../../other",),
        ("",),
        (".",),
        ("a\0b",),
        ("link",),
        ("folder", "f"),
        ("pipe",),
    ],
)
def test_nothing_leads_out_of_it_nor_hangs(tmp_path, names):
    (tmp_path / "s" / "deep").mkdir(parents=True)
    (tmp_path / "other").write_bytes(b"secret")
    elsewhere(tmp_path)
    (tmp_path / "s" / "link").symlink_to(tmp_path / "other")
    (tmp_path / "s" / "folder").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "s" / "pipe")
    before = len(os.listdir("/dev/fd"))
    names = [str(tmp_path / "other") if name == "OTHER" else name for name in names]
    with of(tmp_path / "s.jsonl", b"{}\n") as file:
        with pytest.raises(Unreadable):
            file.beside(*names)
        assert file.names(*names) == []
    assert len(os.listdir("/dev/fd")) == before


def test_a_folder_that_is_a_link_is_none(tmp_path):
    elsewhere(tmp_path)
    (tmp_path / "s").symlink_to("elsewhere")
    with of(tmp_path / "s.jsonl", b"{}\n") as file:
        assert file.names() == []
        with pytest.raises(Unreadable):
            file.beside("f")


def test_its_stem_is_its_name_without_what_it_is(tmp_path):
    for name, stem in (("a.jsonl", "a"), ("a.json", "a"), ("a.jsonl.zst", "a"), ("a.b.txt", "a.b.txt")):
        with of(tmp_path / name, b"{}\n") as file:
            assert file.stem == stem


def test_the_first_objects_tell_whose_it_is_damage_aside():
    head = head_of(b'\xef\xbb\xbf{"a":1}\n{torn\n[1]\n\n{"b":2}\n')
    assert list(head.objects) == [{"a": 1}, {"b": 2}]
    assert head.objects[1] == {"b": 2}
    assert len(list(head_of(b'{"a":1}\n' * 99).objects)) <= program_files.FIRST_LINES
    assert head_of(b'[{"a":1},{"b":2}]').whole


def test_a_packed_file_is_read_as_what_it_holds_as_far_as_it_goes(tmp_path):
    zstd = pytest.importorskip("backports.zstd")
    whole = zstd.compress(b'{"a":1}\n' * 1000)
    with of(tmp_path / "s.jsonl.zst", whole) as file:
        assert len(list(file.lines())) == 1000
    with of(tmp_path / "s.jsonl.zst", whole[:-5]) as file:
        assert set(list(file.lines())[:-1]) <= {b'{"a":1}\n'}


def test_what_is_no_file_is_named(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, error in (("none", NotFound), ("pipe", BadData), ("s.jsonl/x", InputOutput)):
        (tmp_path / "s.jsonl").touch()
        with pytest.raises(error, match=name), opened(str(tmp_path / name)):
            pass
    (tmp_path / "db").write_bytes(b"SQLite format 3\0...")
    assert [is_database(str(tmp_path / name)) for name in ("db", "s.jsonl", "none")] == [True, False, False]


CODEX = "sessions/2026/01/02/rollout-x.jsonl"


def laid(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}\n")
    return folder


def paths(env, *programs):
    return [file.path for file in files_of(env, programs)]


def test_the_older_form_of_a_file_is_left_out(tmp_path):
    laid(tmp_path / ".codex", CODEX, f"{CODEX}.zst", CODEX.replace("-x", "-y") + ".zst")
    assert paths(Env({"HOME": str(tmp_path)}), "codex") == [
        str(tmp_path / ".codex" / name) for name in (CODEX, CODEX.replace("-x", "-y") + ".zst")
    ]


def test_what_a_session_has_beside_its_file_is_a_state_of_it_too(tmp_path):
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "more" / "a").mkdir(parents=True)
    states = set()
    for time, change in enumerate([Path.touch, Path.touch, Path.unlink], 1):
        change(tmp_path / "more" / "a" / "file")
        for path in (tmp_path / "a.jsonl", tmp_path / "more" / "a", *tmp_path.glob("more/a/*")):
            os.utime(path, (time, 1 if path.suffix else time))
        states.add(folders._stamp(str(tmp_path / "a.jsonl"), (tmp_path / "a.jsonl").stat(), "more/{}"))
    assert len(states) == 3


def read(data, most=1 << 20):
    return [member.read() for member in Archive(io.BytesIO(data)).conversations(most)]


def test_the_members_that_are_called_so_come_by_name():
    names = ("conversations_2.json", "conversations.json", "export/conversations_1.json", "users.json")
    assert read(zipped({name: name for name in names})) == [names[n].encode() for n in (1, 0, 2)]
    assert read(zipped({"users.json": b"x"})) == []


def test_all_of_them_may_unpack_to_so_much():
    data = zipped({"conversations_1.json": b"x" * 600, "conversations_2.json": b"y" * 400})
    assert len(read(data, 1000)) == 2
    with pytest.raises(Unreadable, match=r"GiB when unpacked"):
        read(data, 999)


def test_a_zip_that_cannot_be_read_is_refused():
    data = zipped({"conversations.json": bytes(range(256)) * 40})
    for spoilt in (b"no zip", b"PK\3\4", data[: len(data) // 2], data[:40] + b"\0" * 8 + data[48:]):
        with pytest.raises(Unreadable, match=r"the zip cannot be read: "):
            read(spoilt)


def test_a_file_is_found_by_the_id_prefix_of_its_name():
    data = zipped({"dalle/file-AbC1-picture.png": b"png", "file_00ff.txt": b"text", "other.txt": b"x"})
    archive = Archive(io.BytesIO(data))
    assert archive.read("file-AbC1", 99) == b"png"
    assert archive.read("file_00ff", 4) == b"text"
    with pytest.raises(Unreadable, match=r"file-None: is not in the zip"):
        archive.read("file-None", 99)
    with pytest.raises(Unreadable, match=r"file_00ff: more than 0 MiB"):
        archive.read("file_00ff", 3)


def translated_of(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return translated.of_file(fd, str(path))
    finally:
        os.close(fd)


def talk():
    return played(Claude(), "user u1 hi; model a1 ho")


def texts(data):
    return [message.parts for message in fold(parse(data)).messages]


@pytest.mark.parametrize("data", [b"", b"text\n", b'{"role":"user","parts":[]}\n', b"[]"])
def test_what_is_no_programs_is_none(tmp_path, data):
    (tmp_path / "f").write_bytes(data)
    assert translated_of(tmp_path / "f") is None
    assert list(each(str(tmp_path / "f"))) == []


def test_skipped_and_repaired_lines_are_reported_by_number(tmp_path):
    made = talk()
    path = written(tmp_path / "s.jsonl", [made.lines[0], b"{damage", made.lines[1]])
    session = translated_of(path)
    assert [(damage.line, damage.offset) for damage in session.damage] == [(2, -1)]
    assert len(texts(session)) == 2


@pytest.mark.parametrize(
    ("problem", "reported"),
    [
        (Problem(1, "skips", "not JSON"), True), (Problem(1, "forgets", "a parent"), False), (Problem(1, "forgets", "a parent", "its place"), True),
        (Problem(9, "skips", "torn last line"), False),
    ],
)  # fmt: skip
def test_a_reader_tells_what_it_did_not_read_as_it_stands(problem, *, reported):
    assert is_reported(problem) == reported
