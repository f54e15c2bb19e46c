"""Hand-made databases of programs that keep their conversations in SQLite."""

import sqlite3

import orjson

LLM = {
    "threads": "id name tip_message_hash forked_from datetime_utc",
    "turns": "id thread_id tip_message_hash model resolved_model input_tokens output_tokens token_details datetime_utc",
    "messages": "hash parent_hash role provider_metadata",
    "parts": "id message_hash position type tool_name text payload",
    "fragments": "id content", "attachments": "id type path url content",
    "tools": "id name description input_schema", "turn_tools": "turn_id tool_id",
}  # fmt: skip
LLM_OLDER = {
    "conversations": "id name model",
    "responses": "id model prompt system response conversation_id datetime_utc input_tokens output_tokens",
    "tool_calls": "id response_id name arguments tool_call_id",
    "tool_results": "id response_id name output tool_call_id exception",
    "prompt_fragments": "response_id fragment_id order", "system_fragments": "response_id fragment_id order",
    "prompt_attachments": "response_id attachment_id order",
    "fragments": "id content", "attachments": "id type path url content",
}  # fmt: skip


def llm():
    """A thread with a system prompt, a call, a fragment and an attachment."""
    talk = [("m0", "system"), ("m1", "user"), ("m2", "assistant"), ("m3", "tool"), ("m4", "assistant")]
    parts = [
        ("m0", "text", "be good", None), ("m1", "text", None, {"text_ref": [{"fragment": 1}, {"literal": "\none"}]}),
        ("m1", "attachment", None, {"attachment": {"id": "a1"}}),
        ("m2", "reasoning", "hm", None), ("m2", "tool_call", None, {"name": "up", "arguments": {"x": 1}, "tool_call_id": "A"}),
        ("m3", "tool_result", None, {"name": "up", "output": "2", "tool_call_id": "A"}),
        ("m4", "text", "two", None), ("m4", "hologram", None, None),
    ]  # fmt: skip
    turn = {"thread_id": "t1", "model": "mock", "input_tokens": 3, "output_tokens": 4}
    at = "2026-01-01T00:00:0"
    return [{
        "threads": [{"id": "t1", "name": "A title", "tip_message_hash": "m4", "datetime_utc": f"{at}1+00:00"}],
        "turns": [
            {"id": "r1", "tip_message_hash": "m2", "datetime_utc": f"{at}2.5+00:00", **turn},
            {"id": "r2", "tip_message_hash": "m4", "datetime_utc": f"{at}3.5+00:00", **turn},
        ],
        "messages": [
            {"hash": hash, "role": role, "parent_hash": talk[place - 1][0] if place else None}
            for place, (hash, role) in enumerate(talk)
        ],
        "parts": [
            {"id": place, "message_hash": hash, "position": place, "type": type, "text": text, "payload": payload}
            for place, (hash, type, text, payload) in enumerate(parts)
        ],
        "fragments": [{"id": 1, "content": "a fragment"}],
        "attachments": [{"id": "a1", "type": "image/png", "content": b"\x89PNG".hex()}],
        "tools": [{"id": 7, "name": "up", "description": "doubles", "input_schema": {"type": "object"}}],
        "turn_tools": [{"turn_id": "r1", "tool_id": 7}],
    }]  # fmt: skip


def llm_older():
    """A conversation in the older tables."""
    common = {
        "model": "mock",
        "conversation_id": "c1",
        "system": None,
        "input_tokens": 3,
        "output_tokens": 4,
    }
    at = "2026-01-01T00:00:0"
    return [{
        "conversations": [{"id": "c1", "name": "A title", "model": "mock"}],
        "responses": [
            {"id": "r1", **common, "prompt": "one", "response": "", "system": "be good", "datetime_utc": f"{at}1"},
            {"id": "r2", **common, "prompt": "", "response": "two", "datetime_utc": f"{at}2"},
        ],
        "tool_calls": [{"id": 1, "response_id": "r1", "name": "up", "arguments": {"x": 1}, "tool_call_id": "A"}],
        "tool_results": [{"id": 1, "response_id": "r2", "name": "up", "output": "2", "tool_call_id": "A"}],
        "fragments": [{"id": 1, "content": "a fragment"}],
        "prompt_fragments": [{"response_id": "r1", "fragment_id": 1, "order": 0}],
        "attachments": [{"id": "a1", "type": "image/png", "url": "https://x/p.png"}],
        "prompt_attachments": [{"response_id": "r1", "attachment_id": "a1", "order": 0}],
    }]  # fmt: skip


GOOSE = {
    "sessions": "id name description session_type working_dir created_at provider_name model_config_json parent_session_id",
    "messages": "id message_id session_id role content_json created_timestamp metadata_json",
    "usage_ledger": "id session_id created_timestamp model input_tokens output_tokens cache_read_tokens is_compaction",
}


def goose():
    """A compacted session with calls, results and usage, its sub-agent, and another session."""
    both, user, agent = (
        {"userVisible": u, "agentVisible": a} for u, a in ((True, True), (True, False), (False, True))
    )
    call = {
        "type": "toolRequest",
        "id": "A",
        "toolCall": {"status": "success", "value": {"name": "f", "arguments": {"x": 1}}},
    }
    seen = [
        {"type": "text", "text": "of A", "annotations": {"audience": ["assistant"]}},
        {"type": "text", "text": "for you", "annotations": {"audience": ["user"]}},
        {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
    ]
    result = {
        "type": "toolResponse",
        "id": "A",
        "toolResult": {"status": "success", "value": {"content": seen, "isError": False}},
    }
    text = lambda words: {"type": "text", "text": words}  # noqa: E731
    talk = [
        ("a", "user", [text("old")], user), ("b", "assistant", [text("older")], user),
        ("s", "user", [text("in short")], agent), ("t", "assistant", [text("I go on")], agent),
        ("c", "user", [text("one"), {"type": "systemNotification", "msg": "x"}], both),
        ("d", "assistant", [{"type": "thinking", "thinking": "hm", "signature": "sig"}, text("see"), call], both),
        ("e", "user", [result], both), ("f", "assistant", [text("two")], both),
    ]  # fmt: skip
    about = {"working_dir": "/work", "created_at": "2026-01-01 00:00:00", "provider_name": "anthropic"}
    start = 1767225600
    return [{
        "sessions": [
            {"id": "g1", "name": "A title", "session_type": "user", **about, "model_config_json": {"model_name": "claude"}},
            {"id": "g2", "name": "sub", "session_type": "sub_agent", **about, "parent_session_id": "g1"},
            {"id": "g3", "description": "Another", **about},
        ],
        "messages": [
            *({"id": place, "message_id": id, "session_id": "g1", "role": role, "content_json": content,
               "created_timestamp": start + place, "metadata_json": metadata}
              for place, (id, role, content, metadata) in enumerate(talk)),
            {"id": 90, "session_id": "g2", "role": "user", "content_json": [text("sub")]},
            {"id": 91, "session_id": "g3", "role": "user", "content_json": [text("three")]},
        ],
        "usage_ledger": [
            {"id": 1, "session_id": "g1", "created_timestamp": start + 2, "input_tokens": 99, "is_compaction": 1},
            {"id": 2, "session_id": "g1", "created_timestamp": start + 5, "model": "claude-5", "input_tokens": 9, "output_tokens": 4, "cache_read_tokens": 3, "is_compaction": 0},
            {"id": 3, "session_id": "g1", "created_timestamp": start + 8, "model": "claude-5", "input_tokens": 19, "output_tokens": 5, "is_compaction": 0},
        ],
    }]  # fmt: skip


def database(schema):
    """Create a database with these rows by table; other values than SQLite's are stored as JSON."""

    def written(values):
        connection = sqlite3.connect(":memory:")
        connection.execute("PRAGMA page_size=512")
        filled(connection, schema, values[0])
        return connection.serialize()

    return written


def filled(connection, schema, tables):
    for table, columns in schema.items():
        names = columns.split()
        connection.execute(f"CREATE TABLE {table} ({', '.join(f'[{name}]' for name in names)})")
        rows = tables.get(table)
        for row in rows if isinstance(rows, list) else ():
            values = (
                [_scalar(name, row.get(name)) for name in names]
                if isinstance(row, dict)
                else [None] * len(names)
            )
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", values)
    connection.commit()


def _scalar(name, value):
    if name == "content" and isinstance(value, str) and set(value) <= set("0123456789abcdef"):
        return bytes.fromhex(value)
    return orjson.dumps(value).decode() if isinstance(value, dict | list) else value
