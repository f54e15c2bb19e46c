"""Copies of other programs' sessions: made, and what they show."""

from in_process import run_in_process
from program_formats import saved
from support import lines, session_path


def imported(file, home, id=None):
    """The records of a copy, made or brought up to date."""
    done = run_in_process("import", str(file), home=home)
    assert done.code == 0, done
    return lines(session_path(home, id or done.text))


def view(file, home, id=None):
    """What the copy shows, a short text a message; summaries first."""
    return shown(home, imported(file, home, id)[0]["id"])


def shown(home, id):
    done = run_in_process("curate", id, "--only", "kinds", home=home)
    assert done.code == 0, done
    return [short(record) for record in done.lines if record["type"] in ("message", "summary")]


def imported_export(home, *conversations):
    """What `import` says of an export of these conversations."""
    done = run_in_process("import", str(saved(home, [one.value for one in conversations])), home=home)
    assert done.code == 0, done
    return done


def settings(records):
    """All that a session sets."""
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
