"""`summarize` as users run it: what it appends, how summaries fold, the filter."""

import re

import orjson
import pytest

from codeh_history import providers
from codeh_history.session.records import dumps
from summarizing import GOOD, LONG, digest, on_a_terminal, session, shown, summarize, summarized
from support import lines, run

# -- what is due ------------------------------------------------------------------------------------


@pytest.mark.parametrize("via", [(), ("--via", GOOD)])
@pytest.mark.parametrize("count, covered, left", [(51, 10, 41), (70, 20, 50)])
def test_the_oldest_are_covered(home, via, count, covered, left):
    path = session(home, "demo", count)
    before = path.read_bytes()
    done = summarize("demo", *via, env={"CODEH_NOW": "2026-05-01T00:00:00Z"})
    assert done.code == 0, done.err
    assert path.read_bytes().startswith(before)
    record = lines(path)[-1]
    assert [*record] == [
        "type", "id", "createdAt", "periodStart", "periodEnd", "summary", "conversationCount", "covers", "by",
        *([] if via else ["lines"]),
    ]  # fmt: skip
    assert record["createdAt"] == "2026-05-01T00:00:00.000Z"
    assert record["conversationCount"] == covered
    assert record["covers"] == [f"{kind}{n}" for n in range(covered) for kind in "ua"]
    assert record["periodStart"] == "2026-01-01T12:00:00.000Z"
    assert record["by"] == ("command" if via else "outline")
    (line,) = done.lines
    assert line["action"] == "summarized"
    assert (line["session"], line["exchanges"], line["covered"]) == ("demo", count, covered)
    assert line["after"] < line["before"]
    assert len(orjson.loads(run("export", "demo", "--to", "exchanges").out)) == left


def test_undo_brings_everything_back(home):
    session(home, "demo", 51)
    before = run("payload", "demo", "--to", "gemini", "--prefill").out
    assert summarize("demo").code == 0
    assert run("payload", "demo", "--to", "gemini", "--prefill").out != before
    assert run("undo", "-s", "demo").text.startswith("summary ")
    assert run("payload", "demo", "--to", "gemini", "--prefill").out == before


@pytest.mark.parametrize("provider", list(providers.FORMATS))
def test_payload_sends_summaries_as_one_record_of_a_user_first(home, provider):
    session(home, "demo", 51)
    summarize("demo", "--via", GOOD)
    run("append", "-s", "demo", "-m", "And now?")
    body = orjson.loads(
        run("payload", "demo", "--to", provider, "--model", "m", "--system", "Be brief.").out
    )
    text = orjson.dumps(body).decode()
    assert providers.Format(provider).problems(body) == []
    assert text.count("The user asked short questions.") == 1
    first = next(body[key] for key in ("contents", "messages", "input") if key in body)
    first = next(item for item in first if item.get("role") not in ("system", "developer"))
    assert first["role"] == "user"
    assert "The user asked short questions." in orjson.dumps(first).decode()


# -- folding ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("via", [(), ("--via", GOOD)])
def test_the_sixth_summary_folds_all_one_level_up(home, via):
    path, before = summarized(home, 5)
    done = summarize("demo", "--max-conversations", "15", "--min-batch", "4", *via)
    assert done.code == 0, done.err
    assert (done.lines[0]["action"], done.lines[0]["folded"]) == ("summarized", 6)
    *_, batch, fold = lines(path)
    assert batch["conversationCount"] == 6  # 21 exchanges are left, the pin's among them
    assert fold["conversationCount"] == 16
    assert set(fold["covers"]) == {
        *(id for record in (*before, batch) for id in record["covers"]), *(r["id"] for r in before), batch["id"],
    }  # fmt: skip
    assert (fold["periodStart"], fold["periodEnd"]) == ("2026-01-01T12:00:00.000Z", batch["periodEnd"])
    sent = run("payload", "demo", "--to", "gemini", "--prefill").out.decode()
    assert f"q1 {LONG}" in sent  # the pin, word for word
    assert fold["summary"].splitlines()[0] in sent
    assert run("undo", "-s", "demo").text == f"summary {fold['id']}"
    kept = orjson.loads(run("export", "demo", "--to", "persisted").out)["summaries"]
    assert [summary["id"] for summary in kept] == [*(r["id"] for r in before), batch["id"]]


def test_a_pin_that_was_covered_before_stands_word_for_word_in_the_fold(home):
    path, _ = summarized(home, 6)
    with path.open("ab") as file:
        old = {"type": "summary", "id": "old", "summary": "The user asked.", "covers": ["u1"]}
        file.write(dumps(old) + b"\n")
    assert summarize("demo", "--via", GOOD).code == 0
    assert lines(path)[-1]["summary"] == f"The user asked short questions.\nPinned: q1 {LONG}"


def test_content_in_blocks_is_summarized_as_any_other(home):
    path = session(home, "demo", 51)
    assert summarize("-", stdin=path.read_bytes()).code == 0
    expected = lines(summarize("-", stdin=path.read_bytes()).out)[1]["summary"]
    assert run("persist", "demo", "-i", "--all").code == 0
    assert b"so that there is" not in path.read_bytes()
    done = summarize("demo")
    assert done.code == 0, done.err
    assert lines(path)[-1]["summary"] == expected


def test_a_failed_fold_leaves_the_batch_undone_too(home):
    path, _ = summarized(home, 5)
    before = digest(path)
    command = (
        "if grep -q 'following summaries'; then exit 1; else echo 'The user asked short questions.'; fi"
    )
    assert summarize("demo", "--max-conversations", "15", "--min-batch", "4", "--via", command).code == 6
    assert digest(path) == before


# -- the filter -------------------------------------------------------------------------------------


def test_a_forgotten_dash_is_caught(home):
    done = summarize(stdin=session(home, "demo", 51).read_bytes(), env={"CODEH_SESSION": "demo"})
    assert done.code == 2


# -- as a filter ----------------------------------------------------------------------------------------


def test_without_i_the_session_is_printed_and_stays(home):
    path = session(home, "demo", 51)
    before = digest(path)
    done = run("summarize", "demo", "--counter", "approx")
    assert (done.code, done.err.decode()) == (0, "codeh-history: demo is unchanged; -i keeps it\n")
    assert digest(path) == before
    (made,) = [record for record in done.lines if record["type"] == "summary"]
    assert made["lines"]
    assert len(shown("-", done.out)) == 82
    kept = summarize("demo")
    assert kept.lines[0]["covered"] == 10
    assert [record["summary"] for record in lines(path) if record["type"] == "summary"] == [made["summary"]]
    again = run("compact", "-", "--budget", "1500", stdin=done.out)
    assert again.code == 0
    (made,) = [record for record in again.lines if record["type"] == "summary"]
    assert {kind for kind, _, _ in made["lines"]} <= {"asked", "said"}  # its lines went through the pipe


def test_where_nothing_is_due_the_session_is_printed_and_why_is_said(home):
    path = session(home, "demo", 12)
    before = digest(path)
    done = run("summarize", "demo")
    assert (done.code, done.out) == (0, path.read_bytes())
    assert "demo: not due: 12 exchanges, and only more than 50 are summarised" in done.err.decode()
    assert "--max-conversations N" in done.err.decode()
    kept = run("summarize", "demo", "-i")
    assert (kept.code, kept.out) == (0, b"")
    assert kept.err.decode().rstrip().endswith("; nothing to undo")
    few = run("summarize", "demo", "-i", "--max-conversations", "10", "--min-batch", "12")
    assert "fewer than 12 of 12 exchanges can be covered; lower --min-batch" in few.err.decode()
    assert digest(path) == before


def test_on_a_terminal_the_summary_is_shown(home):
    session(home, "demo", 51)
    out = on_a_terminal("summarize", "demo", "--counter", "approx", home=home)
    assert re.search(rb"summarise +\d+ +:1 user", out)
    assert b"What was" in out
    assert b"-i keeps it" in out
    assert b'"role"' not in out


def test_i_needs_a_session_and_does_not_go_with_emit(home):
    path = session(home, "demo", 51)
    assert run("summarize", "-", "-i", stdin=path.read_bytes()).code == 2
    assert run("summarize", "demo", "-i", "--emit").code == 2
    assert run("summarize", "--all", "-i", "--counter", "approx").lines[0]["session"] == "demo"


def test_the_system_prompt_may_be_named(home):
    path = session(home, "demo", 51)
    via = "cat >/dev/null; echo 'The user asked short questions on 2031-07-09.'"
    assert (
        "a date that its source does not have: 2031-07-09" in summarize("demo", "--via", via).err.decode()
    )
    run("set", "-s", "demo", "system=Today is 2031-07-09.")
    assert summarize("demo", "--via", via).code == 0
    assert "2031-07-09" in lines(path)[-1]["summary"]


# -- due by tokens ----------------------------------------------------------------------------------


def test_the_length_asked_for_fits_the_limit(home):
    session(home, "demo", 150)
    for limit, words in (("5k", 350), ("600", 144), ("20", 10)):
        via = f"cat > {home}/prompt; false"
        assert summarize("demo", "--due-over", limit, "--via", via).code == 6
        assert f"at most {words} words" in (home / "prompt").read_text()


def test_the_outline_fits_the_limit(home):
    session(home, "demo", 300)
    (line,) = summarize("demo", "--due-over", "600").lines
    assert line["before"] > 5000
    assert 360 < line["after"] <= 600


def test_what_is_left_above_the_limit_is_named(home):
    session(home, "demo", 3)
    assert summarize("demo", "--due-over", "20").code == 0
    done = summarize("demo", "--due-over", "20")
    assert (done.code, done.out) == (0, b"")
    assert (
        b"only summaries, pins, the newest prompt and what follows it are left; nothing to undo" in done.err
    )


def test_one_conversation_is_asked_about_as_one(home):
    session(home, "demo", 2)
    request = summarize("demo", "--emit", "--max-conversations", "1", "--min-batch", "1").lines[0]
    assert request["prompt"].startswith("Summarize the following 1 conversation between ")
