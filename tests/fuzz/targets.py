"""What must hold for any bytes at all: a function for each place where bytes of others come in.

Each takes bytes and raises where a promise is broken. `run.py` searches with atheris, which is guided by
what the code does; `test_targets.py` tries some with hypothesis in every test run.
"""

import hashlib
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

import orjson

import answers
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.base.escape import safe, visible
from codeh_history.base.words import is_id
from codeh_history.filters.redact.redactor import Redactor
from codeh_history.filters.redact.run import redacted_lines
from codeh_history.programs import forms
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from codeh_history.store import foreign
from codeh_history.store.blocks.protocol import is_block_id
from codeh_history.store.paths import path_of
from in_process import run_in_process, write_session
from secret_examples import SECRETS

HEADER = b'{"type":"session","version":1,"id":"s","created":"2026-01-01T00:00:00.000Z"}\n'
SESSION = HEADER + b"".join(
    line + b"\n"
    for line in [
        b'{"type":"message","id":"a","ts":"2026-01-01T00:00:00Z","kind":"user","role":"user","parts":[{"text":"hi"}]}',
        b'{"type":"open","id":"o","kind":"codeh","role":"model"}', b'{"type":"delta","of":"o","parts":[{"text":"x"}]}',
        b'{"type":"commit","of":"o","parts":[{"functionCall":{"id":"c","name":"f","args":{"a":1}}}],"usage":{"input":1}}',
        b'{"type":"message","id":"t","kind":"tool","parts":[{"functionResponse":{"id":"c","name":"f","response":{}}}]}',
        b'{"type":"update","id":"u","of":"a","parts":[{"text":"ho"}]}', b'{"type":"revert","id":"r","of":"u"}',
        b'{"type":"summary","id":"S","summary":"s","covers":["a"]}', b'{"type":"clear","id":"x"}',
        b'{"type":"compaction","id":"k","ops":[{"op":"drop","ids":["a"]},{"op":"replace","id":"a","part":0,"block":"b"}]}',
        b'{"type":"compaction","id":"l","ops":[{"op":"insert","after":"t","message":{"role":"user","parts":[]}}]}',
        b'{"role":"model","parts":[{"native":{"provider":"anthropic","value":{"type":"thinking"}}}]}',
        b'{"type":"ref","id":"R","role":"user","blockIds":["' + b"0" * 64 + b'"]}', b'{"type":"meta","set":{"title":"t"}}',
    ]
)  # fmt: skip


def records(data):
    """Every line is a record, damage or blank; what is read can be written and read again."""
    log = parse(data)
    at = {record.offset for record in log.records} | {damage.offset for damage in log.damage}
    offset = 0
    for line in data.split(b"\n"):
        assert offset in at or not line.removeprefix(b"\xef\xbb\xbf").strip()
        offset += len(line) + 1
    printed = b"".join(fold(log).lines())
    assert b"".join(fold(parse(printed)).lines()) == printed
    with suppress(BadData):  # of a provider's messages, the first that is none
        fold(foreign.read_log(data))


LOOKS = [
    "show s", "show s --items", "verify s", "payload s --to gemini", "payload s --to anthropic --model m", "status s",
    "payload s --to openai-chat --model m", "payload s --to openai-responses --model m", "curate s", "list", "last s",
    "compact s --budget 50 --counter approx", "summarize - --max-conversations 1 --min-batch 1", "redact s", "fixture s",
    "persist s --all", "export s --to markdown", "export s --to persisted", "search x s", "stats s --counter approx",
    "calls s", "context s", "append -s s -m x", "undo -s s", "commit -s s", "curate -s s -i", "gc --yes", "fork s --into t",
]  # fmt: skip


def commands(data):
    """Whatever a file holds, a command ends with a documented code, and never changes what was there."""
    look = LOOKS[data[0] % len(LOOKS)] if data else LOOKS[0]
    with tempfile.TemporaryDirectory() as home:
        path = write_session(Path(home), data[1:])
        rest = data[1:] if " - " in look else b""
        done = run_in_process(*look.split(), home=home, stdin=rest, env={"CODEH_SESSION": "s"})
        assert done.code in (0, 1, 2, 3, 5, 65)
        assert path.read_bytes().startswith(data[1:]) or look.startswith("gc")


TAKES = [
    "append -s s --jsonl", "append -s s --from auto", "append -s s", "append -s s --exchange -", "append -s s -m x --references f",
    "append -s s --result f", "update -s s a", "set -s s tools=@f", "payload s --to anthropic --model m --tools @f",
    "import f --into t", "summarize s --via cat --max-conversations 1 --min-batch 1", "compact s -i --budget 9k --apply f",
    "payload s --to gemini --user-template f", "append -s s --attach f", "redact s --rules f",
]  # fmt: skip


def stored_or_refused(data):
    """Whatever is given to a command that stores, it is stored or refused; what was there stays."""
    take = TAKES[data[0] % len(TAKES)] if data else TAKES[0]
    with tempfile.TemporaryDirectory() as home:
        path = write_session(Path(home), SESSION)
        file = Path(home) / "f"
        file.write_bytes(data[1:])
        argv = [word.replace("@f", f"@{file}") if word != "f" else str(file) for word in take.split()]
        done = run_in_process(*argv, home=home, stdin=data[1:])
        assert done.code in (0, 1, 2, 3, 4, 5, 6, 65, 75), done
        after = path.read_bytes()
        assert after.startswith(SESSION)
        assert not parse(after).damage
        assert run_in_process("payload", "s", "--to", "gemini", home=home).code in (0, 65)


def _stream(format):
    def target(data):
        """The same answer in any chunking; nothing that arrives makes it raise."""
        step = data[0] % 40 + 1 if data else 1
        body = data[1:]
        whole, _, _ = answers.arrived([body], format)
        pieces = [body[at : at + step] for at in range(0, len(body), step)]
        in_pieces, _, _ = answers.arrived(pieces, format)
        assert _parts_of(in_pieces) == _parts_of(whole)
        orjson.dumps(getattr(whole, "parts", []))

    return target


def _parts_of(outcome):
    return type(outcome), getattr(outcome, "text", None), getattr(outcome, "parts", None)


ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
DEVICES = re.compile(r"(?i)con|prn|aux|nul|(?:com|lpt)[1-9]")


def ids(data):
    """An id is what the format says and nothing more, and its file lies directly in the home."""
    text = data.decode("utf-8", "surrogateescape")
    assert is_id(text) is bool(ID.fullmatch(text) and not DEVICES.fullmatch(text))
    assert is_block_id(text) is bool(re.fullmatch("[0-9a-f]{64}", text))
    try:
        path = path_of(Env({"CODEH_HOME": "/home"}), text)
    except Usage:
        assert not is_id(text)
    else:
        assert path == text or os.path.dirname(os.path.normpath(path)) == "/home/sessions"
        assert path != text or text.endswith((".json", ".jsonl"))


UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]|(?:^|[\x00-\u02ff\u200c\u200d])[\u200c\u200d]"  # joiners only behind what is joined
)


def escape(data):
    """Nothing that acts on a terminal comes out; everything else comes out as it was."""
    text = data.decode("utf-8", "surrogateescape")
    shown = safe(text)
    assert not UNSAFE.search(shown)
    assert safe(shown) == shown
    assert not re.search(r"[\n\t]", visible(text))
    assert UNSAFE.sub("", text) == text or shown != text
    if not UNSAFE.search(text):
        assert shown == text


def redact(data):
    """It never raises, a second pass changes nothing, and a secret of a known kind goes."""
    text = data.decode("utf-8", "surrogateescape")
    once = Redactor().text(text)
    assert Redactor().text(once) == once
    kind = sorted(SECRETS)[data[0] % len(SECRETS)] if data else "jwt"
    at = data[1] % (len(text) + 1) if len(data) > 1 else 0
    with_secret = f"{text[:at]}\n{SECRETS[kind]}\n{text[at:]}"
    redacted = Redactor().text(with_secret)
    assert redacted.count(SECRETS[kind]) < with_secret.count(SECRETS[kind])
    value = {"a": [text, {"b": with_secret}], "thoughtSignature": with_secret}
    assert Redactor().value(value)["thoughtSignature"] == with_secret
    redacted_lines(data, Redactor())


def imports(data):
    """A file is read in the form it has, or refused."""
    form = ["auto", *forms.IMPORTERS][data[0] % (len(forms.IMPORTERS) + 1)] if data else "auto"
    try:
        read = forms.read(data[1:], form, "f")
    except BadData:
        return
    for record in read:
        orjson.dumps(record)
    again = forms.read(data[1:], form, "f")
    assert hashlib.sha256(orjson.dumps(again)).digest() == hashlib.sha256(orjson.dumps(read)).digest()


TARGETS = {
    "records": records,
    "commands": commands,
    "given": stored_or_refused,
    **{format: _stream(format) for format in answers.FORMATS},
    "any-provider": _stream(None),
    "ids": ids,
    "escape": escape,
    "redact": redact,
    "imports": imports,
}

_BODIES = {
    "gemini": b'{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"systemInstruction":{"parts":[{"text":"s"}]}}',
    "contents": b'[{"role":"user","parts":[{"text":"hi"}]},{"role":"assistant","content":"x"}]',
    "refs": b'[{"flowId":"f","blockIds":["' + b"0" * 64 + b'"],"role":"user"}]',
    "persisted": b'{"recentConversations":[{"id":"a","userMessage":"x","assistantResponse":"y"}],"summaries":[{"summary":"s"}]}',
    "anthropic": b'{"model":"claude","max_tokens":1,"system":"s","messages":[{"role":"user","content":"hi"},{"role":"assistant",'
    b'"content":[{"type":"tool_use","id":"i","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result",'
    b'"tool_use_id":"i","content":"x"}]}]}',
    "ollama": b'{"model":"llama","messages":[{"role":"user","content":"x","images":["aGk="]},{"role":"assistant","thinking":"t",'
    b'"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},{"role":"tool","tool_name":"f","content":"x"}]}',
    "openai-chat": b'{"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"x"}]},'
    b'{"role":"assistant","tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{}"}}]},'
    b'{"role":"tool","tool_call_id":"i","content":"x"}]}',
    "openai-responses": b'{"input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"c","name":"f",'
    b'"arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"x"}],"instructions":"s"}',
}
_STREAMS = [bytes([n]) + made() for n, made in enumerate(answers.STREAMS.values())]
SEEDS = {
    "records": [SESSION, *SESSION.splitlines(keepends=True), *_BODIES.values()],
    "commands": [bytes([n]) + SESSION for n in range(len(LOOKS))],
    "given": [
        bytes([n]) + body
        for n in range(len(TAKES))
        for body in (b'{"role":"user","parts":[{"text":"x"}],"id":"q","key":"k","kind":"user"}', b"text", b'[{"id":"x","text":"t"}]')
    ]
    + [b"\x03" + b'{"id":"x","userMessage":"t","assistantResponse":"u"}', b"\x01" + answers.gemini(), b"\x0c{{ message }}"]
    + [b'\x07[{"name":"f","parameters":{"type":"object"}}]', b'\x0e{"ticket":"T-[0-9]+"}', b"\x09" + _BODIES["anthropic"]],
    **{
        name: [*_STREAMS, bytes([9]) + answers.PRETTY, b"\x03" + answers.HEAD + answers.hi()]
        for name in answers.FORMATS
    },
    "any-provider": [*_STREAMS, bytes([9]) + answers.PRETTY, b"\x03" + answers.HTML],
    "ids": [b"demo", b"a-b_C9", b"nul", b"../x", b"a.jsonl", b"0" * 64, b"x" * 129, b"/etc/x.json"],
    "escape": ["\x1b]0;x\x07 \x9b31m \u202e\u200b\U000e0041\x7f ok\t\n".encode(), b"plain"],
    "redact": [
        *(bytes([n, 0]) + secret.encode() for n, secret in enumerate(SECRETS.values())),
        b"\0\0API_KEY=x token: 'y' https://u:p@h",
    ],
    "imports": [
        bytes([n]) + body for n in range(len(forms.IMPORTERS) + 1) for body in [*_BODIES.values(), SESSION]
    ],
}  # fmt: skip
