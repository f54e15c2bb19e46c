"""What a command prints, read as it arrives: plain text, with or without a terminal's decorations."""

from __future__ import annotations

import re
from codecs import utf_8_decode

from ...session.model import Part
from ..reply import AnswerReader, Cut, Nothing, Outcome, Reply, Unreadable

# Escape sequences: CSI (colours, the cursor), OSC (titles, links), strings, and the two-character ones.
_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]"
)
_BEGUN = re.compile(r"(?:\r|\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*))\Z")
_TO_THE_START = re.compile(r"\x1b\[(?:[01]?G|2K)")  # of the line, as a carriage return
_LONGEST = 4096  # characters of a sequence that has not ended


class Exact(AnswerReader):
    """Text that is kept byte for byte, without a byte order mark at its start.

    Bytes that are not UTF-8 arrive as U+FFFD, and make the whole Unreadable, naming the first of them.
    """

    def __init__(self, model: str | None = None, provider: str | None = None) -> None:
        super().__init__(provider, model)
        self.cut = ""  # why what arrived is not the whole
        self._texts: list[str] = []
        self._blank = ""  # blanks before the first word
        self._rest = b""  # of a character whose end is missing
        self._read = 0  # bytes before the rest
        self._wrong: int | None = None

    def feed(self, chunk: bytes) -> list[Part]:
        """Take the next bytes; returns the text that arrived with them, once there is more than blanks."""
        return self._take(self._decoded(chunk, final=False), final=False)

    def close(self) -> Outcome:
        self.tail = self._take(self._decoded(b"", final=True), final=True)
        text = self._whole("".join(self._texts))
        if self._wrong is not None:
            return Unreadable(f"byte {self._wrong} of the text is not UTF-8")
        if not text.strip():
            return self._nothing()
        parts: list[Part] = [{"text": text}]
        return Cut(parts, self.cut) if self.cut else Reply(parts, self.provider or "", self.model)

    def _decoded(self, chunk: bytes, *, final: bool) -> str:
        data = self._rest + chunk
        try:
            text, used = utf_8_decode(data, "strict", final)
        except UnicodeDecodeError as error:
            if self._wrong is None:
                self._wrong = self._read + error.start
            text, used = utf_8_decode(data, "replace", final)
        text = text if self._read else text.removeprefix("\ufeff")
        self._rest = data[used:]
        self._read += used
        return text

    def _take(self, text: str, *, final: bool) -> list[Part]:
        text = self._clean(text, final=final)
        self._texts.append(text)
        self._blank += text
        if not self._blank or not (self.begun or self._blank.strip()):
            return []
        self.begun = True
        new, self._blank = self._blank, ""
        return [{"text": new}]

    def _clean(self, text: str, *, final: bool) -> str:  # noqa: ARG002
        return text

    def _whole(self, text: str) -> str:
        return text

    def _nothing(self) -> Outcome:
        return Unreadable("the message is empty: nothing but blanks came on stdin")


class Reader(Exact):
    """The answer of a command, without byte order mark, escape sequences and final newlines; CRLF is LF."""

    def __init__(self, model: str | None = None) -> None:
        super().__init__(model, "text")
        self._held = ""  # the beginning of an escape sequence or of CRLF

    def _clean(self, text: str, *, final: bool) -> str:
        text = self._held + text
        self._held = ""
        if "\x1b" not in text and "\r" not in text:
            return text
        begun = None if final else _BEGUN.search(text, max(0, len(text) - _LONGEST))
        if begun is not None:
            text, self._held = text[: begun.start()], begun[0]
        return _ESCAPE.sub("", _TO_THE_START.sub("\r", text)).replace("\r\n", "\n")

    def _whole(self, text: str) -> str:
        return text.rstrip("\n")

    def _nothing(self) -> Outcome:
        return Nothing()
