"""What media cost, by dimensions, durations and pages in their headers."""

import base64
import os
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.tokens import media
from codeh_history.tokens.counter import open_counter
from codeh_history.tokens.formula import message_tokens
from histories import model, result, session, tool, user

O200K = open_counter("o200k_base")


def b64(data):
    return base64.b64encode(data).decode()


def png(width, height):
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))


@pytest.mark.parametrize(("rule", "size", "tokens"), [
    ("anthropic", (540, 360), 260), ("anthropic", (512, 512), 361), ("anthropic", (1024, 1024), 1369),
    ("anthropic", (4000, 3000), 1568), ("anthropic", (1, 1), 1), ("openai", (3008, 2000), 1105),
    ("openai-5", (3008, 2000), 910), ("gpt-4.1-nano", (544, 384), 502), ("gpt-4o-mini", (100, 100), 8500),
    ("openai", (512, 512), 255), ("anthropic-4.7", (4000, 4000), 4784), ("anthropic-4.7", (512, 512), 361),
    ("openai-patches", (512, 512), 308), ("openai-patches", (9000, 9000), 12_000), ("gemini-3", (40, 40), 1102),
     ("openai", (1, 9000), 765), ("gemini", (300, 384), 258), ("gemini", (1000, 700), 516),
])  # fmt: skip
def test_images_cost_by_dimensions(rule, size, tokens):
    assert media.image_tokens(*size, rule) == tokens


@pytest.mark.parametrize(("rule", "audio", "video"), [("gemini", 1920, 17_700), ("gemini-3", 1500, 5340)])
def test_a_linked_recording_costs_as_one_of_a_minute(rule, audio, video):
    assert media.file_tokens("audio/mpeg", None, rule) == audio
    assert media.file_tokens("video/mp4", None, rule) == video


def test_media_never_cost_by_the_length_of_their_base64():
    small, large = png(640, 480), png(640, 480) + os.urandom(1 << 20)
    costs = [
        message_tokens(
            O200K, session([user({"inlineData": {"mimeType": "image/png", "data": b64(data)}})]).messages
        )
        for data in (small, large)
    ]
    assert costs[0] == costs[1] == [4 + media.image_tokens(640, 480, "anthropic")]
    native = {
        "native": {
            "provider": "openai-responses",
            "value": {"type": "image_generation_call", "result": b64(large)},
        }
    }
    assert message_tokens(O200K, session([model(native)]).messages)[0] < 1000
    answer = result("shot", parts=[{"inlineData": {"mimeType": "image/png", "data": b64(large)}}])
    assert message_tokens(O200K, session([tool(answer)]).messages)[0] < 1000


JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF"
    + b"\0" * 10
    + b"\xff\xc0\x00\x11\x08"
    + struct.pack(">HH", 480, 640)
    + b"\x03"
)
EXIF = b"\xff\xd8\xff\xe1" + struct.pack(">H", 60_000) + b"\0" * 59_998 + JPEG[2:]
WEBP = {
    "VP8X": b"RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0"
    + (99).to_bytes(3, "little")
    + (49).to_bytes(3, "little"),
    "VP8L": b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0/" + (99 | 49 << 14).to_bytes(4, "little") + b"\0" * 5,
    "VP8 ": b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 100, 50),
}


@pytest.mark.parametrize(("data", "size"), [
    (png(812, 400), (812, 400)), (JPEG, (640, 480)), (EXIF, (640, 480)),
    (b"GIF89a" + struct.pack("<HH", 10, 20) + b"\0" * 10, (10, 20)),
    *((data, (100, 50)) for data in WEBP.values()),
    (b"", None), (b"\x89PNG\r\n\x1a\n", None), (b"\xff\xd8", None), (b"\xff\xd8\xff\xd8\xff\xff", None), (png(0, 5), None),
    (b"RIFF\0\0\0\0WEBPVP8X", None), (b"hello", None),
])  # fmt: skip
def test_dimensions(data, size):
    assert media.image_size(data) == size
    assert media.dimensions(b64(data)) == size


def wav(seconds):
    return (
        b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0"
        + struct.pack("<IIHH", 8000, 8000, 1, 8)
        + b"data\0\0\0\0"
        + b"\0" * 8000 * seconds
    )


def mp4(seconds):
    return (
        b"\0\0\0\x18ftypmp42"
        + b"\0" * 12
        + b"moov"
        + b"mvhd"
        + b"\0" * 12
        + struct.pack(">II", 600, 600 * seconds)
        + b"\0" * 80
    )


MP3 = b"\xff\xfb\x90\x00" + b"\0" * (16_000 * 5 - 4)


@pytest.mark.parametrize(("data", "mime", "seconds"), [
    (wav(4), "audio/wav", 4), (mp4(12), "video/mp4", 12),
    (MP3, "audio/mpeg", 5), (b"\0" * 32_000, "audio/pcm", 2), (b"\0" * 500_000, "video/webm", 2), (b"", "audio/mpeg", 0.1),
    (b"RIFF" + b"\0" * 40 + b"\0" * 16_000, "audio/wav", 1.00275), (b"\0\0\0\0ftyp", "video/mp4", 0.1),
])  # fmt: skip
def test_durations(data, mime, seconds):
    assert media.seconds(data, mime) == pytest.approx(seconds, rel=0.01)


@pytest.mark.parametrize(("data", "pages"), [
    (b"%PDF-1.4 /Type /Pages /Count 2 /Type /Page /Type/Page", 2), (b"%PDF /Type /Pages /Count 17", 17),
    (b"%PDF" + b"\0" * 120_000, 2), (b"", 1),
])  # fmt: skip
def test_pages(data, pages):
    assert media.pages(data) == pages


@given(
    data=st.binary(max_size=80),
    mime=st.sampled_from(["image/png", "audio/wav", "video/mp4", "application/pdf", "x"]),
)
def test_no_header_raises(data, mime):
    for start in (
        b"",
        b"RIFF",
        b"\0\0\0\0ftyp",
        b"ID3",
        b"\xff\xd8\xff",
        b"RIFF\0\0\0\0WEBP",
        b"%PDF",
    ):
        for rule in ("anthropic", "openai", "gemini"):
            assert media.file_tokens(mime, b64(start + data), rule) >= 1
