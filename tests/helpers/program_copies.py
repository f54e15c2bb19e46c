"""Copies of other programs' sessions, and their content."""

import orjson

from in_process import run_ok
from program_formats import saved
from support import lines, session_path


def imported(file, home, id=None):
    """Create or update a copy; return its records."""
    done = run_ok("import", str(file), home=home)
    return lines(session_path(home, id or done.text))


def view(file, home, id=None):
    """A short text per message of the copy, summaries first."""
    return shown(home, imported(file, home, id)[0]["id"])


def shown(home, id):
    done = run_ok("curate", id, "--only", "kinds", home=home)
    return [short(record) for record in done.lines if record["type"] in ("message", "summary")]


def sent(home, id):
    """What a program would be sent, in short: texts, ids of calls, responses."""
    body = orjson.loads(run_ok("payload", id, "--to", "gemini", "--raw", "--prefill", home=home).text)
    for turn in body["contents"]:
        for part in turn["parts"]:
            answer, call = part.get("functionResponse"), part.get("functionCall", {})
            yield answer["response"] if answer else part.get("text") or call.get("id", "image")


def imported_export(home, *conversations):
    """The output of `import` for an export of these conversations."""
    return run_ok("import", str(saved(home, [one.value for one in conversations])), home=home)


def settings(records):
    """All settings of a session."""
    return {key: value for r in records if r["type"] == "meta" for key, value in r["set"].items()}


def short(record):
    if record["type"] == "summary":
        return f"S:{record['summary']}"
    return "+".join(map(_part, record["parts"]))


def _part(part):
    call, response = part.get("functionCall"), part.get("functionResponse")
    file = part.get("inlineData") or part.get("fileData")
    if call:
        return f"call {call['id']}"
    if response:
        return f"{response['id']}={next(iter(response['response'].values()))}"
    return file["mimeType"] if file else part["text"]
