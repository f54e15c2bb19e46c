"""What holds for every history sent to either OpenAI format: valid, deterministic, a prefix of the next."""

from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.providers.base import Options
from codeh_history.providers.openai_chat import request as chat
from codeh_history.providers.openai_chat import rules as chat_rules
from codeh_history.providers.openai_responses import request as responses
from codeh_history.providers.openai_responses import rules as responses_rules
from codeh_history.session.pairing import open_at_end
from openai_histories import histories, paired, request
from sdk_models import mistakes

FORMATS = {
    "openai-chat": (chat, chat_rules, "messages"),
    "openai-responses": (responses, responses_rules, "input"),
}
formats = pytest.mark.parametrize("format", FORMATS)


@formats
@given(records=histories(), model=st.sampled_from(["gpt-5.1", "o3", "deepseek-chat"]))
def test_any_history_is_a_valid_request(format, records, model):
    writer, rules, _ = FORMATS[format]
    body = request(writer, records, model=model).body
    assert rules.problems(body) == []
    assert mistakes(format, body) == []
    assert orjson.dumps(body) == orjson.dumps(request(writer, records, model=model, trace=True).body)


@formats
@given(records=histories())
def test_every_block_of_any_request_has_a_source(format, records):
    found = request(FORMATS[format][0], records, trace=True)
    contents = [item.get("content", item.get("output")) for item in found.body[FORMATS[format][2]]]
    expected = [len(content) if isinstance(content, list) else 1 for content in contents]
    assert [len(ids) for ids in found.sources] == expected
    assert {id for ids in found.sources for id in ids} <= {"", *(m.id for m in paired(records).messages)}


@formats
@given(records=histories(broken=False))
def test_a_request_is_a_prefix_of_the_next(format, records):
    writer, _, array = FORMATS[format]
    arrays = []
    for end in range(1, len(records) + 1):
        view = paired(records[:end], unanswered="error")
        if records[end - 1]["role"] == "user" and not open_at_end(view.messages):
            body = writer.build(view.messages, Options(model="gpt-5.1"), []).body
            arrays.append(orjson.dumps(body[array])[:-1])
    assert all(after.startswith(before) for before, after in pairwise(arrays))


@formats
@given(records=histories())
def test_a_faithful_body_is_built_of_anything(format, records):
    writer, rules, array = FORMATS[format]
    found = request(writer, records, faithful=True, trace=True)
    assert len(found.sources) == len(found.body[array])
    assert rules.problems(found.body) is not None


@formats
@given(records=histories())
def test_plain_messages_take_the_short_way_to_the_same_body(format, records):
    """A message that is one text is not made a turn; with an unknown key beside the text, it is."""
    slow = [
        {**r, "parts": [{**r["parts"][0], "later": 1}]}
        if [list(p) for p in r["parts"]] == [["text"]]
        else r
        for r in records
    ]
    writer = FORMATS[format][0]
    assert request(writer, records).body == request(writer, slow).body
