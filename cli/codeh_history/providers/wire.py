"""Read a provider's answer as it arrives: from bytes in any chunking to parts, then one outcome.

    reader = Reader(format)            # None: detect it
    while chunk := read(stdin):
        parts = reader.feed(chunk)     # new content, for the pending message and for --echo
    outcome = reader.close()           # Reply, Failure, Cut, Nothing or Unreadable

It is pure (no clock, no I/O), and no input makes it raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import orjson

from ..base.words import excerpt
from ..session.model import Json, Part
from ..session.view import join
from . import Format, detect
from .detect import failure, passing
from .framing import Frame, Framer
from .protocol import AnswerReader, Cut, Failure, Nothing, Outcome, Reply, StreamReader, Unreadable

_NOISE_KEPT = 50  # lines kept for a message about input that is not an answer
_STATUS = re.compile(r"(?:error |http )?([45]\d\d)\b", re.IGNORECASE)  # in an error page's title


class Reader(AnswerReader):
    """Reads a provider's answer, even after curl's retries and headers.

    `done`: the terminator has arrived; only close() knows whether more follows.
    """

    def __init__(self, format: str | None = None, model: str | None = None) -> None:
        super().__init__(format, model)
        self.format = format
        self._framer = Framer()
        self._any_began = False
        self._stream: StreamReader | None = None
        self._damage = ""  # why the stream cannot be completed
        self._new: list[Part] = []  # the parts of this feed
        self._id: str | None = None  # the current answer's id
        self._earlier: set[str] = set()  # ids of the streams before the current one
        self._mixed = ""  # the ids of interleaved responses, after which nothing is read
        self._replies: list[Reply] = []  # the different complete answers
        self._last: Reply | Failure | Cut | Unreadable | None = None
        self._status = 0
        self._noise: list[str] = []
        self._compressed = False

    @property
    def done(self) -> bool:
        return self._stream.done if self._stream is not None else isinstance(self._last, Reply)

    def feed(self, chunk: bytes) -> list[Part]:
        """Read the next bytes; return the parts that arrived with them.

        A streamed answer arrives in pieces (texts and thoughts as deltas, calls complete). An answer that
        is one JSON document arrives at once, and `begun` stays False.
        """
        return self._read(self._framer.feed(chunk))

    def close(self) -> Outcome:
        self.tail = self._read(self._framer.close())
        if self._stream is not None:
            self._stream.end_of_input()
        self._settle()
        if self._mixed:
            return Unreadable(f"interleaved responses ({self._mixed}); pass one at a time")
        last, ids = self._last, [reply.id for reply in self._replies]
        if isinstance(last, Cut) and self.arrived and self._id not in ids:
            ids.append(self._id)
        if len(ids) > 1:
            return Unreadable(f"more than one response ({_list_ids(ids)}); pass one at a time")
        if self._replies and not isinstance(last, Failure):
            return self._replies[0]
        return last if isinstance(last, (Failure, Cut)) else self._nothing_usable()

    def _nothing_usable(self) -> Outcome:
        """The outcome if there is neither an answer, nor an error, nor the beginning of one."""
        seen = self._last.text if isinstance(self._last, Unreadable) else ""
        noise = "\n".join(self._noise).strip()
        page = _page(noise)
        if self._compressed:
            seen = "compressed with gzip: let curl decode it (curl --compressed)"
        elif page:
            seen = f"an HTML page: {page}"
        elif noise and not seen:
            seen = f"not a provider's answer: {excerpt(noise)}"
        titled = _STATUS.match(page)
        status = self._status if self._status >= 400 else int(titled[1]) if titled else 0
        if status:
            text = ": ".join(filter(None, (f"HTTP {status}", seen)))
            return Failure(text, self.provider or "", passing(status), code=str(status))
        return Unreadable(seen) if seen else Nothing()

    # -- frames -------------------------------------------------------------------------------------

    def _read(self, frames: list[Frame]) -> list[Part]:
        self._new = []
        for kind, value, name in frames:
            if self._mixed:
                break
            if kind in ("event", "document"):
                self._read_object(value, name, alone=kind == "document")
            elif kind == "end" and self._stream is not None:
                self._stream.end()
            elif kind == "seam":
                self._settle()
                self._earlier.clear()
            elif kind in ("damage", "cut") and self._stream is not None:
                self._damage = self._damage or (value if kind == "damage" else f"it breaks off at {value}")
            elif kind == "damage":
                self._last = Unreadable(value)
            elif kind == "cut":
                self._last = Cut([], f"the answer was cut off: {value}")
            elif kind == "noise" and len(self._noise) < _NOISE_KEPT:
                self._noise.append(value)
            elif kind == "gzip":
                self._compressed = True
            elif kind == "head":
                self._status = value
        return self._new

    def _read_object(self, body: Json, name: str, *, alone: bool) -> None:
        """Read an event of a stream, or an object that stands `alone`: an answer, an error, a JSON line."""
        if self._read_error(body, name):
            return
        provider, kind = detect.recognise(body)
        if kind == "answer" or (kind == "either" and alone and not self._continues(provider, body)):
            self._read_answer(body, provider)
        elif kind or not alone:
            self._read_event(body, provider if kind else None)
        else:
            self._noise.append(excerpt(orjson.dumps(body)))

    def _read_event(self, body: Json, provider: str | None) -> None:
        """Read an event; `provider`: its format, None if it may only continue a stream."""
        id = detect.answer_id(body)
        mixed = id in self._earlier and id != self._id
        if provider is not None and not mixed and not self._continues(provider, body):
            if self._stream is not None and self._id:
                self._earlier.add(self._id)
            if self._begin(provider):
                self.begun = True
                self._stream = Format(provider).stream()
        if mixed or (self._stream is not None and self._stream.conflicts(body)):
            self._mixed = _list_ids(dict.fromkeys((*self._earlier, self._id, id)))
            return
        if self._stream is not None:  # None between streams, and in one of another format
            self._add(self._stream.feed(body))
            self._id = self.response_id = self._stream.id
            self.model = self._stream.model

    # -- answers ------------------------------------------------------------------------------------

    def _continues(self, provider: str, event: Json) -> bool:
        return self._stream is not None and provider == self.provider and self._stream.belongs(event)

    def _begin(self, provider: str) -> bool:
        """End the current answer and begin one of this provider; return False if another is expected."""
        self._settle()
        if self.format not in (None, provider):
            self._last = Unreadable(f"this is an answer of the format {provider}, not {self.format}")
            return False
        self.restarts += self._any_began
        self._any_began = True
        self._new, self.arrived, self._id = [], [], None
        self.provider = provider
        return True

    def _read_answer(self, body: Json, provider: str) -> None:
        """Read a complete answer."""
        if not self._begin(provider):
            return
        outcome = Format(provider).response(body)
        if isinstance(outcome, Reply):
            self._id = self.response_id = outcome.id
            self.model = outcome.model
            self._add(outcome.parts)
        self._conclude(outcome)

    def _read_error(self, body: Json, event: str = "") -> bool:
        """If this is an error, discard the current answer; return whether it is one."""
        streams = self._stream is not None
        provider = self.format or (self.provider if streams else None)
        failed = failure(body, event=event, provider=provider, status=self._status)
        if failed is None:
            return False
        model = failed.model or (self.model if streams else None)
        self._stream, self._damage = None, ""
        self._last = replace(failed, model=model)
        return True

    def _add(self, parts: list[Part]) -> None:
        self._new += parts
        self.arrived += parts

    def _settle(self) -> None:
        """End the current stream, and store its outcome."""
        stream, self._stream = self._stream, None
        damage, self._damage = self._damage, ""
        if stream is None:
            return
        outcome: Reply | Failure | Cut | None = None if damage else stream.result()
        if outcome is None:
            missing = damage or Format(str(self.provider)).package.END
            outcome = Cut(join([], self.arrived), f"the answer was cut off ({missing})")
        self._conclude(outcome)

    def _conclude(self, outcome: Reply | Failure | Cut) -> None:
        self._last = outcome
        if isinstance(outcome, Reply) and not any(
            (outcome.id, outcome.parts) == (reply.id, reply.parts) for reply in self._replies
        ):
            self._replies.append(outcome)


def _list_ids(ids: Iterable[str | None]) -> str:
    return ", ".join(id or "without id" for id in ids)


def _page(text: str) -> str:
    """The title, else the beginning of the text, of an HTML page; "" for anything else."""
    if not re.search(r"<(?:!doctype html|html|head|body|title)\b", text, re.IGNORECASE):
        return ""
    title = re.search(r"<(title|h1)[^>]*>(.*?)</\1", text, re.IGNORECASE | re.DOTALL)
    bare = re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", text, flags=re.IGNORECASE | re.DOTALL)
    return excerpt(title[2] if title and title[2].strip() else bare) or "without text"


def read(data: bytes, format: str | None = None) -> Outcome:
    """Read a complete response."""
    reader = Reader(format)
    reader.feed(data)
    return reader.close()
