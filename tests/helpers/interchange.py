"""Import files of other programs, and show their sessions."""

from in_process import run_ok
from support import lines, session_path


def imported(home, data, name="file.json", *more):
    (home / name).write_bytes(data)
    return run_ok("import", str(home / name), *more, home=home)


def sessions(home, done):
    return [lines(session_path(home, id)) for id in done.text.split()]


def short(records):
    """The kind and text of each message of a session."""
    rows = []
    for record in records:
        if record["type"] != "message":
            continue
        texts = []
        for part in record["parts"]:
            call, response = part.get("functionCall"), part.get("functionResponse")
            media = part.get("inlineData") or part.get("fileData")
            texts.append(
                f"{call['name']} {call['id']}" if call
                else f"{response['id']}={next(iter(response['response'].values()))}" if response
                else media["mimeType"] if media
                else f"({part['text']})" if part.get("thought") else part["text"]
            )  # fmt: skip
        rows.append((record["kind"], "+".join(texts)))
    return rows
