"""A batch too large to be read whole: the command reads what `compact` would write of it, in one request."""

import orjson
import pytest

from codeh_history.filters.compact.extract import extract
from codeh_history.session.records import dumps
from codeh_history.tokens import message_tokens, open_counter
from compact import recorded
from compact.long import output, prose
from compact.short import asked
from histories import model, user
from length import by_length
from summaries.recorded import coding, view_of
from summarizing import digest
from support import corpus, lines, run, session_path

COUNTER = open_counter(None)
RULE = "Never touch src/billing, it is audited."
READS = "cat > {home}/read-$$; echo 'The user had src/part_3.py read and asked never to touch src/billing.'"


def work(count=30):
    """So many exchanges, each with a file read; a rule in the first."""
    return [
        message
        for n in range(count)
        for message in (
            user(f"Please look at src/part_{n}.py. {RULE if not n else prose(n, 5)}"),
            *asked(f"c{n}", "read_file", {"path": f"src/part_{n}.py"}, {"output": output(n, 40)}),
            model(f"Part {n} holds {prose(n, 9)}."),
        )
    ]


@pytest.fixture
def path(home):
    found = session_path(home, "demo")
    found.parent.mkdir(parents=True)
    found.write_bytes(b"".join(dumps(record) + b"\n" for record in recorded.records(work())))
    return found


def summarize(home, *argv, via=READS):
    limits = ("--max-conversations", "15", "--budget", "2k")
    return run("summarize", *argv, "-i", *limits, "--via", via.format(home=home), home=home)


def read(home):
    return [found.read_text() for found in sorted(home.glob("read-*"))]


def test_it_is_read_as_an_extract_in_one_request_that_fits(home, path):
    done = summarize(home, "demo", "--max-source", "3k")
    assert done.code == 0, done.err
    (prompt,) = read(home)
    assert COUNTER.counts([prompt])[0] <= 2000
    assert prompt.startswith(
        "Summarize 15 conversations between a user and an assistant, of which the following is"
    )
    head, _, data = prompt.partition("\n\nWhere things stand:\n")
    assert "Key topics discussed" in head
    for heading in ("Rules:", "Files:", "What was said and done:"):
        assert f"\n{heading}\n" in data
    assert RULE in data
    assert f"- read: {', '.join(f'src/part_{n}.py' for n in range(15))}\n" in data


def test_the_record_says_so_and_covers_the_same(home, path):
    before = path.read_bytes()
    assert summarize(home, "demo", "--max-source", "1M").code == 0
    whole, prompts = lines(path)[-1], read(home)
    assert len(prompts) > 1
    assert "shortened" not in whole
    path.write_bytes(before)
    done = summarize(home, "demo", "--max-source", "3k")
    record, (line,) = lines(path)[-1], done.lines
    assert record["covers"] == whole["covers"]
    assert record["conversationCount"] == 15
    shortened = record["shortened"]
    view = view_of(work())
    assert shortened["from"] == sum(message_tokens(COUNTER, view.messages[: len(record["covers"])]))
    assert 1500 < shortened["to"] <= 2000
    assert line["shortened"] == shortened
    assert run("undo", "-s", "demo", home=home).code == 0
    assert len(run("show", "demo", "--jsonl", home=home).lines) == len(work())


def test_all_sessions_too(home, path):
    path.with_name("other.jsonl").write_bytes(path.read_bytes().replace(b'"id":"s"', b'"id":"other"'))
    done = summarize(home, "--all", "--max-source", "3k")
    assert [line["action"] for line in done.lines] == ["summarized"] * 2
    assert all(line["shortened"]["to"] <= 2000 < line["shortened"]["from"] for line in done.lines)
    assert len(read(home)) == 2


def test_the_gate_knows_all_of_the_batch(home, path):
    """What is not in the extract is still no invention; what is nowhere is one."""
    before = digest(path)
    refused = summarize(
        home, "demo", "--max-source", "3k", via="cat > {home}/read-1; echo 'See src/part_99.py for it.'"
    )
    assert (refused.code, digest(path)) == (6, before)
    assert b"src/part_99.py" in refused.err
    name = "handle_9_7(x)"
    assert name not in read(home)[0]
    taken = summarize(
        home, "demo", "--max-source", "3k", via="cat >/dev/null; echo 'A function is handle_9_7 in it.'"
    )
    assert taken.code == 0, taken.err


def test_a_provider_is_sent_the_extract(home, path):
    answer = {"id": "x", "object": "chat.completion", "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "The user had files read."}, "finish_reason": "stop"}]}  # fmt: skip
    (home / "answer").write_bytes(orjson.dumps(answer))
    to = ("--to", "openai-chat", "--model", "m")
    done = summarize(home, "demo", "--max-source", "3k", *to, via="cat > {home}/read-1; cat {home}/answer")
    assert done.code == 0, done.err
    (body,) = map(orjson.loads, read(home))
    assert body["messages"][-1]["content"].startswith("Where things stand:\n")


def test_the_builtin_outline_reads_everything(home, path):
    done = run("summarize", "demo", "-i", "--max-conversations", "15", "--max-source", "10", home=home)
    assert done.code == 0
    assert "shortened" not in lines(path)[-1]


@pytest.mark.parametrize("most", ["0", "x", "-3"])
def test_a_wrong_number_is_exit_2(home, path, most):
    assert summarize(home, "demo", f"--max-source={most}").code == 2


def test_an_extract_fills_its_room_and_no_more():
    corpus()
    messages = view_of(coding()).messages
    for room in by_length([300], [200, 300, 600, 15_000], [200, 300, 600, 15_000]):
        text = extract(messages, room, COUNTER)["summary"]
        # the next line is as long as what a small room leaves, and nothing worse is told in its place
        assert room - max(60, room * 0.1) < COUNTER.counts([text])[0] <= room + 2
        assert text == extract(messages, room, COUNTER)["summary"]
