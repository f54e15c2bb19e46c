"""Files in a zip, read in memory that is known before: damaged, huge and hidden ones are refused, never a bug."""

import io
import zipfile

import pytest

from codeh_history.programs.protocol import Refused
from codeh_history.store.program_files.archive import Archive


def zipped(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/").replace("_json", ".json"), data)
    return held.getvalue()


def read(data, most=1 << 20):
    return [member.read() for member in Archive(io.BytesIO(data)).conversations(most)]


def test_the_members_that_are_called_so_come_by_name():
    data = zipped(
        conversations_2_json=b"2",
        conversations_json=b"0",
        export__conversations_1_json=b"1",
        users_json=b"x",
    )
    assert read(data) == [b"0", b"2", b"1"]
    assert read(zipped(users_json=b"x")) == []


def test_all_of_them_may_unpack_to_so_much():
    data = zipped(conversations_1_json=b"x" * 600, conversations_2_json=b"y" * 400)
    assert len(read(data, 1000)) == 2
    with pytest.raises(Refused, match=r"GiB when unpacked"):
        read(data, 999)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"PK\3\4",
        lambda data: data[: len(data) // 2],
        lambda data: data[:40] + b"\0" * 8 + data[48:],
    ],
)
def test_a_zip_that_cannot_be_read_is_refused(spoil):
    data = spoil(zipped(conversations_json=bytes(range(256)) * 40))  # type: ignore[operator]
    with pytest.raises(Refused, match=r"the zip cannot be read: "):
        read(data)


def test_a_file_is_found_by_the_id_with_which_its_name_begins():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("dalle/file-AbC1-picture.png", b"png")
        archive.writestr("file_00ff.txt", b"text")
        archive.writestr("other.txt", b"x")
    found = Archive(held)
    assert found.read("file-AbC1", 99) == b"png"
    assert found.read("file_00ff", 4) == b"text"
    with pytest.raises(Refused, match=r"file-None: is not in the zip"):
        found.read("file-None", 99)
    with pytest.raises(Refused, match=r"file_00ff: more than 0 MiB"):
        found.read("file_00ff", 3)
    with pytest.raises(Refused, match=r"the zip cannot be read"):
        Archive(io.BytesIO(b"no zip"))
