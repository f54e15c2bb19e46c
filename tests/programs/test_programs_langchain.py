"""Dumps of LangChain, each trap by name."""

import orjson
import pytest

from interchange import imported, sessions, short
from program_copies import settings
from program_formats import langchain, lined, listed, single

LANGCHAIN = [
    ("user", "one+image/png"),
    ("codeh", "f A"),
    ("tool", "A=failed"),
    ("codeh", "(hm)+two"),
]


@pytest.mark.parametrize("form", ["dict", "lc"])
def test_both_forms_of_langchain(form, tmp_path):
    (records,) = sessions(tmp_path, imported(tmp_path, listed(langchain(form))))
    assert short(records) == LANGCHAIN
    assert settings(records) == {"system": "be good"}
    called = next(r for r in records if r.get("id") == "run-1")
    assert (called["provider"], called["model"], called["usage"]["cached"]) == ("openai-chat", "gpt-5", 1)
    assert records[-1]["parts"][0]["thoughtSignature"] == "s"
    failed = next(r for r in records if r.get("kind") == "tool")["parts"][0]["functionResponse"]
    assert failed["response"] == {"error": "failed"}


def test_a_state_and_lines_of_langchain(tmp_path):
    state = {"thread_id": "t1", "values": {"messages": langchain("lc")}}
    done = imported(tmp_path, single([state]))
    assert done.text == "langchain-t1"
    assert short(sessions(tmp_path, done)[0]) == LANGCHAIN
    history = {"messages": langchain()}
    one, two = imported(tmp_path, lined([history, history]), "x.jsonl").text.split()
    assert two == f"{one}-2"


def test_older_calls_of_langchain(tmp_path):
    more = {
        "tool_calls": [{"id": "A", "function": {"name": "f", "arguments": '{"x":1}'}}],
        "reasoning_content": "hm",
    }
    message = {"type": "ai", "data": {"content": "", "additional_kwargs": more}}
    odd = {
        "type": "ai",
        "data": {"content": [{"type": "hologram"}], "invalid_tool_calls": [{"name": "g", "args": "{"}]},
    }
    (records,) = sessions(tmp_path, imported(tmp_path, listed([message, odd])))
    assert short(records) == [("codeh", "(hm)+f A"), ("codeh", "g call_2")]


@pytest.mark.parametrize("dump", ["messages_to_dict", "dumpd"])
def test_what_langchain_itself_writes(dump, tmp_path):
    core = pytest.importorskip("langchain_core.messages")
    load = pytest.importorskip("langchain_core.load")
    given = core.messages_from_dict(langchain())
    value = core.messages_to_dict(given) if dump == "messages_to_dict" else load.dumpd(given)
    (records,) = sessions(tmp_path, imported(tmp_path, orjson.dumps(value)))
    assert short(records) == LANGCHAIN
