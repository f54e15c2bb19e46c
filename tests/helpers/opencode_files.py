"""Hand-made sessions of opencode, as exports and in its database."""

import sqlite3

import orjson

SESSION = "ses_0123456789abHandMade"
SCHEMA = {
    "session": "id project_id parent_id slug directory title version revert time_created time_updated",
    "message": "id session_id time_created time_updated data",
    "part": "id message_id session_id time_created time_updated data",
}
START = 1_767_225_600_000


class OpenCode:
    """A session whose messages and parts have ascending ids."""

    def __init__(self, **info):
        self.info = {
            "id": SESSION, "slug": "s", "projectID": "global", "directory": "/work", "title": "A title",
            "version": "1.18.33", "time": {"created": START, "updated": START}, **info,
        }  # fmt: skip
        self.messages = []

    def message(self, parts, **info):
        number = len(self.messages) + 1
        id, time = f"msg_{number:04}", {"created": START + number * 1000}
        texts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        made = [
            {"id": f"prt_{number:04}{place:02}", "sessionID": SESSION, "messageID": id, **part}
            for place, part in enumerate(texts)
        ]
        head = {"id": id, "sessionID": SESSION, "time": time, "agent": "build"}
        self.messages.append({"info": {**head, **info}, "parts": made})
        return self.messages[-1]

    def user(self, *parts, **info):
        return self.message(parts, role="user", model={"providerID": "p", "modelID": "m"}, **info)

    def model(self, *parts, provider="anthropic", finish="stop", **info):
        parent = next(
            (one["info"]["id"] for one in reversed(self.messages) if one["info"]["role"] == "user"), ""
        )
        tokens = {"input": 11, "output": 5, "reasoning": 2, "cache": {"read": 7, "write": 3}}
        made = self.message(
            parts, role="assistant", parentID=parent, modelID="claude-opus-4-8", providerID=provider,
            **{"tokens": tokens, **({"finish": finish} if finish else {}), **info},
        )  # fmt: skip
        if finish:
            made["info"]["time"]["completed"] = made["info"]["time"]["created"]
        return made

    @property
    def value(self):
        return {"info": self.info, "messages": self.messages}

    @property
    def tables(self):
        """The rows of its database."""
        created, revert = self.info["time"]["created"], self.info.get("revert")
        session = {
            "id": self.info["id"], "parent_id": self.info.get("parentID"), "directory": self.info["directory"],
            "title": self.info["title"], "version": self.info["version"], "time_created": created,
            "revert": revert and orjson.dumps(revert).decode(),
        }  # fmt: skip
        messages = [
            {"id": one["info"]["id"], "session_id": self.info["id"],
             "time_created": one["info"]["time"]["created"], "data": _without(one["info"], "id", "sessionID")}
            for one in self.messages
        ]  # fmt: skip
        parts = [
            {"id": part["id"], "message_id": one["info"]["id"], "session_id": self.info["id"],
             "data": _without(part, "id", "sessionID", "messageID")}
            for one in self.messages for part in one["parts"]
        ]  # fmt: skip
        return {"session": [session], "message": messages, "part": parts}

    def write(self, folder):
        path = folder / "export.json"
        path.write_bytes(orjson.dumps(self.value, option=orjson.OPT_INDENT_2))
        return path

    def write_session(self, storage):
        """Write the session as the older tree of files; return the session's file."""
        session = storage / "session" / "global" / f"{self.info['id']}.json"
        held = {session: self.info}
        for one in self.messages:
            id = one["info"]["id"]
            held[storage / "message" / self.info["id"] / f"{id}.json"] = one["info"]
            held |= {storage / "part" / id / f"{part['id']}.json": part for part in one["parts"]}
        for path, value in held.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2))
        return session

    def fill(self, path, *, keep=False):
        """Write its rows to a database in WAL mode; `keep`: keep the existing rows."""
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode=WAL")
        for table, columns in SCHEMA.items():
            connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns.replace(' ', ', ')})")
            if not keep:
                connection.execute(f"DELETE FROM {table}")
            names = columns.split()
            for row in self.tables[table]:
                values = [_scalar(row.get(name)) for name in names]
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", values)
        connection.commit()
        return connection


def tool(call, output=None, status="completed", end=1, **state):
    """A call and its result, as one part."""
    made = {"status": status, "input": {"p": "."}, **state}
    if status in ("completed", "error"):
        made = {"output": output, "time": {"start": 0, "end": end}, **made}
    return {"type": "tool", "tool": "ls", "callID": call, "state": made}


def opencode():
    """A call, a compaction, thoughts, an image, an aborted answer, what is not sent."""
    file = OpenCode(revert={"messageID": "msg_0009"})
    file.user("one", {"type": "text", "text": "not sent", "ignored": True})
    file.model({"type": "step-start"}, {"type": "reasoning", "text": "hm", "metadata": {"anthropic": {"signature": "s"}}},
              tool("A", "of A"), tool("B", "failed", "error", error="no"), {"type": "step-start"}, "two")  # fmt: skip
    file.user({"type": "compaction", "auto": True})
    file.model("in short", summary=True)
    file.user("three", {"type": "file", "mime": "image/png", "url": "data:image/png;base64,iVBORw=="})
    file.model("fo", error={"name": "MessageAbortedError", "data": {}})
    file.user({"type": "subtask", "prompt": "x"})
    file.model(tool("C", status="running"), {"type": "hologram"}, finish="")
    file.user("taken back")
    return [file.value]


def exported(values):
    """A file with one object over many lines."""
    return orjson.dumps(values[0], option=orjson.OPT_INDENT_2)


def tables():
    """The same in its database."""
    file = OpenCode()
    file.__dict__.update(info=opencode()[0]["info"], messages=opencode()[0]["messages"])
    return [file.tables]


def _without(value, *keys):
    return {key: held for key, held in value.items() if key not in keys}


def _scalar(value):
    return orjson.dumps(value).decode() if isinstance(value, dict | list) else value
