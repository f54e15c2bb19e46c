"""Escape text: as JSON without a JSON library, and for terminals, which content must not control."""

from __future__ import annotations

from .lazy import Pattern

_JSON = str.maketrans(
    {chr(code): f"\\u{code:04x}" for code in range(32)}
    | {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
)

# C0 except newline and tab, DEL, C1, bidi and zero-width characters, line and paragraph separators, BOM,
# lone surrogates, tags
_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
# Persian, Indic scripts and joined emoji use U+200C and U+200D after a letter or picture. After a Latin
# letter, another joiner or nothing, they can only hide text. The pattern starts with one class of all
# candidates, which is five times as fast as an alternation.
_JOINERS = "\u200c\u200d"
_UNSAFE = Pattern(f"[{_CONTROLS}{_JOINERS}](?<![^\x00-\u02ff{_JOINERS}{_CONTROLS}][{_JOINERS}])")


def quote(text: str) -> str:
    """Return the text as a JSON string, with the same bytes as the JSON library writes."""
    return f'"{text.translate(_JSON)}"'


def safe(text: str) -> str:
    """Escape every character that could control a terminal, except newlines and tabs."""
    if text.isprintable():
        return text
    escaped: str = _UNSAFE.sub(lambda match: _shown(match[0]), text)
    return escaped


def visible(text: str) -> str:
    """Like `safe`, but escape newlines and tabs too."""
    return safe(text).replace("\n", "\\n").replace("\t", "\\t")


def shown(data: bytes) -> bytes:
    """Escape bytes for a terminal, in a way that keeps the value of JSON."""
    text = data.decode("utf-8", "backslashreplace")
    if data.isascii() and text.isprintable():
        return data
    escaped: str = _UNSAFE.sub(lambda match: _in_json(match[0]), text)
    return escaped.encode()


def _in_json(char: str) -> str:
    if ord(char) < 0x20:
        return _shown(char)  # JSON never contains it unescaped
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _shown(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return f"^{chr(code + 64)}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
