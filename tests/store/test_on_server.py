"""What was to be stored on a server that is away is kept, and the error says how it is stored later."""

import re
from pathlib import Path

import postgres_server
from postgres_server import SECRET, Program

pytestmark = postgres_server.needed


def command_of(error):
    """The words of the command that an error says stores what is kept."""
    return re.search(r"`codeh-history (.*?)`", error)[1].split()


def test_a_prompt_outlives_a_server_that_is_away(run, tmp_path):
    away = Program(tmp_path / "home", f"postgres://user:{SECRET}@127.0.0.1:1/none")
    for words, stdin in (
        (("append", "-s", "demo", "-m", "Hello"), ""),
        (("append", "-s", "demo"), "Hello"),
        (("append", "-s", "demo", "-m", "Hello", "--key", "k"), ""),
        (("ask", "-s", "demo", "--to", "ollama", "--model", "m", "--via", "cat"), "Hello"),
    ):
        done = away(*words, stdin=stdin)
        assert done.code == 75, done
        assert SECRET not in done.err
        again = run(*command_of(done.err))
        assert again.code == 0, again
    assert run("show", "demo", "--jsonl").out.count("Hello") == 4
    seeded = away("append", "-s", "demo", "-m", "Seeded", CODEH_ID_SEED="x")
    assert (seeded.code, run(*command_of(seeded.err)).code) == (75, 0)
    answer = away("append", "-s", "demo", "--from", "text", stdin="The answer")
    assert answer.code == 75
    assert Path(command_of(answer.err)[-1]).read_text() == "The answer"
