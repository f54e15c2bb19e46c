"""A Gemini body read back: body → session → body is the same to the API."""

from codeh_history import providers
from histories import PNG, call, result

GEMINI = providers.Format("gemini")


def test_settings_and_messages_are_kept():
    read = GEMINI.imported({
        "model": "models/gemini-3-pro",
        "system_instruction": {"parts": [{"text": "a"}, {"text": "b"}]},
        "contents": [
            {"parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"function_call": {"name": "f", "args": {"a_b": 1}}, "thought_signature": "c2ln"}]},
            {"role": "model", "parts": [call("g")]},
            {"role": "user", "parts": [result("f"), {"text": "so"}, {"function_response": {"name": "g", "parts": [
                {"inline_data": {"mime_type": "image/png", "data": PNG}}]}}]},
            {"role": "model", "parts": [{"text": "x"}]},
            {"role": "model", "parts": [{"text": 5}]},
        ],
        "tools": [{"google_search": {}}],
        "generation_config": {"top_k": 1},
    })  # fmt: skip
    made = {"provider": "gemini", "model": "models/gemini-3-pro"}
    assert read.messages == [
        {"kind": "user", "role": "user", "parts": [{"text": "hi"}]},
        {"kind": "codeh", "role": "model", **made, "parts": [call("f", args={"a_b": 1}, thoughtSignature="c2ln"), call("g")]},
        {"kind": "tool", "role": "user", "parts": [result("f"), {"functionResponse": {"name": "g", "parts": [
            {"inlineData": {"mimeType": "image/png", "data": PNG}}]}}]},
        {"kind": "user", "role": "user", "parts": [{"text": "so"}]},
        {"kind": "codeh", "role": "model", **made, "parts": [{"text": "x"}]},
        {"kind": "codeh", "role": "model", **made, "parts": [{"native": {"provider": "gemini", "value": {"text": 5}}}]},
    ]  # fmt: skip
    assert (read.system, read.tools, read.model) == (
        "a\n\nb",
        [{"google_search": {}}],
        "models/gemini-3-pro",
    )
    assert read.settings == {
        "systemInstruction": {"parts": [{"text": "a"}, {"text": "b"}]}, "generationConfig": {"top_k": 1},
    }  # fmt: skip
