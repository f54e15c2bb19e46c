"""A coding session full of calls: a recorded one where it is at hand, else one made like it, repeated to a size."""

import random
import sys
from pathlib import Path

import orjson
from data import HEADER, WORDS, stamp, text

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "helpers"))

MADE = {"provider": "anthropic", "model": "claude-sonnet-4-5", "finish": "tool_use"}
USAGE = {"input": 23_124, "output": 312, "cached": 21_876, "cacheWrite": 1_245, "total": 23_436}


def session(path, size):
    """Write a session of about `size` bytes that ends with a user's message; ids are new in each repetition."""
    path.parent.mkdir(parents=True, exist_ok=True)
    messages = _recorded() or list(_made())
    with path.open("wb") as file:
        file.write(orjson.dumps(HEADER | {"id": path.stem}) + b"\n")
        number = 0
        while file.tell() < size or messages[number % len(messages) - 1]["kind"] != "codeh":
            file.write(_line(number, number // len(messages), messages[number % len(messages)]))
            number += 1
        file.write(_line(number, 0, {"kind": "user", "role": "user", "parts": [{"text": "Go on."}]}))
    return path


def _line(number, again, message):
    fields = {"type": "message", "id": f"{number:020x}", "ts": stamp(number)}
    made = MADE | {"usage": USAGE} if message["role"] == "model" else {}
    parts = [_fresh(part, again) for part in message["parts"]]
    return orjson.dumps(fields | message | {"ts": stamp(number), "parts": parts} | made) + b"\n"


def _fresh(part, again):
    for key in ("functionCall", "functionResponse"):
        if key in part:
            return part | {key: part[key] | {"id": f"{part[key]['id']}{again:x}"}}
    return part


def _recorded():
    import recorded
    from support import ROOT

    return recorded.coding() if (ROOT.parent / "shared" / "corpus").is_dir() else []


def _made():
    """88 prompts, each with some rounds of calls; a few calls have no result, a few answers say nothing."""
    rng = random.Random(3)
    calls = 0
    for _ in range(88):
        yield {"kind": "user", "role": "user", "parts": [{"text": text(rng, 300)}]}
        for _ in range(rng.randrange(1, 8)):
            calls += 1
            name = rng.choice(("bash", "read", "edit"))
            path = "/".join(rng.sample(WORDS, 3))
            args = {"path": path, "text": text(rng, int(rng.expovariate(1 / 450)))}
            id = f"toolu_{calls:022d}"
            call = {"functionCall": {"id": id, "name": name, "args": args}}
            text_parts = [{"text": text(rng, 200)}] * (rng.random() < 0.5)
            yield {"kind": "codeh", "role": "model", "parts": [*text_parts, call]}
            if rng.random() < 0.95:
                response = {"output": text(rng, int(rng.expovariate(1 / 850)))}
                result = {"functionResponse": {"id": id, "name": name, "response": response}}
                yield {"kind": "tool", "role": "user", "parts": [result]}
        yield {"kind": "codeh", "role": "model", "parts": [{"text": text(rng, 200)}] * (rng.random() < 0.9)}
