"""Every recorded conversation, sent on to every provider: valid, and each request a prefix of the next."""

import orjson
import pytest

from codeh_history import providers
from codeh_history.providers.base import Options
from codeh_history.session.pairing import open_at_end
from histories import prefix, sendable
from support import MODELS, corpus_files

ARRAY = {
    "gemini": "contents",
    "openai-chat": "messages",
    "openai-responses": "input",
    "anthropic": "messages",
    "ollama": "messages",
}


def recorded(format):
    """The accepted requests of a format, read."""
    for path in corpus_files(f"exchanges/{format}/*.json"):
        if path.name.endswith(".expected.json"):
            continue
        exchange = orjson.loads(path.read_bytes())
        if exchange["meta"]["status"] == 200:
            yield path.name, providers.load(format).imported(exchange["request"])


@pytest.mark.parametrize("target", providers.FORMATS)
@pytest.mark.parametrize("source", providers.FORMATS)
def test_a_recorded_conversation_goes_on_anywhere(source, target):
    format = providers.load(target)
    count = 0
    for name, read in recorded(source):
        before = b""
        for end in range(1, len(read.messages) + 1):
            view = sendable(read.messages[:end], unanswered="error")
            if view.messages[-1].role != "user" or open_at_end(view.messages):
                continue
            given = Options(model=MODELS[target], system=read.system, tools=read.tools)
            body = format.request(view.messages, given, []).body
            found = [*format.problems({**body, "model": MODELS[target]})]
            array = prefix(body[ARRAY[target]])
            assert not found, (name, end, found)
            assert array.startswith(before), (name, end)
            before = array
            count += 1
    if not count:
        pytest.skip("no recorded data")
