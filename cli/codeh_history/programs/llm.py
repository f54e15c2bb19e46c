"""llm: a database of conversations (`logs.db` in the folder that `llm logs path` says), in two schemas.

Read is each conversation as `llm -c` would resume it: threads of messages, and those that only the older
tables have, where a row holds a prompt and its response.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..providers import usage
from ..providers.json_text import value_of
from ..providers.parts import name_of, object_of, objects, text_of
from ..session.model import Json, Part
from .builder import Builder, inline, texts
from .model import Session, omit_empty
from .protocol import Head, Place, Program, Refused, Source
from .records import time_of

_THREADS = {
    "threads": {"id", "tip_message_hash"}, "turns": {"thread_id"}, "messages": {"parent_hash"},
    "parts": {"message_hash"},
}  # fmt: skip
_RESPONSES = {"conversations": {"id"}, "responses": {"prompt", "response", "conversation_id"}}
_KINDS = {"user": "user", "assistant": "codeh", "tool": "tool", "system": "user"}
_USAGE = {
    "input": "input_tokens", "output": "output_tokens",
    "cached": "token_details.prompt_tokens_details.cached_tokens",
    "reasoning": "token_details.completion_tokens_details.reasoning_tokens",
}  # fmt: skip


def recognises(head: Head) -> bool:
    return head.has(_THREADS) or head.has(_RESPONSES)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Each conversation."""
    seen: set[str] = set()
    if source.head.has(_THREADS):
        query = "SELECT * FROM threads WHERE tip_message_hash IS NOT NULL ORDER BY id"
        for row in [row for row in source.rows(query) if name_of(row["id"])]:
            seen.add(row["id"])
            session = Session(program.name, row["id"], created=time_of(row.get("datetime_utc")))
            session.titled(row.get("name"))
            yield _read(_Reading(source, session), _Reading.thread, row["tip_message_hash"])
    if source.head.has(_RESPONSES):
        for row in list(source.rows("SELECT DISTINCT conversation_id AS id FROM responses ORDER BY 1")):
            if row["id"] not in seen:
                session = Session(program.name, name_of(row["id"]) or "without-conversation")
                yield _read(_Reading(source, session), _Reading.responses, name_of(row["id"]))


def _read(reading: _Reading, read: Callable[[_Reading, Any], None], id: object) -> Session:
    """The session that is read, as far as the database can be."""
    try:
        read(reading, id)
    except Refused as error:
        reading.session.problem(0, "skips", f"{error} after {reading.talk.number} messages")
    return reading.session


class _Reading:
    """Reads the messages of a session, and what the tables hold beside them."""

    def __init__(self, source: Source, session: Session) -> None:
        self.source = source
        self.session = session
        self.talk = Builder(session)

    # -- threads -------------------------------------------------------------------------------------------

    def thread(self, tip: object) -> None:
        rows = self.source.rows("SELECT * FROM turns WHERE thread_id = ? ORDER BY id", self.session.id)
        turns = {turn["tip_message_hash"]: turn for turn in rows}
        ids = [turn["id"] for turn in turns.values()]
        self.session.set(tools=self.tools("turn_tools", "turn_id", ids))
        chain = self.chain(tip)
        times: list[str | None] = []  # of each message that of the turn it is of, the newest first
        for message in reversed(chain):
            turn = turns.get(message["hash"])
            times.append(time_of(turn.get("datetime_utc")) if turn else times[-1] if times else None)
        for self.talk.number, (message, ts) in enumerate(zip(chain, reversed(times), strict=True), 1):
            self.message(message, turns.get(message["hash"]), ts)

    def chain(self, tip: object) -> list[Json]:
        """The messages up to the newest one, by their parents."""
        chain: dict[object, Json] = {}
        at = tip
        while at is not None and at not in chain:
            row = next(self.source.rows("SELECT * FROM messages WHERE hash = ?", at), None)
            if row is None:
                why = f"message {at} is not there: llm would refuse to go on"
                self.session.problem(0, "forgets", why, "what comes after it is read")
                break
            chain[at] = row
            at = row["parent_hash"]
        return list(reversed(chain.values()))

    def message(self, message: Json, turn: Json | None, ts: str | None) -> None:
        role = text_of(message.get("role"))
        kind = _KINDS.get(role)
        if kind is None:
            self.session.left[f"message of {role or 'nobody'}"] += 1
            return
        query = "SELECT * FROM parts WHERE message_hash = ? ORDER BY position"
        rows = list(self.source.rows(query, message["hash"]))
        parts = [part for row in rows for part in self.part(row)]
        if role == "system" and self.talk.number == 1:
            self.talk.system("\n\n".join(texts(parts)))
        elif role == "system":
            self.talk.add("user", parts, id=message["hash"], ts=ts, item={"role": role})
        else:
            fields = self.turn(turn) if kind == "codeh" and turn else {}
            self.talk.turn(kind, parts, id=message["hash"], ts=ts, **fields)

    def part(self, row: Json) -> list[Any]:
        payload = _object_in(row.get("payload"))
        text, kind = row.get("text"), row.get("type")
        if not isinstance(text, str):
            text = self.joined_text(payload) if "text_ref" in payload else text_of(payload.get("text"))
        match kind:
            case "text":
                return [{"text": text}]
            case "reasoning":
                self.session.leave("redacted reasoning", payload.get("redacted") is True)
                return [{"text": text, "thought": True}] if text else []
            case "tool_call":
                id, name = payload.get("tool_call_id"), payload.get("name")
                return [self.talk.call(id, name, payload.get("arguments"))]
            case "tool_result":
                return [self.result(payload, objects(payload.get("attachments")))]
            case "attachment":
                return self.attachment(object_of(payload.get("attachment")).get("id"))
        self.session.left[f"part ({kind})"] += 1
        return []

    def joined_text(self, payload: Json) -> str:
        """A text that names fragments for some of it."""
        pieces = []
        for piece in objects(payload.get("text_ref")):
            row = {"content": piece["literal"]} if "literal" in piece else None
            row = row or self.row("fragments", piece.get("fragment"))
            if row is None:
                why = f"fragment {piece.get('fragment')} is not there: llm sends nothing for it"
                self.session.problem(0, "drops", why)
            pieces.append(text_of(object_of(row).get("content")))
        return "".join(pieces)

    # -- the older tables ----------------------------------------------------------------------------------

    def responses(self, id: str | None) -> None:
        """A conversation; those rows that are of none are one of their own."""
        named = next(self.source.rows("SELECT * FROM conversations WHERE id = ?", id), {})
        self.session.titled(named.get("name"))
        ids: list[object] = []
        query = "SELECT * FROM responses WHERE conversation_id IS ? ORDER BY id"
        for row in self.source.rows(query, id):
            self.talk.number += 1
            ids.append(row["id"])
            self.response(row)
        self.session.set(tools=self.tools("tool_responses", "response_id", ids))

    def response(self, row: Json) -> None:
        talk, id, ts = self.talk, row["id"], time_of(row.get("datetime_utc"))
        self.session.created = self.session.created or ts
        system = [*self.fragments("system_fragments", id), text_of(row.get("system"))]
        self.session.set(system="\n\n".join(filter(None, system)))
        talk.add("tool", list(self.results(id)), id=f"{id}.results", ts=ts)
        prompt = [*self.fragments("prompt_fragments", id), text_of(row.get("prompt"))]
        prompt_parts: list[Part] = [{"text": "\n".join(filter(None, prompt))}]
        for attached in self.joined("prompt_attachments", "response_id", id, "attachment"):
            prompt_parts += self.attachment(attached["id"])
        talk.add("user", prompt_parts, id=f"{id}.prompt", ts=ts)
        reasoning = text_of(row.get("reasoning"))
        answer: list[Part] = [{"text": reasoning, "thought": True}] if reasoning else []
        answer.append({"text": text_of(row.get("response"))})
        for call in self.rows_of("tool_calls", id):
            arguments = _object_in(call.get("arguments"))
            answer.append(talk.call(call.get("tool_call_id"), call.get("name"), arguments))
        talk.add("codeh", answer, id=id, ts=ts, **self.turn(row))

    def results(self, id: object) -> Iterator[Part]:
        """The results that a prompt began with: of the calls of the response before it."""
        for row in self.rows_of("tool_results", id):
            files = self.joined("tool_results_attachments", "tool_result_id", row["id"], "attachment")
            yield self.result(row, files)

    # -- either --------------------------------------------------------------------------------------------

    def result(self, row: Json, files: list[Json]) -> Part:
        """A tool's result; `files`: what is attached to it."""
        held = [part for file in files for part in self.attachment(file.get("id"))]
        error = name_of(row.get("exception"))
        text = text_of(row.get("output")) or error or ""
        id, name = row.get("tool_call_id"), row.get("name")
        return self.talk.result(id, name, text, failed=error is not None, held=held)

    def attachment(self, id: object) -> list[Part]:
        """What was attached: its bytes or address, where the database has it; else its name."""
        row = self.row("attachments", id)
        if row is None:
            self.session.problem(0, "drops", f"attachment {id} is not there")
            return []
        if isinstance(row.get("content"), bytes):
            return [inline(row["content"], row.get("type"))]
        if name_of(row.get("url")):
            mime = name_of(row.get("type")) or "image/jpeg"
            return [{"fileData": {"mimeType": mime, "fileUri": row["url"]}}]
        return [{"text": f"[file: {text_of(row.get('path')) or id}]"}]

    def turn(self, row: Json) -> Json:
        """What a turn says of the answer in it: its model and usage."""
        keys = ("input_tokens", "output_tokens")
        raw: Json = {key: row[key] for key in keys if isinstance(row.get(key), int)}
        raw |= omit_empty(token_details=_object_in(row.get("token_details")))
        model = name_of(row.get("resolved_model")) or name_of(row.get("model"))
        return {"model": model, "usage": usage.read(raw, _USAGE), "response": name_of(row.get("id"))}

    def row(self, table: str, id: object) -> Json | None:
        exists = table in self.source.head.tables and isinstance(id, (str, int))
        query = f"SELECT * FROM {table} WHERE id = ?"  # noqa: S608 - a name of ours
        return next(self.source.rows(query, id), None) if exists else None

    def rows_of(self, table: str, id: object) -> list[Json]:
        """The rows of a response in a table, if there is this table."""
        query = f"SELECT * FROM {table} WHERE response_id = ? ORDER BY id"  # noqa: S608 - a name of ours
        return list(self.source.rows(query, id)) if table in self.source.head.tables else []

    def joined(self, table: str, column: str, id: object, of: str = "fragment") -> list[Json]:
        """The rows that a table of pairs names for a response, in order."""
        if not {table, f"{of}s"} <= self.source.head.tables.keys():
            return []
        order = '"order"' if "order" in self.source.head.tables[table] else "rowid"
        query = (
            f"SELECT o.* FROM {table} p JOIN {of}s o ON o.id = p.{of}_id"  # noqa: S608 - names of ours
            f" WHERE p.{column} = ? ORDER BY p.{order}"
        )
        return list(self.source.rows(query, id))

    def fragments(self, table: str, id: object) -> list[str]:
        """The texts that a table of pairs names for a response."""
        return [text_of(row.get("content")) for row in self.joined(table, "response_id", id)]

    def tools(self, table: str, column: str, ids: list[object]) -> list[Json]:
        """The tools that these turns could call, as OpenAI spells them."""
        rows = (row for id in ids for row in self.joined(table, column, id, "tool"))
        functions = {
            row["name"]: {
                **omit_empty(name=row["name"], description=row.get("description")),
                **omit_empty(parameters=_object_in(row.get("input_schema"))),
            }
            for row in rows if name_of(row.get("name"))
        }  # fmt: skip
        return [{"type": "function", "function": function} for function in functions.values()]


def _object_in(text: object) -> Json:
    """An object kept as text; {} for anything else."""
    return object_of(value_of(text))


PROGRAM = Program(
    "llm", "llm", __name__, recognises,
    (Place("LLM_USER_PATH", "", ("logs.db",)),
     Place("XDG_CONFIG_HOME", ".config", ("io.datasette.llm/logs.db",))),
)  # fmt: skip
