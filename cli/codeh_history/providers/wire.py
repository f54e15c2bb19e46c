"""What a provider sent, read as it arrives: bytes in any chunking → parts as they come, then one outcome.

    reader = Reader(format)            # None: detect it
    while chunk := read(stdin):
        parts = reader.feed(chunk)     # new content, for the pending message and for --echo
    outcome = reader.close()           # Reply, Failure, Cut, Nothing or Unreadable

Pure: no clock, no I/O. Nothing that arrives makes it raise.
"""

from __future__ import annotations

import re
from dataclasses import replace

import orjson

from ..session.model import Json, Part
from ..session.view import join
from . import detect, load
from .failures import failure, refused
from .framing import Frame, Framer
from .json_text import excerpt
from .protocol import StreamReader
from .reply import Came, Cut, Failure, Nothing, Outcome, Reply, Unreadable

__all__ = ["Came", "Cut", "Failure", "Nothing", "Outcome", "Reader", "Reply", "Unreadable", "read"]


_NOISE_KEPT = 50  # lines, for the message about what came instead of an answer


class Reader:
    """Reads what a provider sent in answer to one request, whatever curl did on the way.

    `provider`, `model` and `response_id` are those of the answer being read, None while unknown
    (`provider` is the given format from the start). `begun`: a streamed answer has begun, so that a
    pending message may be opened. `restarts` counts the answers that began after an earlier one had
    begun (a retry): when a feed raises it, the parts it returns replace all earlier ones. `done`: the
    terminator has arrived; only close() says whether more followed. `tail`: parts that only close()
    brought to light (with `restarts` as for feed). `several`: after close(), what came of each answer where
    that is more than one, so that none of them is the answer.
    """

    def __init__(self, format: str | None = None, model: str | None = None) -> None:
        self.format = format
        self.provider: str | None = format
        self.model = model
        self.response_id: str | None = None
        self.begun = False
        self.restarts = 0
        self.tail: list[Part] = []
        self.several: list[Came] = []
        self._framer = Framer()
        self._stream: StreamReader | None = None
        self._lines = False  # whether the stream being read comes as JSON lines
        self._damage = ""  # why the stream being read cannot be complete any more
        self._new: list[Part] = []  # the parts of this feed
        self._all: list[Came] = []  # every answer that began
        self._came = Came("")  # the one being read
        self._left: dict[str, StreamReader] = {}  # unfinished streams, by id, that another answer followed
        self._mixed = False  # an event of one of these came: nothing after it is read
        self._replies: list[Reply] = []  # the complete answers, equal ones once
        self._last: Reply | Failure | Cut | Unreadable | None = None
        self._status = 0
        self._noise: list[str] = []
        self._compressed = False

    @property
    def done(self) -> bool:
        return self._stream.done if self._stream is not None else isinstance(self._last, Reply)

    def feed(self, chunk: bytes) -> list[Part]:
        """Take the next bytes; returns the parts that arrived with them.

        Parts of a streamed answer come piece by piece (texts and thoughts as deltas, calls whole);
        those of an answer that is one JSON document all at once, with `begun` still False.
        """
        return self._read(self._framer.feed(chunk))

    def close(self) -> Outcome:
        """The end of the input has been reached: what it was. To be called once."""
        self.tail = self._read(self._framer.close())
        self._settle()
        whole = [Came(reply.provider, reply.model, reply.id, reply.parts) for reply in self._replies]
        came = [*whole]
        if isinstance(self._last, Cut) and self._came.parts and self._came.id not in {c.id for c in whole}:
            came.append(self._came)
        if self._mixed:
            self.several = [came for came in self._all if came.parts]
            return Unreadable(f"interleaved responses ({_ids(self.several)}); pass one at a time")
        if len(came) > 1:
            self.several = came
            return Unreadable(f"more than one response ({_ids(self.several)}); pass one at a time")
        if whole and not isinstance(self._last, Failure):
            return self._replies[0]
        if isinstance(self._last, (Failure, Cut)):
            self.several = whole
            return self._last
        return self._nothing_usable()

    def _nothing_usable(self) -> Outcome:
        """What to say where there is no answer, no error and no beginning of either."""
        seen = self._last.text if isinstance(self._last, Unreadable) else ""
        noise = "\n".join(self._noise).strip()
        page = _page(noise)
        if self._compressed:
            seen = "compressed with gzip: let curl decode it (curl --compressed)"
        elif page:
            seen = f"an HTML page: {page}"
        elif noise and not seen:
            seen = f"not a provider's answer: {excerpt(noise)}"
        status = self._status if self._status >= 400 else _status_in(page)
        if status:
            return refused(status, seen, self.provider or "")
        return Unreadable(seen) if seen else Nothing()

    # -- frames -------------------------------------------------------------------------------------

    def _read(self, frames: list[Frame]) -> list[Part]:
        self._new = []
        for frame in frames:
            if self._mixed:
                break
            getattr(self, f"_take_{frame.kind}")(frame)
        return self._new

    def _take_event(self, frame: Frame) -> None:
        body: Json = frame.value
        failed = failure(body, event=frame.name, provider=self._known(), status=self._status)
        if failed is not None:
            return self._failed(failed)
        found = detect.found(body)
        if found is not None and found.kind == "answer":
            return self._answered(body, found.provider)
        if self._is_foreign(body):
            self._mixed = True
            return None
        stream = self._stream
        if stream is None or (found is not None and not self._continues(found.provider, body)):
            if found is None:
                return None  # before the first event of a stream, or between two
            stream = self._begin(found.provider)
            if stream is None:
                return None
            self._lines = frame.kind == "document"
        if stream.conflicts(body):
            self._mixed = True
            return None
        self._add(stream.feed(body))
        self.response_id, self.model = stream.id, stream.model
        self._came.id, self._came.model = stream.id, stream.model
        return None

    def _take_document(self, frame: Frame) -> None:
        body: Json = frame.value
        failed = failure(body, provider=self._known(), status=self._status)
        if failed is not None:
            return self._failed(failed)
        found = detect.found(body)
        if found is None:
            return self._noise.append(excerpt(orjson.dumps(body)))
        line = found.kind == "either" and self._lines and self._continues(found.provider, body)
        if found.kind == "event" or line:
            return self._take_event(frame)
        return self._answered(body, found.provider)

    def _take_end(self, _frame: Frame) -> None:
        if self._stream is not None:
            self._stream.end()

    def _take_head(self, frame: Frame) -> None:
        self._status = frame.value

    def _take_seam(self, _frame: Frame) -> None:
        self._settle()
        self._left.clear()

    def _take_damage(self, frame: Frame) -> None:
        if self._stream is not None:
            self._damage = self._damage or frame.value
        else:
            self._last = Unreadable(frame.value)

    def _take_cut(self, frame: Frame) -> None:
        if self._stream is not None:
            self._damage = self._damage or f"it breaks off at {frame.value}"
        else:
            self._last = Cut([], f"the answer ended before its end: {frame.value}")

    def _take_noise(self, frame: Frame) -> None:
        if len(self._noise) < _NOISE_KEPT:
            self._noise.append(frame.value)

    def _take_gzip(self, _frame: Frame) -> None:
        self._compressed = True

    # -- answers ------------------------------------------------------------------------------------

    def _known(self) -> str | None:
        """The provider that an error must come from: the given one, or the one whose stream it is in."""
        return self.format or (self.provider if self._stream is not None else None)

    def _continues(self, provider: str, event: Json) -> bool:
        return self._stream is not None and provider == self.provider and self._stream.belongs(event)

    def _accepts(self, provider: str) -> bool:
        """End what was being read and begin anew, with this provider if it is the one expected."""
        self._settle()
        if self.format not in (None, provider):
            self._last = Unreadable(f"this is an answer of the format {provider}, not {self.format}")
            return False
        self.restarts = len(self._all)
        self._new, self._came = [], Came(provider)
        self._all.append(self._came)
        self.provider = provider
        return True

    def _is_foreign(self, event: Json) -> bool:
        """Whether an event continues an answer that another one has followed: two come at once."""
        id = detect.answer_id(event)
        if id is None or id not in self._left or (self._stream is not None and id == self._came.id):
            return False
        return self._left[id].belongs(event)

    def _begin(self, provider: str) -> StreamReader | None:
        if self._stream is not None and self._came.id:
            self._left[self._came.id] = self._stream
        if not self._accepts(provider):
            return None
        self.begun = True
        self._stream = load(provider).stream()
        return self._stream

    def _answered(self, body: Json, provider: str) -> None:
        """An answer that is there as a whole."""
        if not self._accepts(provider):
            return
        outcome = load(provider).response(body)
        if isinstance(outcome, Reply):
            self.response_id, self.model = outcome.id, outcome.model
            self._came.id, self._came.model = outcome.id, outcome.model
            self._add(outcome.parts)
        self._conclude(outcome)

    def _failed(self, failed: Failure) -> None:
        """An error: what was being read does not become an answer any more."""
        model = self.model if self._stream is not None else None
        self._stream = None
        self._damage = ""
        self._last = replace(failed, model=failed.model or model)

    def _add(self, parts: list[Part]) -> None:
        self._new += parts
        self._came.parts += parts

    def _settle(self) -> None:
        """The stream being read goes on no further: what it came to."""
        stream, self._stream = self._stream, None
        damage, self._damage = self._damage, ""
        if stream is None:
            return
        outcome: Reply | Failure | Cut | None = None if damage else stream.result()
        if outcome is None:
            missing = damage or load(self._came.provider).package.END
            outcome = Cut(join([], self._came.parts), f"the answer ended before its end ({missing})")
        self._conclude(outcome)

    def _conclude(self, outcome: Reply | Failure | Cut) -> None:
        self._last = outcome
        if isinstance(outcome, Reply) and not any(
            (outcome.id, outcome.parts) == (reply.id, reply.parts) for reply in self._replies
        ):
            self._replies.append(outcome)


def _ids(answers: list[Came]) -> str:
    return ", ".join(came.id or "without id" for came in answers)


def _page(text: str) -> str:
    """The title (or the beginning of the text) of an HTML page; "" where it is none."""
    if not re.search(r"<(?:!doctype html|html|head|body|title)\b", text, re.IGNORECASE):
        return ""
    title = re.search(r"<(title|h1)[^>]*>(.*?)</\1", text, re.IGNORECASE | re.DOTALL)
    bare = re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", text, flags=re.IGNORECASE | re.DOTALL)
    return excerpt(title[2] if title and title[2].strip() else bare) or "without text"


def _status_in(page: str) -> int:
    """The HTTP status in an error page's title (`502 Bad Gateway`, `Error 503 (…)`); 0: none."""
    found = re.match(r"(?:error |http )?([45]\d\d)\b", page, re.IGNORECASE)
    return int(found[1]) if found else 0


def read(data: bytes, format: str | None = None) -> Outcome:
    """The outcome of an answer that is there as a whole."""
    reader = Reader(format)
    reader.feed(data)
    return reader.close()
