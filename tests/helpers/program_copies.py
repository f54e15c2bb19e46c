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
    return "+".join(
        part["text"]
        if "text" in part
        else f"call {part['functionCall']['id']}"
        if "functionCall" in part
        else f"{part['functionResponse']['id']}={part['functionResponse']['response'].get('output')}"
        for part in record["parts"]
    )
