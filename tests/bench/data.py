"""The sessions that are measured: text of several kinds, always the same."""

import random

import orjson

NOW = "2026-01-02T03:04:05.000Z"

HEADER = {"type": "session", "version": 1, "id": "s", "created": "2026-01-02T03:04:05.000Z", "cwd": "/work"}
CREATED = 1_767_323_045_000
WORDS = (
    "the of and to in is that for it with as was on be by this are from or have an they which one would all there "
    "session record message append request answer token budget history provider stream tool result error return "
    "function value index parser buffer thread signal kernel socket commit branch merge deploy metric latency"
).split()


def text(rng, size):
    """Prose, code, JSON or digits, about `size` characters."""
    kind = rng.random()
    words = [rng.choice(WORDS) for _ in range(size // 6)]
    if kind < 0.6:
        return " ".join(words)
    if kind < 0.8:
        return "\n".join(
            f"    {a} = {b}({c!r}, {rng.randrange(1000)})"
            for a, b, c in zip(words, words[1:], words[2:], strict=False)
        )[:size]
    if kind < 0.95:
        return orjson.dumps({word: rng.random() for word in words}).decode()[:size]
    return "".join(str(rng.randrange(10)) for _ in range(size))


def records(count, size, seed=1):
    """A session's lines: user and model in turn, texts of about `size` characters."""
    rng = random.Random(seed)
    yield orjson.dumps(HEADER) + b"\n"
    pool = [text(rng, max(8, int(size * rng.uniform(0.2, 1.8)))) for _ in range(min(count, 2000))]
    for number in range(count):
        kind, role = (("user", "user"), ("codeh", "model"))[number % 2]
        body = pool[number % len(pool)] if number < len(pool) else f"{number} {pool[number % len(pool)]}"
        yield orjson.dumps(
            {
                "type": "message", "id": f"{number:020x}", "ts": stamp(number), "kind": kind, "role": role,
                "parts": [{"text": body}],
            }
        ) + b"\n"  # fmt: skip


def stamp(number):
    minutes, seconds = divmod(number, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return (
        f"2026-{1 + days // 28 % 12:02d}-{1 + days % 28:02d}T{hours:02d}:{minutes:02d}:{seconds:02d}.000Z"
    )


def session(path, count, size, *, end="user"):
    """Write a session of `count` messages that ends with this role."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(records(count + (count % 2 == 0 and end == "user"), size))
    return path


def contents(path, count, size):
    """Bare `{"role","parts"}` lines, as `append --jsonl` takes them."""
    rng = random.Random(2)
    pool = [text(rng, size) for _ in range(2000)]
    with path.open("wb") as file:
        for number in range(count):
            parts = [{"text": f"{number} {pool[number % 2000]}"}]
            file.write(orjson.dumps({"role": ("user", "model")[number % 2], "parts": parts}) + b"\n")
    return path


def many(directory, count):
    """`count` sessions of 20 messages, 30 KB each."""
    directory.mkdir(parents=True)
    body = b"".join(records(20, 1400))
    for number in range(count):
        own = body.replace(b'"id":"s"', b'"id":"s%05d"' % number, 1)
        (directory / f"s{number:05d}.jsonl").write_bytes(own)
    return directory


def answered(directory, count):
    """`count` sessions of ten prompts and answers, each with what it used."""
    directory.mkdir(parents=True)
    for number in range(count):
        lines = [{"type": "session", "version": 1, "id": f"s{number:05d}", "created": NOW}]
        for turn in range(10):
            raw = {"prompt_tokens": 1000 + turn}
            used = {"input": 1000 + turn, "output": 200, "cached": 500, "raw": raw}
            lines += [
                {"type": "message", "id": f"u{turn}", "ts": NOW, "kind": "user", "role": "user", "parts": [{"text": "ask " * 40}]},
                {"type": "message", "id": f"a{turn}", "ts": NOW, "kind": "codeh", "role": "model", "parts": [{"text": "say " * 80}],
                 "provider": "openai-chat", "model": "gpt-4o", "usage": used, "responseId": f"r{number}-{turn}"},
            ]  # fmt: skip
        data = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        (directory / f"s{number:05d}.jsonl").write_bytes(data)
    return directory
