"""Command lines typed in a hurry: each is answered in one line that helps, with the right code, and nothing is lost."""

import shlex

import pytest

from inside import inside, lay

SESSION = (
    b'{"type":"session","version":1,"id":"demo","created":"2026-01-02T03:04:05.000Z"}\n'
    b'{"type":"message","id":"aa11bb22","ts":"2026-01-02T03:04:05.000Z","kind":"user","role":"user","parts":[{"text":"Why?"}]}\n'
    b'{"type":"message","id":"cc33dd44","ts":"2026-01-02T03:04:06.000Z","kind":"codeh","role":"model","parts":[{"text":"So."}]}\n'
)
TEXT = "the text is one or the other (the session is -s SESSION)"
LINES = {  # what is typed: the code, and what is said
    "-s demo show": (2, "put options after the command: `codeh-history show … -s …`"),
    "--session=demo status": (2, "put options after the command: `codeh-history status … --session …`"),
    "-q list": (2, "put options after the command: `codeh-history list … -q …`"),
    "-p local ask -m x": (2, "put options after the command: `codeh-history ask … -p …`"),
    "--to text payload demo": (2, "put options after the command: `codeh-history payload … --to …`"),
    "-V": (2, "No such option: -V (codeh-history --help)"),
    "shows demo": (2, "did you mean `codeh-history show`?"),
    "lists": (2, "did you mean `codeh-history list`?"),
    "sessions": (2, "did you mean `codeh-history list`?"),
    "ls": (2, "did you mean `codeh-history list`?"),
    "lst": (2, "did you mean `codeh-history list`?"),
    "messages demo": (2, "did you mean `codeh-history show`?"),
    "cat demo": (2, "did you mean `codeh-history show`?"),
    "delete demo": (2, "did you mean `codeh-history rm`?"),
    "restore demo": (2, "did you mean `codeh-history rm --restore`?"),
    "grep sky": (2, "did you mean `codeh-history search`?"),
    "new demo": (2, "did you mean `codeh-history append`?"),
    "summarise demo": (2, "did you mean `codeh-history summarize`?"),
    "rename demo x": (2, "did you mean `codeh-history set title=TEXT`?"),
    "save demo": (2, "did you mean `codeh-history export`?"),
    "load demo.json": (2, "did you mean `codeh-history import`?"),
    "get demo": (2, "did you mean `codeh-history show`?"),
    "version": (2, "did you mean `codeh-history --version`?"),
    "help shw": (2, "did you mean `codeh-history show`?"),
    "größe": (2, "größe: no such command; see codeh-history --help"),
    "show": (3, "no session was begun in this directory; name one with -s"),
    "show ''": (2, "argument: an empty name"),
    "show demo:": (2, "did you mean demo?"),
    "show demo,": (2, "did you mean demo?"),
    "show 'my session'": (2, "did you mean my-session?"),
    "show größe": (2, "no session id (ids are letters, digits, _ and -; at most 128)"),
    "append -s 'my session' -m x": (2, "did you mean my-session?"),
    "append -s sess/ion -m x": (2, "a path must end in .jsonl or .json"),
    "show 1": (3, "1: no such session"),
    "show dmeo": (3, "did you mean demo?"),
    "show -s demo other": (2, "two sessions: other and -s demo; give one"),
    "show demo 3": (2, "-n N shows the last N messages"),
    "show -n": (2, "requires an argument (codeh-history show --help)"),
    "show -s": (2, "requires an argument (codeh-history show --help)"),
    "show -n x demo": (2, "x: an integer of at least 1 expected"),
    f"show -n {'9' * 5000} demo": (2, "an integer of at least 1 expected"),
    f"prune --older-than {'9' * 5000}d": (0, "nothing to prune"),
    f"usage --since {'9' * 16}d": (0, "no usage recorded"),
    f"payload demo --to gemini --max-tokens {10**20}": (2, "an integer from 1 to 1000000000 expected"),
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
    "compact demo": (2, "no limit given, and no model is known; pass --budget N (32k)"),
    "compact demo 32k": (2, "the budget is --budget N"),
    "compact demo --budget 32kk": (2, "a number of tokens above 0 expected, as 32000 or 32k"),
    "payload demo gemini": (2, "the provider is --to PROVIDER"),
    "payload demo --to openai": (2, "--to openai: one of gemini, openai-chat,"),
    "ask demo -m why": (2, TEXT),
    "ask -s demo 'why is it' -m blue": (2, TEXT),
    "ask -m": (2, "requires an argument (codeh-history ask --help)"),
    "append hello -m you": (2, TEXT),
    "append -": (2, "stdin is read without an argument, or by -F -"),
    "append -s demo -m ''": (65, "the message is empty: give -m TEXT, -F FILE, or text on stdin"),
    "append -s demo -m a -s demo": (2, "one value expected"),
    "set -s demo title hello": (2, "KEY=VALUE or KEY=@FILE expected"),
    "set -s demo titel=x": (2, "did you mean title?"),
    "search": (2, "Missing argument 'REGEX'"),
    "list demo": (2, "use -s SESSION for one session"),
    "list -n -1": (2, "an integer of at least 1 expected"),
    "rm": (2, "name the sessions: `codeh-history rm SESSION...`"),
    "rm -rf demo": (2, "No such option: -r (codeh-history rm --help)"),
    "rm nosuch": (3, "nosuch: no such session"),
    "import": (2, "no FILE given; pass files, - for stdin, or --all"),
    "rescue nosuch": (3, "nosuch: no such session"),
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_typed_in_a_hurry(line, tmp_path):
    path = lay(tmp_path, SESSION, "demo")
    code, said = LINES[line]
    done = inside(*shlex.split(line), home=tmp_path, env={"CODEH_TO": "text", "CODEH_VIA": "cat"})
    told = done.err.decode()
    assert (done.code, done.out) == (code, b"")
    assert told.startswith("codeh-history: ")
    assert told.endswith("\n")
    assert told.count("\n") == 1
    assert said in told
    assert [one.name for one in path.parent.iterdir()] == ["demo.jsonl"]
    assert path.read_bytes() == SESSION
