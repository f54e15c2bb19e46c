"""Detect the media type of a file from its content; compute its size from its base64."""

from __future__ import annotations

# Types that some provider accepts; larger signature databases mistake plain text for old formats.
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"), (b"%PDF-", "application/pdf"), (b"ID3", "audio/mp3"),
    (b"\xff\xfb", "audio/mp3"), (b"\xff\xf3", "audio/mp3"), (b"OggS", "audio/ogg"), (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"), (b"PK\x03\x04", "application/zip"), (b"\x1f\x8b", "application/gzip"),
)  # fmt: skip
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_FTYP = {
    b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heif", b"avif": "image/avif",
    b"M4A ": "audio/mp4", b"qt  ": "video/quicktime",
}  # fmt: skip


def mime_type(data: bytes, name: str) -> str:
    """Return a file's media type, from its content; for text, its name may refine it (`text/markdown`)."""
    for signature, mime in _SIGNATURES:
        if data.startswith(signature):
            return mime
    if data[:4] == b"RIFF" and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    if data[4:8] == b"ftyp":
        return _FTYP.get(data[8:12], "video/mp4")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream"
    if b"\0" in data:
        return "application/octet-stream"
    import mimetypes

    guessed = mimetypes.guess_type(name)[0] or ""
    textual = guessed.startswith("text/") or guessed in ("application/json", "image/svg+xml")
    return guessed if textual else "text/plain"


def decoded_size(base64: str) -> int:
    """Return the number of bytes that a base64 text encodes."""
    return len(base64) * 3 // 4 - base64[-2:].count("=")
