"""Sessions of shapes for which a careless loop is slow; `n`: the number of the repeated element."""

import orjson

from codeh_history.session.records import block_of

TS = "2026-01-02T03:04:05.000Z"


def message(id, *texts, kind="user", **more):
    parts = [{"text": text} for text in texts]
    role = "model" if kind == "codeh" else "user"
    return {"type": "message", "id": id, "ts": TS, "kind": kind, "role": role, "parts": parts, **more}


def call(id, *ids, name="read"):
    return message(id, kind="codeh") | {
        "parts": parts("functionCall", ids, name, args={"path": f"{id}.py"})
    }


def result(id, *ids, name="read"):
    return message(id, kind="tool") | {
        "parts": parts("functionResponse", ids, name, response={"output": "ok"})
    }


def parts(key, ids, name, **value):
    return [{key: ({"id": id} if id else {}) | {"name": name, **value}} for id in ids]


def summary(number, covers):
    return {"type": "summary", "id": f"s{number}", "createdAt": TS, "summary": "So far.", "covers": covers}


def delta(of, number):
    return {"type": "delta", "of": of, "parts": [{"text": f"word {number} "}]}


def inserted(number, after):
    message = {"id": f"i{number}", "ts": TS, "kind": "user", "role": "user", "parts": [{"text": "x"}]}
    return compaction(f"k{number}", {"op": "insert", "after": after, "message": message})


def record(type, id, **more):
    return {"type": type, "id": id, "ts": TS, **more}


def compaction(id, *ops):
    return record("compaction", id, policy="p", ops=list(ops))


def talk(n):
    for number in range(n):
        yield message(f"u{number}", f"Question {number} about the build?")
        yield message(f"a{number}", f"Answer {number}: it works.", kind="codeh")


def calls_of_one_id(n):
    yield message("u", "Go.")
    for number in range(n):
        yield call(f"c{number}", "same")
        yield result(f"r{number}", "same")


def calls_of_one_id_at_once(n):
    yield from [
        message("u", "Go."),
        call("c", *["same"] * n),
        result("r", *["same"] * n),
        message("v", "And?"),
    ]


def calls_of_one_id_unanswered(n):
    yield message("u", "Go.")
    yield from (call(f"c{number}", "same") for number in range(n))
    yield message("v", "And?")


def calls_in_a_row_late_results(n):
    yield message("u", "Go.")
    yield from (call(f"c{number}", f"i{number}") for number in range(n))
    yield message("v", "And?")
    yield from (result(f"r{number}", f"i{number}") for number in reversed(range(n)))


def calls_without_ids(n):
    yield from [message("u", "Go."), call("c", *[None] * n)]
    yield from (result(f"r{number}", None) for number in range(n))


def calls_with_ids_results_without(n):
    yield from [message("u", "Go."), call("c", *map(str, range(n)))]
    yield from (result(f"r{number}", None) for number in range(n))


def calls_never_answered(n):
    for number in range(n):
        yield message(f"u{number}", "Go.")
        yield call(f"c{number}", f"i{number}")
    yield result("r", "other", name="other")


def late_results(n):
    for number in range(n):
        yield call(f"c{number}", f"i{number}")
        yield message(f"u{number}", "Meanwhile?")
    yield from (result(f"r{number}", f"i{number}") for number in range(n))


def orphans(n):
    yield message("u", "Go.")
    yield from (result(f"r{number}", f"i{number}") for number in range(n))


def one_id(n):
    yield from (message("m", f"text {number}") for number in range(n))


def one_id_reverted(n):
    for number in range(n):
        yield message("m", f"text {number}")
        yield record("revert", f"r{number}", of="m")
    yield message("m", "at last")


def one_id_then_reverts(n):
    yield from one_id(n)
    yield from (record("revert", f"r{number}", of="m") for number in range(n))
    yield message("m", "at last")


def reverts_of_reverts(n):
    yield from [message("a", "kept"), message("m", "text")]
    yield from (record("revert", f"r{n}", of=f"r{n - 1}" if n else "m") for n in range(n))


def copies(n):
    for _ in range(n // 10):
        yield from [message("a", "Why?"), record("open", "o", kind="codeh", role="model")]
        yield from (delta("o", number) for number in range(6))
        yield from [{"type": "commit", "of": "o", "ts": TS}, record("clear", "x")]
    yield message("b", "And?")


def inserts_on_inserts(n):
    yield message("i0", "Go.")
    yield from (inserted(number, f"i{number - 1}") for number in range(1, n + 1))


def inserts_in_one_place(n):
    yield message("a", "Go.")
    yield from (inserted(number, "a") for number in range(n))


def parts_replaced_one_by_one(n):
    texts = [f"part {number}" for number in range(n)]
    yield message("a", *texts)
    for number, text in enumerate(texts):
        op = {"op": "replace", "id": "a", "part": number, "block": block_of({"text": text})}
        yield compaction(f"k{number}", op | {"with": {"text": "s"}})


def updates(n):
    yield message("a", "v")
    for number in range(n):
        yield record("update", f"u{number}", of="a", parts=[{"text": f"v{number}"}])
        yield {"type": "commit", "of": f"u{number}", "ts": TS}


def deltas(n):
    yield from [message("a", "Go."), record("open", "m", kind="codeh", role="model")]
    yield from (delta("m", number) for number in range(n))
    yield {"type": "commit", "of": "m", "ts": TS}
    yield message("b", "And?")


def streams(n):
    yield message("a", "Go.")
    yield from (record("open", f"m{number}", kind="codeh", role="model") for number in range(n))
    yield from (delta(f"m{number}", number) for number in range(n))


def chained_summaries(n):
    yield message("a", "Go.")
    yield from (summary(number, [f"s{number - 1}" if number else "a"]) for number in range(n))
    yield message("b", "And?")


def summaries_of_all(n):
    """Twenty summaries that each cover all messages."""
    ids = [f"m{number}" for number in range(n)]
    yield from (message(id, "Go on.") for id in ids)
    yield from (summary(number, ids) for number in range(20))
    yield message("b", "And?")


def summaries(n):
    for number in range(n):
        yield message(f"m{number}", "Go on.")
        yield summary(number, [f"m{number}"])
    yield message("b", "And?")


def bare_lines(n):
    yield from ({"role": "user", "parts": [{"text": "hi"}]} for _ in range(n))


def clears(n):
    for number in range(n):
        yield message(f"m{number}", "Go on.")
        yield record("clear", f"x{number}")
    yield message("b", "And?")


def many_parts(n):
    yield message("a", *(f"part {number}" for number in range(n)))


def prompts(n):
    yield from (message(f"m{number}", f"# Open Files\nfile {number}") for number in range(n))
    yield message("b", "And?")


def native(n):
    yield message("u", "Go.")
    value = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    parts = [{"native": {"provider": "anthropic", "value": value}}] * n
    yield message("a", kind="codeh", provider="anthropic", model="claude-opus-4-8") | {"parts": parts}
    yield message("b", "And?")


def cited(n):
    sources = [{"number": k, "id": f"d{k}", "title": "t", "text": f"fact {k}"} for k in range(1, n + 1)]
    yield message("u", "Why?", references=sources)
    yield message("a", " ".join(f"It is so [{number}]." for number in range(1, n + 1)), kind="codeh")
    yield message("b", "And?")


def deep(n):
    value = 1
    for _ in range(150):
        value = [value]
    for number in range(n):
        part = {"functionCall": {"id": f"c{number}", "name": "f", "args": {"x": value}}}
        yield message(f"c{number}", kind="codeh") | {"parts": [part]}
        yield result(f"r{number}", f"c{number}", name="f")
    yield message("b", "And?")


def text(pattern):
    """One long text that repeats the pattern, as prompt and answer."""

    def shape(n):
        yield from [
            message("a", pattern * n),
            message("b", pattern * n, kind="codeh"),
            message("c", "And?"),
        ]

    return shape


def output(pattern):
    """The same as a tool's output and arguments."""

    def shape(n):
        request = {"functionCall": {"id": "c", "name": "run", "args": {"command": pattern * n}}}
        got = {"functionResponse": {"id": "c", "name": "run", "response": {"output": pattern * n}}}
        yield message("u", "Go.")
        yield message("c", kind="codeh") | {"parts": [request]}
        yield message("r", kind="tool") | {"parts": [got]}
        yield message("a", "Done.", kind="codeh")
        yield message("b", "And?")

    return shape


LINES = {
    shape.__name__.replace("_", " "): shape
    for shape in (
        talk, calls_of_one_id, calls_of_one_id_at_once, calls_of_one_id_unanswered, calls_in_a_row_late_results,
        calls_without_ids, calls_with_ids_results_without, calls_never_answered, late_results, orphans, one_id,
        one_id_reverted, one_id_then_reverts, reverts_of_reverts, copies, inserts_on_inserts, inserts_in_one_place,
        parts_replaced_one_by_one, updates, deltas, streams, chained_summaries, summaries_of_all, summaries,
        bare_lines, clears, many_parts, prompts, native, cited, deep,
    )
}  # fmt: skip
PATTERNS = {
    "a": "a", "blanks": " ", "newlines": "\n", "backticks": "`", "fences": "```\n", "open fences": "```py\nx\n",
    "brackets": "[", "links": "[x](", "stars": "*a_", "headings": "# ", "quotes": "> ", "lists": "- ", "tables": "|a",
    "html": "<a", "slashes": "/a", "dots": "a.", "words": "word ", "sentences": "I must not do it. ", "paths": "src/a.py ",
    "errors": "error: x\n", "digits": "1", "hashes": "#", "quoted": '"', "backslashes": "\\", "braces": "{", "é": "é",
    "日": "日", "zero width": "\u200b", "equals": "a=", "ampersands": "&", "combining": "a\u0301", "commas": "a,",
    "tags": "<x>", "entities": "&#", "emphasis": "**a", "blank lines": "a\n\n", "blanks and breaks": " \n", "tabs": "\t",
    "dashes": "-", "underscores": "_", "system": "System: ", "urls": "http://a/", "mails": "a@", "apostrophes": "don't ",
    "abbreviations": "a. ", "punctuation lines": ".\n", "open brackets": "[\n", "deep lists": "- - - - - a\n",
    "deep quotes": "> > > > > a\n\n",
}  # fmt: skip


def session(shape, n):
    header = {"type": "session", "version": 1, "id": "s", "created": TS}
    return b"".join(orjson.dumps(line) + b"\n" for line in (header, *shape(n)))


def sized(shape, size):
    """About this many bytes of a shape, and the number of its elements."""
    few = session(shape, 100)
    n = max(int(100 * size / len(few)), 1)
    return n, session(shape, n)
