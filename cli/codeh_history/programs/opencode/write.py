"""Write a view as an export that opencode or Kilo imports; a call with its result is one part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

from ...base.times import to_millis
from ...providers.anthropic.blocks import THINKING
from ...providers.anthropic.body import media_part
from ...providers.names import WORD, Alphabet
from ...providers.parts import response_of
from ...session.model import Json, Message
from ...session.records import dumps
from .. import writing
from ..fields import object_at
from ..protocol import Written

_PROVIDERS = {"anthropic": "anthropic", "openai-responses": "openai", "gemini": "google"}
_UNKNOWN = "unknown"  # a provider or model that is not recorded
_BEFORE = 60_000  # milliseconds that ids are dated back, so that the program's own ids are greater
_IDS = Alphabet(WORD + "-", 40)  # every provider accepts these
_TOKENS: Json = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}


class File(writing.Writer):
    """An export without thinking; `calls`: the calls so far, by id."""

    VERSION = "1.18.33"  # the version whose format this is
    AGENT = "build"
    RESUME = ("--session",)

    def begin(self) -> None:
        self.now = to_millis(self.about.time) or 0
        self.time = min(to_millis(self.ts) or 0, self.now)
        self.count = 0
        self.id = self.mint("ses")
        self.messages: list[Json] = []
        self.prompt = ""  # id of the last user message
        self.model = {"providerID": _UNKNOWN, "modelID": _UNKNOWN}
        self.calls: dict[str, Json] = {}

    def name(self) -> str:
        return f"{self.id}.json"

    def finish(self, sent: writing.Sent) -> Written:
        about, model = self.about, "/".join(self.model.values())
        first = self.messages[0]["info"]["time"]["created"] if self.messages else self.now
        self.lines = [{
            "info": {
                "id": self.id, "slug": f"session-{about.id[:8]}", "projectID": "global",
                "directory": about.cwd,
                "title": about.title or f"New session - {about.time}",  # the program's default
                "version": self.VERSION, "time": {"created": first, "updated": self.time},
            },
            "messages": self.messages,
        }]  # fmt: skip
        command = self.program.command
        advice = (
            f"{command} continues with {model}; if it has no such model, choose one (-m PROVIDER/MODEL)"
        )
        return super().finish(sent)._replace(
            resume=(command, *self.RESUME, self.id), notes=[*sent.notes, advice],
            imported=(command, "import"),
        )  # fmt: skip

    def mint(self, kind: str) -> str:
        """Make an id like the program's, greater than all earlier ones."""
        self.count += 1
        number = ((self.now - _BEFORE) * 0x1000 + self.count) % (1 << 48)
        digest = sha256(f"{self.about.id}\0{self.count}".encode()).hexdigest()
        return f"{kind}_{number:012x}{digest[:14]}"

    def message(self, role: str, parts: list[Json], **info: object) -> str:
        id = self.mint("msg")
        head = {"id": id, "sessionID": self.id, "role": role, **info}
        self.messages.append({"info": head, "parts": [self.part(part, id) for part in parts]})
        return id

    def part(self, part: Json, message: str) -> Json:
        part |= {"id": self.mint("prt"), "sessionID": self.id, "messageID": message}
        return part

    # -- messages ------------------------------------------------------------------------------------------

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """Write an element: an answer, or results and user messages."""
        blocks, is_answer = element["content"], element["role"] == "assistant"
        by_source = list(writing.by_source(blocks, sources))
        if is_answer and any(block["type"] == "tool_use" for block in blocks):
            by_source = [(writing.first_source(sources), blocks)]
        for source, others in by_source:
            if ts := writing.time_of([source]):  # times never decrease, nor pass the present
                self.time = max(self.time, min(to_millis(ts) or 0, self.now))
            for block in others:
                if block["type"] == "tool_result":
                    self.add_result(block)
            shown = (block for block in others if block["type"] not in (*THINKING, "tool_result"))
            parts = [part for block in shown for part in self._content(block)]
            if is_answer:
                provider = _PROVIDERS.get((source and source.provider) or "", _UNKNOWN)
                self.model = {"providerID": provider, "modelID": (source and source.model) or _UNKNOWN}
            if parts and is_answer:
                self.answer(parts, self.AGENT)
            elif parts:
                self.user(parts)

    def user(self, parts: list[Json]) -> None:
        info = {"time": {"created": self.time}, "agent": self.AGENT, "model": self.model}
        self.prompt = self.message("user", parts, **info)

    def summary(self, text: str) -> None:
        self.user([{"type": "compaction", "auto": False}])
        self.answer([{"type": "text", "text": text}], "compaction", summary=True)

    def answer(self, parts: list[Json], agent: str, **info: object) -> None:
        for part in parts:
            if part["type"] == "text":
                part["time"] = {"start": self.time, "end": self.time}
        calls = {part["callID"]: part for part in parts if part["type"] == "tool"}
        finish = "tool-calls" if calls else "stop"
        done = {"type": "step-finish", "reason": finish, "cost": 0, "tokens": _TOKENS}
        self.calls |= calls
        self.message(
            "assistant", [{"type": "step-start"}, *parts, done], parentID=self.prompt, **self.model,
            mode=agent, agent=agent, path={"cwd": self.about.cwd, "root": self.about.cwd}, cost=0,
            tokens=_TOKENS, time={"created": self.time, "completed": self.time}, finish=finish, **info,
        )  # fmt: skip

    def add_result(self, block: Json) -> None:
        """Add a result to its call; one that failed and has files becomes an output with the error."""
        contents = [content for part in writing.result_blocks(block) for content in self._content(part)]
        text = "\n".join(part["text"] for part in contents if part["type"] == "text")
        files = [part for part in contents if part["type"] == "file"]
        call = self.calls[_IDS.fit(block["tool_use_id"])]
        state: Json = {**call["state"], "time": {"start": self.time, "end": self.time}}
        if block.get("is_error") and not files:
            call["state"] = {**state, "status": "error", "error": text}
            return
        if block.get("is_error"):
            text = dumps(response_of(text, failed=True)).decode()
        call["state"] = {
            **state, "status": "completed", "output": text, "title": call["tool"], "metadata": {},
        }  # fmt: skip
        if files:
            call["state"]["attachments"] = [self.part(file, call["messageID"]) for file in files]

    def _content(self, block: Json) -> Iterator[Json]:
        """Convert a block to opencode's part; text files become text, because opencode ignores them."""
        source = object_at(block, "source")
        if block["type"] == "text":
            yield {"type": "text", "text": block["text"]}
        elif block["type"] == "tool_use":  # the result follows
            state = {"input": block["input"]}
            yield {"type": "tool", "tool": block["name"], "callID": _IDS.fit(block["id"]), "state": state}
        elif source.get("type") == "base64":
            mime = source["media_type"]
            yield {"type": "file", "mime": mime, "url": f"data:{mime};base64,{source['data']}"}
        elif source.get("type") == "url":
            part = media_part(block)
            yield {"type": "file", "mime": part["fileData"]["mimeType"], "url": source["url"]}
        elif text := writing.file_as_text(block, self.program.title):
            yield {"type": "text", "text": text}


class KiloFile(File):
    """The same for Kilo."""

    VERSION = "7.7.7"
    AGENT = "code"
