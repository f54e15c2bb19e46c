"""Content parts of both OpenAI formats: what is written is read again as the same part."""

import pytest

from codeh_history.providers.openai_chat.content import CONTENT as CHAT
from codeh_history.providers.openai_responses.content import CONTENT as RESPONSES

PARTS = [
    {"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}},
    {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0=", "displayName": "a.pdf"}},
    {"fileData": {"fileUri": "https://example.org/a.png"}, "item": {"type": "image_url", "detail": "low"}},
]  # fmt: skip


@pytest.mark.parametrize("content", [CHAT, RESPONSES])
@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_written_is_read_again(content, part):
    block = content.write(part)
    assert block is not None
    assert content.write(content.read(block)) == block


@pytest.mark.parametrize("content", [CHAT, RESPONSES])
@pytest.mark.parametrize("block", [None, 7, {}, {"type": "later", "x": 1}, {"type": "text"}])
def test_what_is_no_content_part_is_kept_as_it_is(content, block):
    assert content.read(block) == {"native": {"provider": content.provider, "value": block}}


def test_what_cannot_be_sent_has_a_reason():
    sound = {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}
    assert CHAT.why_not({"text": "a"}) == ""
    assert RESPONSES.why_not(sound) == "audio/wav cannot be sent"
    assert CHAT.why_not(sound, by_model=True) == "a model's message takes only text"
    assert "its own provider" in CHAT.why_not({"fileData": {"fileUri": "gs://b/f"}})
