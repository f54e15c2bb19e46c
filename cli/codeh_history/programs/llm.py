"""Read llm's database of conversations (`logs.db`; `llm logs path` prints its path).

A session is a conversation as `llm -c` would resume it. There are two schemas: threads of messages, and
older tables whose rows are a prompt and its response.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from ..providers.json_text import value_of
from ..providers.parts import object_of
from ..session.model import Json, Part
from .fields import answer_fields, at, name_at, objects_at, omit_empty, text_at, time_of
from .model import Session
from .parts import inline, texts, thought
from .protocol import Head, Place, Program, Source
from .source import fill

_THREADS = {
    "threads": {"id", "tip_message_hash"}, "turns": {"thread_id"}, "messages": {"parent_hash"},
    "parts": {"message_hash"},
}  # fmt: skip
_TABLE = re.compile(r"\b(?:FROM|JOIN) (\w+)")
_LOOSE = "without-conversation"  # id of the session for rows without a conversation
_RESPONSES = {"conversations": {"id"}, "responses": {"prompt", "response", "conversation_id"}}
_KINDS = {"user": "user", "assistant": "codeh", "tool": "tool", "system": "user"}
_ANSWER = {"model": "resolved_model model", "usage": "usage", "response": "id"}
_USAGE = {
    "input": "input_tokens", "output": "output_tokens",
    "cached": "token_details.prompt_tokens_details.cached_tokens",
    "reasoning": "token_details.completion_tokens_details.reasoning_tokens",
}  # fmt: skip


def recognises(head: Head) -> bool:
    return head.has(_THREADS) or head.has(_RESPONSES)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield each conversation, as far as it can be read; one in both schemas is read as a thread."""
    threads: set[str] = set()
    if source.head.has(_THREADS):
        query = "SELECT * FROM threads WHERE tip_message_hash IS NOT NULL ORDER BY id"
        for row in [row for row in source.rows(query) if name_at(row, "id")]:
            threads.add(row["id"])
            session = Session(program.name, row["id"])
            session.about(row, created="datetime_utc", title="name")
            yield fill(session, partial(_Reading(source, session).thread, row["tip_message_hash"]))
    if source.head.has(_RESPONSES):
        for row in list(source.rows("SELECT DISTINCT conversation_id AS id FROM responses ORDER BY 1")):
            if row["id"] not in threads:
                session = Session(program.name, name_at(row, "id") or _LOOSE)
                yield fill(session, partial(_Reading(source, session).responses, row["id"]))


class _Reading:
    """Reads the messages of a session from the tables."""

    def __init__(self, source: Source, session: Session) -> None:
        self.source = source
        self.session = session

    # -- threads -------------------------------------------------------------------------------------------

    def thread(self, tip: object) -> None:
        """Add the messages of a thread, each with the time of its turn."""
        rows = self.source.rows("SELECT * FROM turns WHERE thread_id = ? ORDER BY id", self.session.id)
        turns = {turn["tip_message_hash"]: turn for turn in rows}
        self.tools("turn_tools", "turn_id", [turn["id"] for turn in turns.values()])
        chain: dict[object, tuple[Json, str | None]] = {}  # newest first, with times
        hash, ts = tip, None
        while hash is not None and hash not in chain:
            row = next(self.source.rows("SELECT * FROM messages WHERE hash = ?", hash), None)
            if row is None:
                why = f"message {hash} is missing: llm would refuse to continue"
                self.session.problem(0, "forgets", why, "the messages after it are read")
                break
            if row["hash"] in turns:  # else the time of the next message
                ts = time_of(turns[row["hash"]].get("datetime_utc"))
            chain[hash] = row, ts
            hash = row["parent_hash"]
        for self.session.number, (message, ts) in enumerate(reversed(chain.values()), 1):
            self.message(message, turns.get(message["hash"], {}), ts)

    def message(self, message: Json, turn: Json, ts: str | None) -> None:
        session, role, id = self.session, message.get("role"), message["hash"]
        kind = session.kind_of(role, _KINDS)
        if kind is None:
            return
        query = "SELECT * FROM parts WHERE message_hash = ? ORDER BY position"
        parts = [part for row in list(self.source.rows(query, id)) for part in self.part(row)]
        if role == "system" and session.number == 1:
            session.system("\n\n".join(texts(parts)))
        elif role == "system":
            session.add("user", parts, id=id, ts=ts, item={"role": role})
        else:
            fields = self.turn(turn) if kind == "codeh" and turn else {}
            session.turn(kind, parts, id=id, ts=ts, **fields)

    def part(self, row: Json) -> list[Part]:
        payload = _object_in(row.get("payload"))
        text = name_at(row, "text") or text_at(payload, "text")
        if "text_ref" in payload:
            text = "".join(map(self.fragment, objects_at(payload, "text_ref")))
        match row.get("type"):
            case "text":
                return [{"text": text}]
            case "reasoning":
                self.session.skip("redacted reasoning", payload.get("redacted") is True)
                return [thought(text)]
            case "tool_call":
                return self.session.calls([payload], "tool_call_id", "name", "arguments")
            case "tool_result":
                return [self.result(payload, objects_at(payload, "attachments"))]
            case "attachment":
                return self.attachment(at(payload, "attachment.id"))
            case kind:
                self.session.skip(f"part ({kind})")
                return []

    def fragment(self, piece: Json) -> str:
        """The text of a reference: its literal text, or the fragment that it names."""
        if "literal" in piece:
            return text_at(piece, "literal")
        rows = self.rows("SELECT * FROM fragments WHERE id = ?", piece.get("fragment"))
        if not rows:
            why = f"fragment {piece.get('fragment')} is missing: llm sends nothing for it"
            self.session.problem(0, "drops", why)
        return "".join(text_at(row, "content") for row in rows)

    # -- the older tables ----------------------------------------------------------------------------------

    def responses(self, id: object) -> None:
        """Add the messages of a conversation from the older tables."""
        named = next(self.source.rows("SELECT * FROM conversations WHERE id = ?", id), {})
        self.session.about(named, title="name")
        ids: list[object] = []
        query = "SELECT * FROM responses WHERE conversation_id IS ? ORDER BY id"
        for row in self.source.rows(query, id):
            self.session.number += 1
            ids.append(row["id"])
            self.response(row)
        self.tools("tool_responses", "response_id", ids)

    def response(self, row: Json) -> None:
        session, id, ts = self.session, row["id"], time_of(row.get("datetime_utc"))
        session.created = session.created or ts
        session.set(system="\n\n".join(self.texts("system", row)))
        results: list[Part] = []
        for result in self.rows("SELECT * FROM tool_results WHERE response_id = ? ORDER BY id", id):
            of = "tool_results_attachments", "tool_result_id", result["id"]
            results.append(self.result(result, self.joined(*of, "attachment")))
        session.add("tool", results, id=f"{id}.results", ts=ts)
        prompt: list[Part] = [{"text": "\n".join(self.texts("prompt", row))}]
        for attached in self.joined("prompt_attachments", "response_id", id, "attachment"):
            prompt += self.attachment(attached["id"])
        session.add("user", prompt, id=f"{id}.prompt", ts=ts)
        calls = self.rows("SELECT * FROM tool_calls WHERE response_id = ? ORDER BY id", id)
        calls = [{**call, "arguments": _object_in(call.get("arguments"))} for call in calls]
        answer: list[Part] = [thought(text_at(row, "reasoning")), {"text": text_at(row, "response")}]
        answer += session.calls(calls, "tool_call_id", "name", "arguments")
        session.add("codeh", answer, id=id, ts=ts, **self.turn(row))

    def texts(self, field: str, row: Json) -> list[str]:
        """The non-empty texts in a field of a response, after those of its fragments."""
        fragments = self.joined(f"{field}_fragments", "response_id", row["id"], "fragment")
        texts = [*(text_at(fragment, "content") for fragment in fragments), text_at(row, field)]
        return [text for text in texts if text]

    # -- both schemas --------------------------------------------------------------------------------------

    def result(self, row: Json, files: list[Json]) -> Part:
        """The part of a result; `files`: its attachments."""
        parts: list[Part] = [{"text": name_at(row, "output", "exception") or ""}]
        parts += [part for file in files for part in self.attachment(file.get("id"))]
        failed = name_at(row, "exception") is not None
        return self.session.result(row.get("tool_call_id"), row.get("name"), parts, failed=failed)

    def attachment(self, id: object) -> list[Part]:
        """The part of an attachment: its bytes, its URL, or its name; [] if it is missing."""
        rows = self.rows("SELECT * FROM attachments WHERE id = ?", id)
        if not rows:
            self.session.problem(0, "drops", f"attachment {id} is missing")
            return []
        row = rows[0]
        if isinstance(row.get("content"), bytes):
            return [inline(row["content"], row.get("type"))]
        if name_at(row, "url"):
            mime = name_at(row, "type") or "image/jpeg"
            return [{"fileData": {"mimeType": mime, "fileUri": row["url"]}}]
        return [{"text": f"[file: {name_at(row, 'path') or id}]"}]

    def turn(self, row: Json) -> Json:
        """The answer's fields: model, usage and response."""
        keys = ("input_tokens", "output_tokens")
        used: Json = {key: row[key] for key in keys if isinstance(row.get(key), int)}
        used |= omit_empty(token_details=_object_in(row.get("token_details")))
        return answer_fields({**row, "usage": used}, _ANSWER, _USAGE)

    def rows(self, query: str, id: object) -> list[Json]:
        """The rows that a query selects for an id; [] if one of its tables does not exist."""
        exists = self.source.head.tables.keys() >= set(_TABLE.findall(query))
        return list(self.source.rows(query, id)) if exists and isinstance(id, (str, int)) else []

    def joined(self, table: str, column: str, id: object, of: str) -> list[Json]:
        """The rows of table `of` that a join table links to an id, in order."""
        order = '"order"' if "order" in self.source.head.tables.get(table, ()) else "rowid"
        query = f"SELECT o.* FROM {table} p JOIN {of}s o ON o.id = p.{of}_id"  # noqa: S608 - our own names
        return self.rows(f"{query} WHERE p.{column} = ? ORDER BY p.{order}", id)

    def tools(self, table: str, column: str, ids: list[object]) -> None:
        """Set the tools of these turns, in OpenAI's format."""
        functions: dict[str, Json] = {}
        for row in (row for id in ids for row in self.joined(table, column, id, "tool")):
            if name := name_at(row, "name"):
                schema = _object_in(row.get("input_schema"))
                about = omit_empty(name=name, description=row.get("description"), parameters=schema)
                functions[name] = {"type": "function", "function": about}
        self.session.set(tools=[*functions.values()])


def _object_in(text: object) -> Json:
    """The object in a JSON text; {} for anything else."""
    return object_of(value_of(text))


PROGRAM = Program(
    "llm", "llm", recognises, read,
    (Place("LLM_USER_PATH", "", ("logs.db",)),
     Place("XDG_CONFIG_HOME", ".config", ("io.datasette.llm/logs.db",))),
)  # fmt: skip
