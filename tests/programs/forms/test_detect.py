"""`import`: every form by its content, what is damaged named, recorded conversations whole and valid."""

import orjson
import pytest

from codeh_history.programs import forms

HI = {"role": "user", "parts": [{"text": "hi"}]}

CHAT = {"role": "user", "content": "hi"}
ENTRY = {"userMessage": "hi", "assistantResponse": "ho"}
BLOCK = "0" * 64
FORMS = {
    "contents": ([HI], "contents"),
    "the oldest contents": ([CHAT], "contents"),
    "no contents": ([], "contents"),
    "refs": ([{"flowId": "f", "blockIds": [BLOCK], "role": "user"}], "refs"),
    "refs in a wrapper": ({"type": "llm2", "refs": [{"blockKeys": [BLOCK], "role": "user"}]}, "refs"),
    "persisted": ({"recentConversations": [ENTRY], "summaries": [], "lastSummarized": None}, "persisted"),
    "a Gemini body": ({"contents": [HI]}, "gemini"),
    "an Ollama body": ({"model": "llama-x", "options": {"seed": 1}, "messages": [CHAT]}, "ollama"),
    "an Anthropic body": ({"model": "claude-x", "max_tokens": 9, "messages": [CHAT]}, "anthropic"),
    "a chat body": ({"model": "gpt-x", "messages": [CHAT]}, "openai-chat"),
    "a Responses body": ({"model": "gpt-x", "input": "hi"}, "openai-responses"),
}


@pytest.mark.parametrize(("value", "form"), FORMS.values(), ids=FORMS)
def test_a_form_is_known_by_its_content(value, form):
    data = orjson.dumps(value)
    assert forms.read(data, "auto", "f") == forms.read(data, form, "f")
    assert forms.form_of(value) == form
    assert forms.read(b"\xef\xbb\xbf" + data, form, "f") == forms.read(data, form, "f")
