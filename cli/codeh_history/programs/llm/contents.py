"""What llm's tables hold beside messages: parts, fragments, attachments, tools, usage."""

from __future__ import annotations

from typing import Any

from ...providers import usage
from ...providers.json_text import value_of
from ...providers.parts import name_of, object_of, objects, text_of
from ...session.model import Json, Part
from ..conversation import Conversation
from ..model import Session, told
from ..parts import inline
from ..protocol import Source

_USAGE = {
    "input": "input_tokens", "output": "output_tokens",
    "cached": "token_details.prompt_tokens_details.cached_tokens",
    "reasoning": "token_details.completion_tokens_details.reasoning_tokens",
}  # fmt: skip


class Contents:
    """Reads what belongs to a session's messages."""

    def __init__(self, source: Source, session: Session, talk: Conversation) -> None:
        self.source = source
        self.session = session
        self.talk = talk

    def of_message(self, hash: object) -> list[Part]:
        rows = self.source.rows("SELECT * FROM parts WHERE message_hash = ? ORDER BY position", hash)
        return [part for row in list(rows) for part in self._part(row)]

    def _part(self, row: Json) -> list[Any]:
        payload = object_in(row.get("payload"))
        text, kind = row.get("text"), row.get("type")
        if not isinstance(text, str):
            text = self._joined(payload) if "text_ref" in payload else text_of(payload.get("text"))
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

    def result(self, row: Json, files: list[Json]) -> Part:
        """A tool's result; `files`: what is attached to it."""
        held = [part for one in files for part in self.attachment(one.get("id"))]
        failed = name_of(row.get("exception"))
        said = text_of(row.get("output")) or failed or ""
        id, name = row.get("tool_call_id"), row.get("name")
        return self.talk.result(id, name, said, failed=failed is not None, held=held)

    def _joined(self, payload: Json) -> str:
        """A text that names fragments for some of it."""
        texts = []
        for piece in objects(payload.get("text_ref")):
            if "literal" in piece:
                texts.append(text_of(piece["literal"]))
                continue
            row = self.row("fragments", piece.get("fragment"))
            if row is None:
                why = f"fragment {piece.get('fragment')} is not there: llm sends nothing for it"
                self.session.problem(0, "drops", why)
            texts.append(text_of(object_of(row).get("content")))
        return "".join(texts)

    def row(self, table: str, id: object) -> Json | None:
        known = table in self.source.head.tables and isinstance(id, (str, int))
        query = f"SELECT * FROM {table} WHERE id = ?"  # noqa: S608 - a name of ours
        return next(self.source.rows(query, id), None) if known else None

    def attachment(self, id: object) -> list[Part]:
        """What was attached: its bytes or address, where the database has it; else its name."""
        row = self.row("attachments", id)
        if row is None:
            self.session.problem(0, "drops", f"attachment {id} is not there")
            return []
        if isinstance(row.get("content"), bytes):
            return [inline(row["content"], row.get("type"))]
        if name_of(row.get("url")):
            return [
                {"fileData": {"mimeType": name_of(row.get("type")) or "image/jpeg", "fileUri": row["url"]}}
            ]
        return [{"text": f"[file: {text_of(row.get('path')) or id}]"}]

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
        found = {
            row["name"]: told(
                name=row["name"], description=row.get("description"),
                parameters=object_in(row.get("input_schema")),
            )
            for row in rows if name_of(row.get("name"))
        }  # fmt: skip
        return [{"type": "function", "function": function} for function in found.values()]

    def turn(self, row: Json) -> Json:
        """What a turn says of the answer in it: its model and usage."""
        raw = {
            key: row.get(key) for key in ("input_tokens", "output_tokens") if isinstance(row.get(key), int)
        }
        more = object_in(row.get("token_details"))
        raw |= {"token_details": more} if more else {}
        counts = usage.read(raw, _USAGE)
        model = name_of(row.get("resolved_model")) or name_of(row.get("model"))
        return {"model": model, "usage": counts, "response": name_of(row.get("id"))}


def object_in(text: object) -> Json:
    """An object kept as text; {} for anything else."""
    return object_of(value_of(text))
