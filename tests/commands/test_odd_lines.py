"""Command lines typed in a hurry, empty pipes and byte order marks: one helpful line, the right code, nothing invented."""

import os
import shlex

import pytest

from in_process import run_in_process, run_ok, write_session
from support import lines, session_path

SESSION = (
    b'{"type":"session","version":1,"id":"demo","created":"2026-01-02T03:04:05.000Z"}\n'
    b'{"type":"message","id":"aa11bb22","ts":"2026-01-02T03:04:05.000Z","kind":"user","role":"user","parts":[{"text":"Why?"}]}\n'
    b'{"type":"message","id":"cc33dd44","ts":"2026-01-02T03:04:06.000Z","kind":"codeh","role":"model","parts":[{"text":"So."}]}\n'
)
TEXT = "pass text as an argument or with -m, not both (the session is -s SESSION)"
LINES = {  # what is typed: the code, and what is said
    "-s demo show": (2, "put options after the command"),
    "-q list": (2, "put options after the command"),
    "-p local ask -m x": (2, "put options after the command"),
    "-V": (2, "No such option: -V; put options after the command (codeh-history --help)"),
    "shows demo": (2, "did you mean `codeh-history show`?"),
    "sessions": (2, "did you mean `codeh-history list`?"),
    "restore demo": (2, "did you mean `codeh-history rm --restore`?"),
    "summarise demo": (2, "did you mean `codeh-history summarize`?"),
    "rename demo x": (2, "did you mean `codeh-history set title=TEXT`?"),
    "version": (2, "did you mean `codeh-history --version`?"),
    "help shw": (2, "did you mean `codeh-history show`?"),
    "größe": (2, "größe: no such command; see codeh-history --help"),
    "show": (3, "no session was begun in this directory; name one with -s"),
    "show ''": (2, "argument: an empty name"),
    "show demo:": (2, "did you mean demo?"),
    "show demo,": (2, "did you mean demo?"),
    "show 'my session'": (2, "did you mean my-session?"),
    "show :3": (2, ":3: a message, not a session; name the session with -s"),
    "show größe": (2, "not a session id (ids are letters, digits, _ and -; at most 128)"),
    "append -s 'my session' -m x": (2, "did you mean my-session?"),
    "append -s sess/ion -m x": (2, "a path must end in .jsonl or .json"),
    "show 1": (3, "1: no such session"),
    "show dmeo": (3, "did you mean demo?"),
    "show -s demo other": (2, "two sessions: other and -s demo; give one"),
    "show demo 3": (2, "-n N shows the last N messages"),
    "show -n": (2, "requires an argument (codeh-history show --help)"),
    "show -s": (2, "requires an argument (codeh-history show --help)"),
    "show -n x demo": (2, "x: expected an integer of at least 1"),
    f"show -n {'9' * 5000} demo": (2, "expected an integer of at least 1"),
    f"prune --older-than {'9' * 5000}d": (0, "nothing to prune"),
    f"usage --since {'9' * 16}d": (0, "no usage recorded"),
    f"payload demo --to gemini --max-tokens {10**20}": (2, "expected an integer from 1 to 1000000000"),
    "show demo --sesion": (2, "--session"),
    "show demo --bogus --help": (2, "(codeh-history show --help)"),
    "expand -s demo aa11bb22:": (3, "did you mean aa11bb22?"),
    "expand -s demo 1": (3, "did you mean :1?"),
    "undo aa11bb22": (3, "aa11bb22.jsonl: no such session"),
    "undo :1": (2, "a message is --id ID, the session is the argument or -s SESSION"),
    "undo -s demo aa11bb22": (2, "a message is --id ID, the session is the argument or -s SESSION"),
    "undo -s demo --id 2": (3, "did you mean :2?"),
    "update -s demo cc33dd44: -m x": (3, "did you mean cc33dd44?"),
    "fork demo --at 1": (3, "did you mean :1?"),
    "fork demo other": (2, "the new one is --into NEW"),
    "export demo html": (2, "the form is --to FORM"),
    "export demo --to pdf": (2, "--to pdf: one of contents,"),
    "export demo --to md": (2, "did you mean markdown?"),
    "export demo --to htlm": (2, "did you mean html?"),
    "compact demo": (2, "no limit given, and no model is known; pass --budget N (32k)"),
    "compact demo 32k": (2, "the budget is --budget N"),
    "compact demo --budget 32kk": (2, "expected a positive number of tokens (32k is 32000)"),
    "payload demo gemini": (2, "the provider is --to PROVIDER"),
    "payload demo --to openai": (2, "--to openai: one of gemini, openai-chat,"),
    "ask demo -m why": (2, TEXT),
    "ask -s demo 'why is it' -m blue": (2, TEXT),
    "ask -m": (2, "requires an argument (codeh-history ask --help)"),
    "append hello -m you": (2, TEXT),
    "append -": (2, "stdin is read without an argument, or by -F -"),
    "append -s demo -m ''": (65, "the message is empty: give -m TEXT, -F FILE, or text on stdin"),
    "append -s demo -m a -s demo": (2, "takes one value; pass it once"),
    "set -s demo title hello": (2, "expected KEY=VALUE or KEY=@FILE"),
    "set demo title=hello": (2, "expected KEY=VALUE or KEY=@FILE; name the session with -s demo"),
    "set -s demo titel=x": (2, "did you mean title?"),
    "set -s demo tools=tools.json": (2, "did you mean @tools.json?"),
    "payload demo --to gemini --tools tools.json": (2, "did you mean @tools.json?"),
    "store drop": (2, "drop: one of init"),
    "search": (2, "Missing argument 'REGEX'"),
    "list demo": (2, "use -s SESSION for one session"),
    "list -n -1": (2, "expected an integer of at least 1"),
    "rm": (2, "name the sessions: `codeh-history rm SESSION...`"),
    "rm -rf demo": (2, "No such option: -r (codeh-history rm --help)"),
    "rm nosuch": (3, "nosuch: no such session"),
    "import": (2, "no FILE given; pass files, - for stdin, or --all"),
    "rescue nosuch": (3, "nosuch: no such session"),
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_typed_in_a_hurry(line, tmp_path):
    path = write_session(tmp_path, SESSION, "demo")
    code, reason = LINES[line]
    done = run_in_process(*shlex.split(line), home=tmp_path, env={"CODEH_TO": "text", "CODEH_VIA": "cat"})
    stderr = done.err.decode()
    assert (done.code, done.out) == (code, b"")
    assert stderr.startswith("codeh-history: ")
    assert stderr.endswith("\n")
    assert stderr.count("\n") == 1
    assert reason in stderr
    assert [file.name for file in path.parent.iterdir()] == ["demo.jsonl"]
    assert path.read_bytes() == SESSION


PIPES = {
    "curate -": 65, "compact - --budget 9k": 65, "summarize -": 65, "redact -": 65, "fixture -": 65, "persist -": 65,
    "hydrate -": 65, "payload - --to gemini": 65, "payload - --to text": 65, "show -": 65, "last -": 65, "stats -": 65,
    "status -": 65, "verify -": 65, "calls -": 65, "context -": 65, "expand x -": 65, "export - --to contents": 65,
    "export - --to html": 65, "fork - --into new": 65, "import -": 65, "compact demo --apply -": 65,
    "summarize demo --apply -": 65, "append -s demo": 65, "append -s demo -F -": 65, "append -s demo --jsonl": 65,
    "append -s demo --exchange -": 65, "append -s demo --from auto": 75, "append -s demo --from text": 75,
    "append -s demo --from gemini --echo": 75, "update :1 -s demo": 65, "ask -s answered --to text --via cat": 65,
    "ask -s new --to text --via cat": 65,
}  # fmt: skip


@pytest.fixture
def filled(home):
    """A home with a session that waits for an answer, and one that was answered."""
    for id in ("demo", "answered"):
        run_in_process("append", "-s", id, "-m", "hi")
    run_in_process("append", "-s", "answered", "-m", "yes", "--role", "model")
    return home


@pytest.mark.parametrize("line", PIPES)
def test_it_is_reported_and_nothing_is_stored(filled, line):
    before = {path: path.read_bytes() for path in (filled / "sessions").iterdir()}
    result = run_in_process(*line.split(), home=filled, stdin=[b""])
    assert result.code == PIPES[line], result
    assert result.err.decode().endswith("nothing arrived: the command before printed nothing\n")
    assert result.err.count(b"\n") == 1
    assert result.out == b""
    assert {path: path.read_bytes() for path in (filled / "sessions").iterdir()} == before


def test_2026_11_24_empty_output_is_reported_before_asking_for_a_session(home):
    """Several sessions were used in this directory; without an answer it does not matter which one is meant."""
    for id in ("one", "two"):
        run_in_process("append", "--new", "-s", id, "-m", "hi")
    for stdin in ([b""], [b" \n"]):
        result = run_in_process("append", "--from", "auto", stdin=stdin)
        assert result.code == 75
        assert result.err == b"codeh-history: stdin: nothing arrived: the command before printed nothing\n"


@pytest.mark.parametrize("line", ["curate -", "import -", "append -s demo --from auto"])
def test_the_error_names_no_command_if_there_is_none(filled, line):
    with open(os.devnull, "rb") as null:
        result = run_in_process(*line.split(), home=filled, stdin=null.fileno())
    assert result.code == PIPES[line]
    assert result.err.decode().endswith(": nothing arrived\n")


def test_a_waiting_prompt_is_sent_whatever_the_pipe_contains(filled):
    run_ok("ask", "-s", "demo", "--to", "text", "--via", "cat", home=filled, stdin=[b""])


MARK = b"\xef\xbb\xbf"
ANSWER = b'{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}'
PROMPT = b'{"role":"user","parts":[{"text":"hi"}]}\n'
VIA = ("--to", "text", "--via", "cat > /dev/null; echo yes")


@pytest.mark.parametrize(
    ("line", "stdin"),
    [
        ("append", b"hi\n"), ("append -F -", b"hi\n"), ("append -F FILE", b"hi\n"), ("append --jsonl", PROMPT),
        ("append --exchange -", b'{"userMessage":"hi","assistantResponse":"x"}'), ("append --from auto", ANSWER),
        ("append --from text", b"hi"), ("append --stream", b"hi"), ("ask", b"hi"), ("chat", b"hi\n"), ("update :1", b"hi"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("piped", [True, False])
def test_it_is_left_out_of_what_is_stored(home, tmp_path, line, stdin, *, piped):
    (tmp_path / "t").write_bytes(MARK + stdin)
    run_in_process("append", "-s", "demo", "before", "--role", "model")
    words = [str(tmp_path / "t") if word == "FILE" else word for word in line.split()]
    words += VIA if words[0] in ("ask", "chat") else ()
    with (tmp_path / "t").open("rb") as file:
        source = [MARK[:2], MARK[2:] + stdin] if piped else file.fileno()
        run_ok(*words, "-s", "demo", stdin=source)
    log = session_path(home, "demo").read_bytes()
    assert b'{"text":"hi"}' in log
    assert MARK not in log


@pytest.mark.parametrize("size", [6, 100_000])
@pytest.mark.parametrize("name", ["notes.txt", "notes.json"])
def test_it_is_left_out_of_an_attached_text_alone(home, tmp_path, size, name):
    text = b"[1, 2" + b" " * (size - 6) + b"]"
    (tmp_path / name).write_bytes(MARK + text)
    (tmp_path / "blob").write_bytes(MARK + b"\0\1\2")
    run_in_process("append", "-s", "demo", "x", "--attach", str(tmp_path / name))
    run_in_process("append", "-s", "demo", "x", "--attach", str(tmp_path / "blob"))
    records = lines(session_path(home, "demo"))[1:]
    assert [record["attached"][0]["bytes"] for record in records] == [size, 6]
    shown = run_in_process("payload", "demo", "--to", "text").out
    assert b"[1, 2" in shown
    assert MARK not in shown


def test_it_is_left_out_of_what_is_configured(home, tmp_path):
    (tmp_path / "system.md").write_bytes(MARK + b"Be brief.")
    (tmp_path / "tools.json").write_bytes(MARK + b'[{"name":"ls"}]')
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.toml").write_bytes(MARK + f'to = "gemini"\ntools = "@{tmp_path}/tools.json"\n'.encode())
    (home / "config.toml").chmod(0o600)
    run_in_process("append", "-s", "demo", "hi")
    sent = run_ok("payload", "demo", "--system", f"@{tmp_path}/system.md")
    assert b'"Be brief."' in sent.out
    assert b'"ls"' in sent.out
    assert MARK not in sent.out


def test_a_session_that_begins_with_it_is_read(home):
    run_in_process("append", "-s", "demo", "hi")
    stream = run_in_process("curate", "demo").out
    assert run_in_process("curate", "-", stdin=[MARK + stream]).out == stream
