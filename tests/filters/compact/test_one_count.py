"""One count of a session, the request's, whoever is asked: `stats`, `status`, `compact` and `payload --budget`."""

import base64

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies as some
from in_process import run_in_process, run_ok, write_session
from length import examples

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    + (640).to_bytes(4, "big")
    + (480).to_bytes(4, "big")
    + b"\x08\x02\0\0\0"
).decode()
TEXTS = st.sampled_from(
    ["Why is the sky blue?", "and #2", "日本語のテキスト", "x" * 300, "a\n\nb", "def f(): pass"]
)
REFERENCES = st.lists(TEXTS, max_size=3).map(
    lambda texts: [{"number": n, "id": f"r{n}", "text": t, "title": "t"} for n, t in enumerate(texts, 1)]
)
FILES = [
    {"inlineData": {"mimeType": "image/png", "data": PNG}},
    {"inlineData": {"mimeType": "text/plain", "data": base64.b64encode(b"hello from a file").decode()}},
    {"fileData": {"mimeType": "application/pdf", "fileUri": "https://example.com/a.pdf"}},
]
HEADER = {"type": "session", "version": 1, "id": "s", "created": some.TS}
HUGE = "900m"


@st.composite
def sessions(draw):
    """A session that curation leaves as it is, with all that a request holds."""
    records = []

    def add(kind, *parts, **fields):
        id = f"m{len(records)}"
        records.append(
            {"type": "message", "id": id, "ts": some.TS, "kind": kind, "parts": list(parts), **fields}
        )
        return id

    for turn in range(draw(st.integers(0, 3))):
        _prompt(draw, add)
        if draw(st.booleans()):
            call = {"id": f"c{turn}", "name": "search"}
            add("codeh", {"functionCall": {**call, "args": {"q": draw(TEXTS)}}})
            result = {**call, "response": {"output": draw(TEXTS)}}
            add("tool", {"functionResponse": result}, references=draw(REFERENCES))
        add("codeh", {"text": draw(TEXTS)})
    _prompt(draw, add)
    meta = {}
    if draw(st.booleans()):
        meta["system"] = draw(TEXTS)
    if draw(st.booleans()):
        meta["tools"] = [{"name": "search", "description": draw(TEXTS), "parameters": {"type": "object"}}]
    if draw(st.booleans()):
        meta["compact.counter"] = draw(st.sampled_from(["cl100k_base", "gpt-4"]))
    summaries = []
    if len(records) > 2 and draw(st.booleans()):
        summaries = [{"type": "summary", "id": "s1", "summary": draw(TEXTS), "covers": [records[0]["id"]], "by": "x",
                      "createdAt": some.TS, "periodStart": some.TS, "periodEnd": some.TS, "conversationCount": 1}]  # fmt: skip
    return [HEADER, {"type": "meta", "ts": some.TS, "set": meta}, *records, *summaries]


def _prompt(draw, add):
    files = draw(st.lists(st.sampled_from(FILES), max_size=2))
    attached = [
        {"name": f"f{n} .x", "mimeType": "a/b", "bytes": n, "part": n} for n in range(1, len(files) + 1)
    ]
    fields = {"attached": attached} if files and draw(st.booleans()) else {}
    add("user", {"text": draw(TEXTS)}, *files, **fields)


def check(home):
    """All four say the same number, and one token less is too little."""

    def json_of(*argv):
        return orjson.loads(run_in_process(*argv, home=home).out)

    total = json_of("stats", "s", "--json")["tokens"]["total"]
    assert json_of("status", "s", "--json")["tokens"] == total
    plan = json_of("compact", "s", "--plan", "--budget", HUGE)
    assert (plan["before"], plan["ops"]) == (total, [])
    assert json_of("compact", "s", "--plan", "--budget", str(total))["ops"] == []
    whole = run_in_process("payload", "s", "--to", "gemini", home=home)
    assert run_in_process("payload", "s", "--to", "gemini", "--budget", str(total), home=home) == whole
    for argv in (["compact", "s", "--plan"], ["payload", "s", "--to", "gemini"]):
        less = run_in_process(*argv, "--budget", str(total - 1), home=home)
        assert less.code == 5 or (less.code == 0 and less.out != whole.out)
        assert less.code or argv[0] == "payload" or orjson.loads(less.out)["ops"]


@pytest.fixture(scope="module", name="home")
def _home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@settings(max_examples=examples(15), deadline=None)
@given(records=sessions(), persisted=st.booleans())
def test_every_verb_counts_what_the_request_holds(home, records, *, persisted):
    write_session(home, some.encode(records))
    if persisted:
        run_ok("persist", "s", "-i", "--all", "-q", home=home)
    check(home)
