"""A session that ends with a prompt, and answers to it."""

import orjson

from in_process import run_in_process, write_session

HEADER = b'{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n'
PROMPT = HEADER + b'{"type":"message","id":"p","kind":"user","role":"user","parts":[{"text":"hi"}]}\n'


def with_prompt(home):
    """The home with such a session, `s`."""
    write_session(home, PROMPT)
    return home


def receive(home, data, *flags):
    return run_in_process("append", "-s", "s", "--from", "auto", *flags, stdin=data, home=home)


def texts_of_model(home):
    """The texts of the model's messages that the view shows."""
    shown = run_in_process("export", "s", "--to", "contents", home=home)
    messages = [message["parts"] for message in orjson.loads(shown.out) if message["role"] == "model"]
    return ["".join(part.get("text", "") for part in parts) for parts in messages]
