"""The format `text`, for commands that read a prompt and print an answer: write a transcript as the prompt,
and read the command's output as it arrives. It has no protocol, so it is never detected.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Sequence
from typing import Any

from ..base.lazy import Pattern
from ..session.labels import labelled, pattern
from ..session.model import SUMMARY_HEAD, Message, Part
from .media import media
from .parts import json_text, result_media, result_text
from .protocol import AnswerReader, Cut, Nothing, Outcome, Reply, Unreadable
from .request import Options, Transcript
from .turns import Turn, media_stub, turns_of

HEAD = "The conversation so far. Write only what the assistant says next, without a label."
_OURS = pattern()
_WHO = {"user": "User", "model": "Assistant"}

# Escape sequences: CSI (colours, the cursor), OSC (titles, links), strings, and the two-character ones.
_ESCAPE = Pattern(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]"
)
_BEGUN = Pattern(r"(?:\r|\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*))\Z")
_TO_THE_START = Pattern(r"\x1b\[(?:[01]?G|2K)")  # moves to the start of the line, like a carriage return
_LONGEST = 4096  # most characters of a sequence to wait for


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Transcript:
    """Build the transcript of curated, paired messages; a single prompt is sent without a label.

    A line of a message that looks like a label is indented. Summaries are not changed, because they have
    headings and speakers of their own.
    """
    notes: list[str] = []
    if options.tools:
        notes.append(f"plain text offers no tools: {len(options.tools)} left out")
    if options.max_tokens is not None:
        notes.append("plain text has no --max-tokens: left out")
    entries = [("System", options.system)] if options.system else []
    if summaries:
        entries.append(("Summary", "\n\n".join([SUMMARY_HEAD, *summaries])))
    for turn in turns_of(messages):
        entries += _entries(turn)
    if len(entries) == 1 and entries[0][0] == "User":
        return Transcript(text=f"{entries[0][1]}\n", notes=notes)
    labels = (
        f"Summary: {text}" if who == "Summary" else labelled(who, text, _OURS) for who, text in entries
    )
    return Transcript(text="\n\n".join([HEAD, *labels]) + "\n", notes=notes)


def _entries(turn: Turn) -> list[tuple[str, str]]:
    """A turn's texts, each with its label; thoughts and native parts are left out."""
    entries: list[tuple[str, str]] = []
    texts: list[str] = []
    for part in turn.parts:
        value: Any = part
        if "functionCall" in part:
            call = value["functionCall"]
            entries.append(("Tool call", f"{call.get('name')} {json_text(call.get('args') or {})}"))
        elif "functionResponse" in part:
            response = value["functionResponse"]
            text = result_text(response.get("response"))
            entries.append(("Tool result", f"{response.get('name')}: {text}"))
            entries += [("Tool result", _file(media)) for media in result_media(response)]
        elif "text" in part:
            texts.append("" if part.get("thought") else str(part["text"]))
        elif "native" not in part:
            texts.append(_file(part))
    if turn.role == "model":  # its parts are pieces of one text
        text = "".join(texts).strip("\n")
    else:
        text = "\n\n".join(piece.strip("\n") for piece in texts if piece).strip("\n")
    blank = any(texts) and [*map(len, turn.parts)] == [1] and not turn.item  # a blank message counts
    return [(_WHO[turn.role], text), *entries] if text or blank else entries


def _file(part: Part) -> str:
    """The content of a text file below its name; the type and size of any other file."""
    file = media(part)
    text = file.text() if file is not None and file.textual and file.data is not None else None
    if file is None or text is None:
        return media_stub(part, "not sent as text")
    return f"[{file.name or file.mime}]\n{text}"


# -- a command's output ---------------------------------------------------------------------------------


class Exact(AnswerReader):
    """Reads text unchanged, except for a byte order mark at its start.

    Invalid UTF-8 arrives as U+FFFD and makes the outcome Unreadable, which names the first such byte.
    """

    _removed = ""  # characters removed from the end
    _nothing: Outcome = Unreadable("the message is empty: stdin has no text")

    def __init__(self, model: str | None = None, provider: str | None = None) -> None:
        super().__init__(provider, model)
        self.cut = ""  # why the text is incomplete
        self._texts: list[str] = []
        self._blank = ""  # whitespace before the first word
        self._raw = bytearray()
        self._decoder = getincrementaldecoder("utf-8-sig")("replace")

    def feed(self, chunk: bytes) -> list[Part]:
        """Read the next bytes; return their text, but nothing until there is more than whitespace."""
        self._raw += chunk
        return self._add_text(self._decoder.decode(chunk), final=False)

    def close(self) -> Outcome:
        self.tail = self._add_text(self._decoder.decode(b"", final=True), final=True)
        text = "".join(self._texts).rstrip(self._removed)
        try:
            self._raw.decode()
        except UnicodeDecodeError as error:
            return Unreadable(f"byte {error.start} of the text is not UTF-8")
        if not text.strip():
            return self._nothing
        parts: list[Part] = [{"text": text}]
        return Cut(parts, self.cut) if self.cut else Reply(parts, self.provider or "", self.model)

    def _add_text(self, text: str, *, final: bool) -> list[Part]:
        text = self._clean(text, final=final)
        self._texts.append(text)
        self._blank += text
        if not self._blank or not (self.begun or self._blank.strip()):
            return []
        self.begun = True
        new: list[Part] = [{"text": self._blank}]
        self._blank = ""
        self.arrived += new
        return new

    def _clean(self, text: str, *, final: bool) -> str:  # noqa: ARG002
        return text


class Reader(Exact):
    """Reads a command's answer without byte order mark, escape sequences and final newlines; CRLF is LF."""

    _removed = "\n"
    _nothing = Nothing()

    def __init__(self, model: str | None = None) -> None:
        super().__init__(model, "text")
        self._held = ""  # the start of an escape sequence or of CRLF

    def _clean(self, text: str, *, final: bool) -> str:
        text = self._held + text
        self._held = ""
        if "\x1b" not in text and "\r" not in text:
            return text
        begun = None if final else _BEGUN.search(text, max(0, len(text) - _LONGEST))
        if begun is not None:
            text, self._held = text[: begun.start()], begun[0]
        plain: str = _ESCAPE.sub("", _TO_THE_START.sub("\r", text))
        return plain.replace("\r\n", "\n")
