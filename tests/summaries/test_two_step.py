"""`summarize --emit` and `--apply`: a program asks its own model between the two. `--prompt`: in its own words."""

import orjson
import pytest

from codeh_history.session.records import dumps
from in_process import run_ok, write_session
from summarizing import HOW_IT_STANDS, changed_in, digest, session, shown, summarize, summarized
from support import append_text, lines, run

ANSWER = "The user asked short questions."
NOW = {"CODEH_NOW": "2026-05-01T00:00:00Z", "CODEH_ID_SEED": "x"}


def emitted(*argv):
    done = summarize(*argv, "--emit")
    assert done.code == 0, done.err
    return orjson.loads(done.out) if done.out else None


def apply(request, answer=ANSWER, *argv, **how):
    body = request if answer is None else {**request, "answer": answer}
    return summarize(*argv, "--apply", "-", stdin=dumps(body), **how)


def with_prompt(home, prompt, *argv):
    """What a command is asked with a template."""
    done = summarize(
        "demo", "--prompt", str(prompt), "--via", f"cat > {home}/asked; echo '{ANSWER}'", *argv
    )
    assert done.code == 0, done.err
    return (home / "asked").read_text()


# -- both steps -------------------------------------------------------------------------------------


def test_apply_stores_the_same_record_as_a_command(home, tmp_path):
    path, other = session(home, "one", 70), session(home, "other", 70)
    request = emitted("one")
    assert request["covers"] == [f"{kind}{n}" for n in range(20) for kind in "ua"]
    assert request["session"] == "one"
    assert path.read_bytes() == other.read_bytes().replace(b'"other"', b'"one"')  # nothing was stored
    done = apply(request, env=NOW)
    via = f"cat > {tmp_path}/asked; echo '{ANSWER}'"
    assert done.code == summarize("other", "--via", via, env=NOW).code == 0
    assert request["prompt"] == (tmp_path / "asked").read_text()
    mine, theirs = lines(path)[-1], lines(other)[-1]
    assert (mine.pop("by"), theirs.pop("by")) == ("program", "command")
    assert {**mine, "id": ""} == {**theirs, "id": ""}
    (line,) = done.lines
    expected = {"session": "one", "action": "summarized", "exchanges": 70, "covered": 20}
    assert line.items() >= expected.items()
    assert line["after"] < line["before"]


def test_the_answer_is_in_the_object_or_beside_it(home, tmp_path):
    file = tmp_path / "s.json"
    for how in ("inside", "beside", "stdin"):
        path = session(home, how, 51)
        request = {**emitted(how), "by": "my-model"}
        embedded = dumps({**request, "answer": f"<think>hm</think> {ANSWER}"})
        file.write_bytes(dumps(request) if how == "beside" else embedded)
        source, stdin = ("-", embedded) if how == "stdin" else (str(file), f"{ANSWER}\n".encode())
        done = summarize("--apply", source, stdin=stdin)
        assert done.code == 0, done.err
        assert (lines(path)[-1]["summary"], lines(path)[-1]["by"]) == (ANSWER, "my-model")


def test_a_session_by_its_path_is_found_from_elsewhere(home, tmp_path, monkeypatch):
    path = session(home, "demo", 51).rename(tmp_path / "mine.jsonl")
    monkeypatch.chdir(tmp_path)
    request = emitted("mine.jsonl")
    assert request["session"] == str(path)
    monkeypatch.chdir(home)
    assert apply(request).code == 0
    assert lines(path)[-1]["type"] == "summary"


def test_summaries_fold_in_a_separate_step(home):
    path, _ = summarized(home, 5)
    limits = ("--max-conversations", "10")
    first = emitted("demo", *limits)
    assert first["action"] == "summarized"
    assert apply(first).code == 0
    request = emitted("demo", "--max-conversations", "100")
    assert (request["action"], request["covers"][-6:-1]) == ("folded", [f"S{n}" for n in range(5)])
    assert "The user asked question 4 and question 5." in request["prompt"]
    done = apply(request, "The user asked one question after the other.")
    assert done.code == 0, done.err
    assert (done.lines[0]["action"], done.lines[0]["folded"]) == ("folded", 6)
    record = lines(path)[-1]
    assert record["covers"] == request["covers"]
    assert record["summary"] == "The user asked one question after the other."
    assert emitted("demo", "--max-conversations", "100") is None


def test_messages_too_large_for_one_prompt_are_sent_as_an_extract(home):
    path = session(home, "demo", 70)
    request = emitted("demo", "--budget", "600")
    assert "of which the following is an extract" in request["prompt"]
    assert request["shortened"]["to"] < request["shortened"]["from"]
    assert len(request["covers"]) == 40
    assert apply(request).code == 0
    assert lines(path)[-1]["shortened"] == request["shortened"]


def test_for_messages_without_text_any_answer_will_do(home):
    path = session(home, "demo", 0)
    with path.open("ab") as file:
        file.write(b'{"role":"user","parts":[{"text":""}]}\n' * 3)
    request = emitted("demo", "--max-conversations", "1", "--min-batch", "1")
    assert apply(request).code == 0
    assert lines(path)[-1]["summary"] == "2 exchanges without text."


def test_summaries_that_do_not_fit_one_prompt_are_not_asked_for(home):
    path, _ = summarized(home, 6)
    before = digest(path)
    done = summarize("demo", "--emit", "--budget", "215")
    assert (done.code, done.out, digest(path)) == (6, b"", before)
    assert b"raise --budget; nothing changed" in done.err


def test_tools_are_in_the_prompt_and_may_be_named(home, tmp_path):
    """Those that were called, and those that an imported exchange says it used."""
    entry = {
        "userMessage": "Find this note, please, and say what is in it.",
        "assistantResponse": "This note is about tea, and about nothing else at all.",
        "toolsUsed": ["SearchNotes", "read_note"],
    }
    entries = [{"id": f"e{n}", "timestamp": f"2026-01-{n + 1:02d}T00:00:00Z", **entry} for n in range(12)]
    file = tmp_path / "kept.json"
    file.write_bytes(dumps({"recentConversations": entries, "summaries": []}))
    assert run("import", str(file), "--from", "persisted", "--into", "demo").code == 0
    request = emitted("demo", "--max-conversations", "2", "--min-batch", "1")
    assert request["prompt"].count("Tools used: SearchNotes, read_note") == 10
    assert apply(request, "The user had notes found with SearchNotes.").code == 0


# -- the gate ---------------------------------------------------------------------------------------


def test_an_answer_on_stdin_must_be_text(home, tmp_path):
    path = session(home, "demo", 51)
    before = digest(path)
    (tmp_path / "s.json").write_bytes(dumps(emitted("demo")))
    for answer, reason in ((b"\xff\xfe", b"not UTF-8"), (b"", b"blank")):
        done = summarize("--apply", str(tmp_path / "s.json"), stdin=answer)
        assert (done.code, reason in done.err) == (6, True)
    assert digest(path) == before


# -- races ------------------------------------------------------------------------------------------


def test_concurrent_appends_do_not_matter(home):
    path = session(home, "demo", 51)
    request = emitted("demo")
    appended = [append_text(path, f"meanwhile {n}") for n in range(5)]
    assert run("persist", "demo", "-i", "--all").code == 0
    assert apply(request).code == 0
    assert lines(path)[-1]["covers"] == request["covers"]
    assert shown("demo")[-5:] == appended


CHANGES = (
    "update u0 -s demo -m changed",
    "undo -s demo --id a1",
    "clear -s demo",
    "summarize demo -i --counter approx",
)


@pytest.mark.parametrize("meanwhile", [*CHANGES, *HOW_IT_STANDS])
def test_a_concurrent_change_is_75(home, meanwhile):
    path = session(home, "demo", 51)
    request = emitted("demo")
    if meanwhile in CHANGES:
        assert run(*meanwhile.split()).code == 0
    else:
        with path.open("ab") as file:
            file.write(changed_in(meanwhile, path))
    refused(path, request)


def refused(path, request):
    before = digest(path)
    done = apply(request)
    assert (done.code, done.out, digest(path)) == (75, b"", before)
    assert b"has changed; nothing was stored; run --emit again" in done.err


# -- what is given wrongly --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"not json", b"not a JSON object"),
        (b"[]", b"not a JSON object"),
        (b"{}", b"session is missing or invalid"),
        ({"covers": 7}, b"covers is missing or invalid"),
        ({"answer": 7}, b"answer is missing or invalid"),
        ({"shortened": 7}, b"shortened is missing or invalid"),
        ({}, b"no answer in it"),
    ],
)
def test_a_request_that_was_not_emitted_is_65(home, data, reason):
    path = session(home, "demo", 51)
    before = digest(path)
    stdin = dumps({**emitted("demo"), **data}) if isinstance(data, dict) else data
    done = summarize("--apply", "-", stdin=stdin)
    assert (done.code, done.out, digest(path)) == (65, b"", before)
    assert reason in done.err


def test_the_session_may_be_repeated_but_not_changed(home):
    session(home, "demo", 51)
    session(home, "other", 51)
    request = emitted("demo")
    done = apply(request, ANSWER, "other")
    assert (done.code, b"is of session demo" in done.err) == (2, True)
    assert apply(request, ANSWER, "-s", "demo", env={"CODEH_SESSION": "other"}).code == 0


def test_a_session_that_went_away_is_3(home):
    path = session(home, "demo", 51)
    request = emitted("demo")
    path.unlink()
    assert apply(request).code == 3


# -- own words --------------------------------------------------------------------------------------


def test_a_template_makes_the_prompt(home, tmp_path):
    """For a command and for a program, the text inside it or after it."""
    session(home, "demo", 51)
    (tmp_path / "p").write_text(
        "Fasse {{ what }} in {{ words }} Wörtern zusammen ({{ count }}):\n<log>\n{{ text }}\n</log>\n"
    )
    prompt = emitted("demo", "--prompt", str(tmp_path / "p"))["prompt"]
    assert prompt.startswith("Fasse the following 10 conversations between a user and an assistant in ")
    assert "(10):\n<log>\n[2026-01-01T12:00:00.000Z]\nUser: q0 " in prompt
    assert prompt.endswith("\n</log>")
    assert with_prompt(home, tmp_path / "p") == prompt
    run("undo", "-s", "demo")
    (tmp_path / "q").write_text("In plain text, please.")
    assert with_prompt(home, tmp_path / "q").startswith(
        "In plain text, please.\n\n[2026-01-01T12:00:00.000Z]\nUser: q0 "
    )


def test_a_template_for_a_provider(home, tmp_path):
    """What it says before the text is the system prompt; with the text in it all is one message."""
    message = {"role": "assistant", "content": ANSWER}
    answer = dumps({"message": message, "model": "m", "done": True, "done_reason": "stop"}).decode()
    for template, roles in (("Be short.", ["system", "user"]), ("Short: {{text}}", ["user"])):
        session(home, "demo", 51)
        (tmp_path / "p").write_text(template)
        to = ("--to", "ollama", "--model", "m", "--via", f"cat > {home}/body; echo '{answer}'")
        done = summarize("demo", "--prompt", str(tmp_path / "p"), *to)
        assert done.code == 0, done.err
        sent = orjson.loads((home / "body").read_bytes())["messages"]
        assert [message["role"] for message in sent] == roles


def test_every_request_with_a_custom_prompt_fits_its_budget(home, tmp_path):
    session(home, "demo", 51)
    (tmp_path / "p").write_text(f"{'Please be brief. ' * 20}\n{{{{ text }}}}")
    via = f"cat > {home}/asked-$$; echo '{ANSWER}'"
    assert summarize("demo", "--prompt", str(tmp_path / "p"), "--budget", "500", "--via", via).code == 0
    prompts = [file.read_text() for file in home.glob("asked-*")]
    assert len(prompts) > 2
    assert all(len(text) < 4 * 500 and text.startswith("Please be brief.") for text in prompts)


@pytest.mark.parametrize("part", [{"inlineData": {}}, {"fileData": {}}])
def test_2026_11_23_a_file_of_which_nothing_is_known_is_one(part, tmp_path):
    records = [
        {"type": "message", "id": str(n), "kind": "user", "parts": [{"text": "hi"}, part]} for n in range(3)
    ]
    write_session(tmp_path, b"".join(orjson.dumps(record) + b"\n" for record in records))
    done = run_ok("summarize", "s", "--max-conversations", "1", "--min-batch", "1", "--emit", home=tmp_path)
    assert b"Attached: a file" in done.out
