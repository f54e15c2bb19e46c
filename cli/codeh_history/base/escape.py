"""Texts escaped: as JSON without a JSON library, and so that none of a session can drive a terminal."""

from __future__ import annotations

from .lazy import Pattern

_JSON = str.maketrans(
    {chr(code): f"\\u{code:04x}" for code in range(32)}
    | {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
)

# C0 but newline and tab, DEL, C1, bidi and zero-width characters, line and paragraph separators, BOM,
# lone surrogates, tags.
_ACTS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
# Persian, Indic scripts and joined emoji are written with U+200C and U+200D behind a letter or picture;
# behind Latin letters, nothing or one another they can only hide something. The pattern begins with all
# that it can find: texts are looked through for one such class five times as fast as for a choice of two.
_JOINS = "\u200c\u200d"
_UNSAFE = Pattern(f"[{_ACTS}{_JOINS}](?<![^\x00-\u02ff{_JOINS}{_ACTS}][{_JOINS}])")


def quote(text: str) -> str:
    """The text as a JSON string, the same bytes as the JSON library would write."""
    return f'"{text.translate(_JSON)}"'


def safe(text: str) -> str:
    """The text with every character that could act on a terminal shown as its escape, newlines kept."""
    if text.isprintable():  # as a line is that says nothing but what is seen
        return text
    escaped: str = _UNSAFE.sub(lambda match: _shown(match[0]), text)
    return escaped


def visible(text: str) -> str:
    """The same on one line: newlines and tabs are shown too."""
    return safe(text).replace("\n", "\\n").replace("\t", "\\t")


def shown(data: bytes) -> bytes:
    """Bytes as a terminal may see them; JSON stays the same JSON."""
    text = data.decode("utf-8", "backslashreplace")
    if data.isascii() and text.isprintable():
        return data
    escaped: str = _UNSAFE.sub(lambda match: _in_json(match[0]), text)
    return escaped.encode()


def _in_json(char: str) -> str:
    if ord(char) < 0x20:
        return _shown(char)  # JSON holds none as it is
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _shown(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return f"^{chr(code + 64)}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
