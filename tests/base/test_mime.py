"""What an attached file is, by its content; a name says only which kind of text it is."""

import pytest

from codeh_history.base.mime import mime_type


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"GIF87a.", "image/gif"),
        (b"GIF89a.", "image/gif"), (b"%PDF-1.7", "application/pdf"), (b"ID3\x04", "audio/mp3"),
        (b"\xff\xfb\x90", "audio/mp3"), (b"OggS\0", "audio/ogg"), (b"fLaC\0", "audio/flac"),
        (b"\x1aE\xdf\xa3", "video/webm"), (b"PK\x03\x04", "application/zip"), (b"\x1f\x8b\x08", "application/gzip"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"), (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"RIFF\0\0\0\0AVI LIST", "video/x-msvideo"), (b"\0\0\0\x18ftypheic", "image/heic"),
        (b"\0\0\0\x18ftypavif", "image/avif"), (b"\0\0\0\x18ftypM4A ", "audio/mp4"),
        (b"\0\0\0\x18ftypqt  ", "video/quicktime"), (b"\0\0\0\x18ftypisom", "video/mp4"),
        (b"\xff\xfe\0x", "application/octet-stream"), (b"caf\xe9", "application/octet-stream"),
        (b"a\0b", "application/octet-stream"), (b"RIFF\xff\xff\xff\xffXXXX", "application/octet-stream"),
    ],
)  # fmt: skip
def test_a_file_is_what_its_first_bytes_say_whatever_it_is_called(data, mime):
    assert mime_type(data, "notes.txt") == mime


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.txt", "text/plain"), ("a.md", "text/markdown"), ("a.csv", "text/csv"), ("a.html", "text/html"),
        ("a.json", "application/json"), ("a.svg", "image/svg+xml"), ("Makefile", "text/plain"), ("", "text/plain"),
        ("a.png", "text/plain"), ("a.pdf", "text/plain"), ("a.bin", "text/plain"), ("a.zip", "text/plain"),
    ],
)  # fmt: skip
def test_a_text_is_the_kind_of_text_that_its_name_says(name, mime):
    assert mime_type("grün und RIFF".encode(), name) == mime
