"""langchain-core as its users have it: chains with a history, a model of the package's own."""

import asyncio

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is installed by `make test-adapters`")
from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory

from adapted import together
from codeh_history.adapters.langchain import ChatMessageHistory
from in_process import run_in_process

CALL = {"id": "c1", "name": "ls", "args": {"path": "."}, "type": "tool_call"}
MESSAGES = [
    SystemMessage("Be brief."),
    HumanMessage("What is in here?", id="h1", additional_kwargs={"a": [1, None]}),
    AIMessage(
        "", tool_calls=[CALL], usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
        response_metadata={"model_name": "gpt-5.1", "finish_reason": "tool_calls"},
    ),
    ToolMessage("a.txt", tool_call_id="c1", artifact={"rows": 1}, status="error"),
    AIMessage([{"type": "text", "text": "A file."}, {"type": "odd", "x": 1}], name="bob"),
    HumanMessage([{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]),
    HumanMessage(""), ChatMessage("Psst.", role="critic"), RemoveMessage(id="h1"), AIMessageChunk("A chunk."),
]  # fmt: skip


def demo(home):
    return ChatMessageHistory("demo", home)


def test_messages_round_trip_with_all_fields(home):
    assert demo(home).messages == []
    demo(home).clear()
    assert not (home / "sessions").exists()
    demo(home).add_messages(MESSAGES[:3])
    asyncio.run(demo(home).aadd_messages(MESSAGES[3:]))
    read = demo(home).messages
    assert read == MESSAGES == asyncio.run(demo(home).aget_messages())
    assert [type(message) for message in read] == [type(message) for message in MESSAGES]
    assert isinstance(demo(home), BaseChatMessageHistory)


def test_commands_see_the_content_of_messages(home):
    demo(home).add_messages(MESSAGES[:3])
    demo(home).add_messages(MESSAGES[3:5])
    shown = run_in_process("show", "demo", "--jsonl").lines
    assert [message["kind"] for message in shown] == ["user", "user", "codeh", "tool", "codeh"]
    assert shown[2]["parts"] == [{"functionCall": {"id": "c1", "name": "ls", "args": {"path": "."}}}]
    assert (shown[2]["model"], shown[2]["usage"]["input"]) == ("gpt-5.1", 3)
    assert shown[3]["parts"][0]["functionResponse"]["name"] == "ls"
    assert "error" in shown[3]["parts"][0]["functionResponse"]["response"]
    body = run_in_process("payload", "demo", "--to", "openai-chat", "--model", "m", "--prefill")
    assert (body.code, b"A file." in body.out) == (0, True)


def test_appends_and_changes_by_commands_are_seen(home):
    demo(home).add_user_message("One.")
    run_in_process("update", ":1", "-s", "demo", "-m", "Two.")
    run_in_process("append", "-s", "demo", "--call", "ls", "--args", '{"path":"."}', "--call-id", "c1")
    run_in_process("append", "-s", "demo", "--result", "ls", "--call-id", "c1", "-m", "a.txt")
    read = demo(home).messages
    assert [message.content for message in read] == ["Two.", "", "a.txt"]
    assert read[1].tool_calls == [CALL]
    assert (read[2].type, read[2].tool_call_id) == ("tool", "c1")


def test_undo_reverts_clear(home):
    """A history that is trimmed by clearing it and adding the rest is all there is, and more is kept."""
    demo(home).add_messages(MESSAGES[:5])
    assert "Human: What is in here?" in str(demo(home))
    demo(home).clear()
    demo(home).add_messages(MESSAGES[3:5])
    assert demo(home).messages == MESSAGES[3:5]
    for _ in range(3):
        run_in_process("undo", "-s", "demo")
    assert demo(home).messages == MESSAGES[:5]


def chain(histories):
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{question}")])
    model = GenericFakeChatModel(messages=iter(AIMessage(f"Answer {n}.") for n in range(100)))
    return RunnableWithMessageHistory(
        prompt | model, histories, input_messages_key="question", history_messages_key="history"
    )


def test_chain_behaves_as_with_the_packages_history(home):
    theirs = InMemoryChatMessageHistory()
    for histories in (lambda session_id: ChatMessageHistory(session_id, home), lambda session_id: theirs):
        talk = chain(histories)
        config = {"configurable": {"session_id": "demo"}}
        assert talk.invoke({"question": "One?"}, config).content == "Answer 0."
        assert "".join(piece.content for piece in talk.stream({"question": "Two?"}, config)) == "Answer 1."
        assert asyncio.run(talk.ainvoke({"question": "Three?"}, config)).content == "Answer 2."
    mine = demo(home).messages
    left, right = ([(each.type, each.content) for each in kept] for kept in (mine, theirs.messages))
    assert left == right
    assert len(mine) == 6


def test_two_processes_lose_and_mix_nothing(home):
    script = """
import sys
from codeh_history.adapters.langchain import ChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage
for n in range(15):
    ChatMessageHistory("demo", sys.argv[1]).add_messages([HumanMessage(f"{sys.argv[2]} {n}"), AIMessage(f"{sys.argv[2]} {n}")])
"""
    together(script, home)
    read = [(message.type, message.content) for message in demo(home).messages]
    assert len(read) == 60
    pairs = list(zip(read[::2], read[1::2], strict=True))
    assert all((one[0], other[0], one[1]) == ("human", "ai", other[1]) for one, other in pairs)
    for who in "01":
        assert [int(one[1].split()[1]) for one, _ in pairs if one[1][0] == who] == list(range(15))
