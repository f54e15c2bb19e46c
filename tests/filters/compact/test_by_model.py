"""A compaction whose summary a command writes: as short as the extract, held to the gate, stored once."""

import pytest

from codeh_history.session.records import dumps
from histories import model, tool, user
from summarizing import digest, session
from support import lines, run

GOOD = "The user asked short questions; the model said that it keeps the answers."
WRITES = f"cat > $CODEH_HOME/prompt; echo '{GOOD}'"
BUDGET = ("--budget", "1500", "--counter", "approx")


def compact(*argv, **how):
    return run("compact", *argv, *BUDGET, **how)


def summaries(done):
    return [record["summary"] for record in done.lines if record["type"] == "summary"]


@pytest.fixture
def demo(home):
    return session(home, "demo", 60)


def test_the_command_writes_the_summary_in_a_length_that_fits(home, demo):
    before = digest(demo)
    done = compact("demo", "--via", WRITES)
    assert (done.code, summaries(done)) == (0, [GOOD])
    assert digest(demo) == before
    prompt = (home / "prompt").read_text()
    words = int(prompt.partition("at most ")[2].split()[0])
    assert 10 <= words <= 1500 * 0.6
    for focus in (
        "Key topics",
        "Files modified or created",
        "User patterns and preferences",
        "Important context",
    ):
        assert focus in prompt
    assert "\nUser: " in prompt
    assert "\nAssistant: " in prompt


def test_in_place_it_is_stored_once_and_undone(home, demo):
    before = run("show", "demo", "--jsonl").out
    assert compact("demo", "-i", "--via", WRITES).code == 0
    (op,) = lines(demo)[-1]["ops"]
    assert op["summary"] == GOOD
    assert "lines" not in op
    (home / "prompt").unlink()
    assert compact("demo", "-i", "--via", WRITES).code == 0
    assert not (home / "prompt").exists()
    assert run("undo", "demo").code == 0
    assert run("show", "demo", "--jsonl").out == before


@pytest.mark.parametrize(
    ("via", "why"),
    [
        ("exit 3", "the command ended with 3"),
        ("true", "it is blank"),
        ("echo 'It is all in /srv/secret/plan.md.'", "names a path"),
        ("yes 'The user asked short questions.' | head -c 6000", "too long"),
    ],
)
def test_where_it_fails_the_extract_is_used_and_that_is_said(demo, via, why):
    plain = compact("demo")
    done = compact("demo", "--via", via)
    assert (done.code, done.out) == (0, plain.out)
    assert why in done.err.decode()
    assert "the built-in summary is used instead" in done.err.decode()
    before = digest(demo)
    strict = compact("demo", "-i", "--strict", "--via", via)
    assert (strict.code, strict.out) == (6, b"")
    assert digest(demo) == before


def test_nobody_is_asked_where_nothing_is_to_be_summarised(home, demo):
    assert run("compact", "demo", "--budget", "100k", "--via", WRITES).out == demo.read_bytes()
    assert not (home / "prompt").exists()


def test_a_session_that_changed_meanwhile_stays(demo):
    clear = '{"type":"clear","id":"X","ts":"2026-06-01T00:00:00.000Z"}'
    done = compact("demo", "-i", "--via", f"echo '{clear}' >> {demo}; echo '{GOOD}'")
    assert done.code == 75
    assert b"changed meanwhile" in done.err
    assert lines(demo)[-1]["type"] == "clear"


def test_the_summary_before_goes_into_the_next_prompt(home, demo):
    assert compact("demo", "-i").code == 0
    (op,) = lines(demo)[-1]["ops"]
    new = [
        {"role": "user", "parts": [{"text": f"And part {n} of the garden, new to all of us?"}]}
        for n in range(70)
    ]
    run("append", "-q", "-s", "demo", "--jsonl", stdin=b"".join(dumps(line) + b"\n" for line in new))
    assert compact("demo", "-i", "--via", WRITES).code == 0
    assert f"Summary of earlier work:\n{op['summary'][:60]}" in (home / "prompt").read_text()


def test_references_that_stay_count_in_what_the_result_holds(demo):
    sources = [{"number": n, "id": f"r{n}", "text": "It rained for days. " * 9} for n in (1, 2)]
    call = {"id": "c", "name": "search"}
    new = [
        user("What about the weather?"), model({"functionCall": {**call, "args": {}}}),
        {**tool({"functionResponse": {**call, "response": {}}}), "references": sources}, model("Rain [1] [2]."),
    ]  # fmt: skip
    with demo.open("ab") as file:
        file.writelines(
            dumps({"type": "message", "id": f"n{n}", **each}) + b"\n" for n, each in enumerate(new)
        )
    assert compact("demo", "-i", "--via", WRITES).code == 0
    record = lines(demo)[-1]
    assert record["ops"][0]["summary"] == GOOD
    counted = run("stats", "demo", "--json", "--counter", "approx").lines[0]["tokens"]["total"]
    assert record["after"] == counted


def test_wrong_use(demo):
    assert run("compact", "demo", "--max-chars", "3000", "--via", WRITES).code == 2
    assert run("compact", "demo", "--apply", "plan.json", "--via", WRITES).code == 2


def test_ask_compacts_first_by_the_profile_or_the_flag(home, demo):
    answer = 'cat >/dev/null; echo \'{"message":{"role":"assistant","content":"Yes."},"done":true,"done_reason":"stop"}\''
    how = ("-m", "And now?", "--to", "ollama", "--model", "m", "--via", answer, *BUDGET)
    assert run("ask", "-s", "demo", *how, "--compact-via", WRITES).text == "Yes."
    (record,) = [record for record in lines(demo) if record["type"] == "compaction"]
    assert record["ops"][0]["summary"] == GOOD
    run("undo", "demo", "--id", record["id"])
    (home / "config.toml").write_text(f'[profile.p]\nto = "ollama"\nmodel = "m"\nvia = """{answer}"""\nbudget = 1500\n'
                                      f'compact.via = """{WRITES}"""\n')  # fmt: skip
    (home / "config.toml").chmod(0o600)
    done = run("ask", "-s", "demo", "-m", "And then?", "-p", "p")
    assert done.text == "Yes.", done.err
    assert len([record for record in lines(demo) if record["type"] == "compaction"]) == 2
    done = run("ask", "-s", "demo", "-m", "And at last?", "-p", "p")
    assert len([record for record in lines(demo) if record["type"] == "compaction"]) == 2
    assert b"nothing to" not in done.err
