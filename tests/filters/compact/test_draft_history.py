"""What is to be compacted, as it came: only what is sent, what each costs, and what is put in its place."""

from codeh_history.filters.compact.draft import History
from codeh_history.filters.compact.plan import Settings
from codeh_history.tokens import open_counter, parts_tokens, summary_text
from compact.short import BIG, asked
from histories import model, session, user

COUNTER = open_counter("approx")


def talked():
    note = {"kind": "info", "parts": [{"text": "a note for people"}]}
    return session(
        [user("go"), note, *asked("c", "bash", {"command": "ls"}, {"output": BIG}), model("done")]
    )


def history(view=None, **settings):
    return History(view or talked(), COUNTER, Settings(budget=100, **settings))


def test_only_what_is_sent_is_there_and_the_total_is_all_of_it():
    found = history()
    assert [message.kind for message in found.messages] == ["user", "codeh", "tool", "codeh"]
    assert found.total == found.fixed_cost + sum(found.costs)
    assert found.ids([0, 3]) == [found.messages[0].id, found.messages[3].id]
    more = history(system="Be brief. " * 9, tools=[{"name": "bash"}])
    assert more.fixed_cost > found.fixed_cost
    assert more.total - found.total == more.fixed_cost - found.fixed_cost


def test_summaries_cost_what_the_one_record_does_that_they_are_sent_as():
    found = history()
    assert found.cost_of_summaries([]) == 0
    texts = ["one summary", "another one"]
    assert found.cost_of_summaries(texts) == COUNTER.message + COUNTER.counts([summary_text(texts)])[0]


def test_a_long_result_has_a_stub_and_a_short_one_none():
    found = history()
    stub = found.shortened((2, 0), 400)
    assert stub is not None
    short = history(session([user("go"), *asked("c", "bash", {}, {"output": "short"})]))
    assert short.shortened((2, 0), 400) is None
    assert found.part((2, 0)) is found.messages[2].parts[0]
    assert parts_tokens(COUNTER, [stub])[0] < parts_tokens(COUNTER, [found.part((2, 0))])[0]
