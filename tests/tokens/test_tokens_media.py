"""What media cost: by what they show, never by the length of their base64."""

import os

import pytest

from codeh_history.tokens import media, message_tokens, open_counter
from histories import model, result, session, tool, user
from pictures import b64, png

O200K = open_counter("o200k_base")


@pytest.mark.parametrize(("rule", "size", "tokens"), [
    ("anthropic", (540, 360), 260), ("anthropic", (512, 512), 361), ("anthropic", (1024, 1024), 1369),
    ("anthropic", (4000, 3000), 1568), ("anthropic", (1, 1), 1), ("openai", (3008, 2000), 1105),
    ("openai", (512, 512), 255), ("openai", (1, 9000), 765), ("gemini", (300, 384), 258), ("gemini", (1000, 700), 516),
])  # fmt: skip
def test_images_cost_by_dimensions(rule, size, tokens):
    assert media.image(*size, rule) == tokens


def test_media_never_cost_by_the_length_of_their_base64():
    small, large = png(640, 480), png(640, 480) + os.urandom(1 << 20)
    costs = [
        message_tokens(
            O200K, session([user({"inlineData": {"mimeType": "image/png", "data": b64(data)}})]).messages
        )
        for data in (small, large)
    ]
    assert costs[0] == costs[1] == [4 + media.image(640, 480, "anthropic")]
    native = {
        "native": {
            "provider": "openai-responses",
            "value": {"type": "image_generation_call", "result": b64(large)},
        }
    }
    assert message_tokens(O200K, session([model(native)]).messages)[0] < 1000
    answer = result("shot", parts=[{"inlineData": {"mimeType": "image/png", "data": b64(large)}}])
    assert message_tokens(O200K, session([tool(answer)]).messages)[0] < 1000
