"""Write a view as an export that opencode or Kilo imports; a call with its result is one part."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from ...base.times import to_millis
from ...providers.anthropic.body import media_part
from ...providers.names import WORD, Alphabet
from ...providers.parts import response_of
from ...session.model import Json, Message
from ...session.records import dumps
from .. import writing
from ..protocol import Written

_PROVIDERS = {"anthropic": "anthropic", "openai-responses": "openai", "gemini": "google"}
_UNKNOWN = "unknown"  # a provider or model that is not recorded
_BEFORE = 60_000  # milliseconds that ids are dated back, so that the program's own ids are greater
_IDS = Alphabet(WORD + "-", 40)  # every provider accepts these
_TOKENS: Json = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}


class File(writing.BlockWriter):
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
        self.parent = ""  # id of the last user message
        self.model = {"providerID": _UNKNOWN, "modelID": _UNKNOWN}
        self.calls: dict[str, Json] = {}

    def name(self) -> str:
        return f"{self.id}.json"

    def finish(self, sent: writing.Sent) -> Written:
        about, command, model = self.about, self.program.command, "/".join(self.model.values())
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
        advice = f"{command} continues with {model}; if it has no such model, choose one"
        return super().finish(sent)._replace(
            resume=(command, *self.RESUME, self.id), imported=(command, "import"),
            notes=[*sent.notes, f"{advice} (-m PROVIDER/MODEL)"],
        )  # fmt: skip

    def mint(self, kind: str) -> str:
        """Make an id like the program's, greater than all earlier ones."""
        self.count += 1
        number = ((self.now - _BEFORE) * 0x1000 + self.count) % (1 << 48)
        digest = sha256(f"{self.about.id}\0{self.count}".encode()).hexdigest()
        return f"{kind}_{number:012x}{digest[:14]}"

    def tick(self) -> int:
        """The time of what is being written; times never decrease, nor pass the present."""
        self.time = max(self.time, min(to_millis(self.ts) or 0, self.now))
        return self.time

    def message(self, role: str, parts: list[Json], **info: object) -> str:
        id = self.mint("msg")
        head = {"id": id, "sessionID": self.id, "role": role, **info}
        self.messages.append({"info": head, "parts": [self.part(part, id) for part in parts]})
        return id

    def part(self, part: Json, message: str) -> Json:
        part |= {"id": self.mint("prt"), "sessionID": self.id, "messageID": message}
        return part

    # -- messages ------------------------------------------------------------------------------------------

    def prompt(self, contents: list[Json]) -> None:
        info = {"time": {"created": self.tick()}, "agent": self.AGENT, "model": self.model}
        self.parent = self.message("user", contents, **info)

    def summary(self, text: str) -> None:
        self.prompt([{"type": "compaction", "auto": False}])
        self.steps([{"type": "text", "text": text}], "compaction", summary=True)

    def answer(self, blocks: Sequence[Json], sources: Sequence[Message | None]) -> None:
        """Write an answer for each source, or one with all calls."""
        by_source = writing.by_source(blocks, sources)
        if any(block["type"] == "tool_use" for block in blocks):
            by_source = iter([(writing.first_source(sources), [*blocks])])
        for source, others in by_source:
            self.ts = writing.time_of([source]) or self.ts
            provider = _PROVIDERS.get((source and source.provider) or "", _UNKNOWN)
            self.model = {"providerID": provider, "modelID": (source and source.model) or _UNKNOWN}
            if parts := self.contents(others):
                self.steps(parts, self.AGENT)

    def steps(self, parts: list[Json], agent: str, **info: object) -> None:
        time = self.tick()
        for part in parts:
            if part["type"] == "text":
                part["time"] = {"start": time, "end": time}
        calls = {part["callID"]: part for part in parts if part["type"] == "tool"}
        finish = "tool-calls" if calls else "stop"
        done = {"type": "step-finish", "reason": finish, "cost": 0, "tokens": _TOKENS}
        self.calls |= calls
        self.message(
            "assistant", [{"type": "step-start"}, *parts, done], parentID=self.parent, **self.model,
            mode=agent, agent=agent, path={"cwd": self.about.cwd, "root": self.about.cwd}, cost=0,
            tokens=_TOKENS, time={"created": time, "completed": time}, finish=finish, **info,
        )  # fmt: skip

    def result(self, block: Json, contents: list[Json], source: Message | None) -> None:
        """Add a result to its call; one that failed and has files becomes an output with the error."""
        self.ts = writing.time_of([source]) or self.ts
        text = "\n".join(part["text"] for part in contents if part["type"] == "text")
        files = [part for part in contents if part["type"] == "file"]
        call, time, failed = self.calls[_IDS.fit(block["tool_use_id"])], self.tick(), block.get("is_error")
        state: Json = {**call["state"], "time": {"start": time, "end": time}}
        if failed and not files:
            call["state"] = {**state, "status": "error", "error": text}
            return
        output = dumps(response_of(text, failed=True)).decode() if failed else text
        state |= {"status": "completed", "output": output, "title": call["tool"], "metadata": {}}
        if files:
            state["attachments"] = [self.part(file, call["messageID"]) for file in files]
        call["state"] = state

    def call(self, block: Json) -> Json:
        state, id = {"input": block["input"]}, _IDS.fit(block["id"])  # the result follows
        return {"type": "tool", "tool": block["name"], "callID": id, "state": state}

    def file(self, block: Json) -> Json | None:
        match block.get("source"):
            case {"type": "base64", "media_type": mime, "data": data}:
                return {"type": "file", "mime": mime, "url": f"data:{mime};base64,{data}"}
            case {"type": "url", "url": url}:
                mime = media_part(block)["fileData"]["mimeType"]
                return {"type": "file", "mime": mime, "url": url}
        return None


class KiloFile(File):
    """The same for Kilo."""

    VERSION = "7.7.7"
    AGENT = "code"
