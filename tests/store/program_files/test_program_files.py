"""A file of another program as its reader sees it: its lines, what lies beside it, and no way out of its folder."""

import os
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import BadData, InputOutput, NotFound
from codeh_history.programs.protocol import Refused
from codeh_history.store import program_files
from codeh_history.store.program_files import head_of, is_database, opened


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
            found = list(file.lines())
            assert b"".join(found) == data
            assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in found[:-1])
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
        with pytest.raises(Refused, match=r"deep/none: is not there"):
            file.beside("deep", "none")


@pytest.mark.parametrize(
    "names",
    [
        ("..", "other"),
        ("deep", "..", "..", "other"),
        ("/etc/hosts",),
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
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "f").write_bytes(b"secret")
    (tmp_path / "s" / "link").symlink_to(tmp_path / "other")
    (tmp_path / "s" / "folder").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "s" / "pipe")
    before = len(os.listdir("/dev/fd"))
    with of(tmp_path / "s.jsonl", b"{}\n") as file:
        with pytest.raises(Refused):
            file.beside(*names)
        assert file.names(*names) == []
    assert len(os.listdir("/dev/fd")) == before


def test_a_folder_that_is_a_link_is_none(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "f").write_bytes(b"secret")
    (tmp_path / "s").symlink_to("elsewhere")
    with of(tmp_path / "s.jsonl", b"{}\n") as file:
        assert file.names() == []
        with pytest.raises(Refused):
            file.beside("f")


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a.jsonl", "a"),
        ("a.json", "a"),
        ("a.jsonl.zst", "a"),
        ("a.b.txt", "a.b.txt"),
        ("rollout-1", "rollout-1"),
    ],
)
def test_its_stem_is_its_name_without_what_it_is(tmp_path, name, stem):
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
