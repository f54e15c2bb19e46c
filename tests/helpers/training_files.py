"""Files for fine-tuning, and the content of their sessions."""

from in_process import run_ok
from support import lines, session_path


def imported(home, data, name="file.jsonl"):
    """The records of each session in a file."""
    (home / name).write_bytes(data)
    done = run_ok("import", str(home / name), home=home)
    return [lines(session_path(home, id)) for id in done.text.split()]


def said(records):
    """The texts and call ids of a session."""
    return [
        part.get("text") or f"{part.get('functionCall', part.get('functionResponse'))['id']}"
        for record in records
        for part in record.get("parts", ())
    ]
