"""Those who make a history smaller: ours, and the public trimmers, each behind the same signature.

All are given the same messages, the same budget and, where they take one, the same counter.
"""

import asyncio
import contextlib
import io
import logging
import os
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import orjson
from compaction_chat import Contents, of_chat, to_chat
from compaction_histories import Case, contents_of, counter, view_of

from codeh_history.filters.compact import Settings, compact
from codeh_history.session.ops import apply
from codeh_history.tokens import message_tokens

Contender = Callable[[Case, int], Contents]
PACKAGES = {
    "langchain_core": "langchain-core",
    "litellm": "litellm",
    "agent_framework": "agent-framework-core",
}


# -- ours -------------------------------------------------------------------------------------------------


def ours(policy):
    def make_smaller(case, budget):
        plan = compact(case.view, Settings(budget=budget, policy=policy), counter())
        return contents_of(apply(case.view, plan.ops))

    return make_smaller


# -- windows, as programs write them by hand --------------------------------------------------------------


def window(case, budget):
    """The newest messages that fit, whatever they are."""
    return case.contents[_first(case, budget) :]


def from_a_prompt(case, budget):
    """The newest messages that fit, from the first of them that a user said."""
    start = _first(case, budget)
    said = (n for n in range(start, len(case.contents)) if is_prompt(case.contents[n]))
    return case.contents[next(said, len(case.contents)) :]


def _first(case, budget):
    left = budget - counter().history
    start = len(case.contents)
    for cost in reversed(message_tokens(counter(), case.view.messages)):
        left -= cost
        if left < 0:
            break
        start -= 1
    return start


def is_prompt(content):
    return content["role"] == "user" and "text" in content["parts"][0]


# -- langchain-core ---------------------------------------------------------------------------------------


def langchain(**settings):
    def make_smaller(case, budget):
        from langchain_core.messages import (
            convert_to_messages,
            convert_to_openai_messages,
            trim_messages,
        )

        costs = []
        given = convert_to_messages(to_chat(case.contents))
        for number, message in enumerate(given):
            message.id = str(number)

        def count(messages):
            if not costs:
                costs.extend(message_tokens(counter(), case.view.messages))
            known = sum(costs[int(m.id)] for m in messages if m.content == given[int(m.id)].content)
            cut = [m for m in messages if m.content != given[int(m.id)].content]
            return counter().history + known + sum(map(whole, cut))

        def whole(message):
            return message_tokens(counter(), view_of(contents([message])).messages)[0]

        def contents(messages):
            chat = convert_to_openai_messages(messages)
            for found, message in zip(chat, messages, strict=True):
                if message.type == "tool":
                    found["name"] = message.name
            return of_chat(chat)

        after = trim_messages(
            given, max_tokens=budget, **{"token_counter": count, "strategy": "last", **settings}
        )
        return contents(after)

    return make_smaller


# -- litellm ----------------------------------------------------------------------------------------------


def litellm(case, budget):
    """It has a counter of its own, o200k_base for this model."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm as library

    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()):
        after = library.utils.trim_messages(to_chat(case.contents), model="gpt-4o", max_tokens=budget)
    return of_chat(after)


# -- agent-framework --------------------------------------------------------------------------------------


class Tokens:
    """Our counter as agent-framework wants it: given its own JSON of a message, what that message costs."""

    def count_tokens(self, text):
        contents = orjson.loads(text)["contents"]
        return counter().message + sum(counter().counts([t for c in contents for t in _counted(c)]))


def _counted(content):
    if content["type"] == "function_call":
        yield content["name"]
        yield content["arguments"]
    elif content["type"] == "function_result":
        yield content["call_id"].split(":")[0]
        yield orjson.dumps({"output": content["result"]}).decode()
    else:
        yield content["text"]


def agent_framework(strategy):
    def make_smaller(case, budget):
        import agent_framework as library

        logging.getLogger("agent_framework").setLevel(logging.CRITICAL)
        given = [as_message(library, chat, n) for n, chat in enumerate(to_chat(case.contents))]
        made = strategy(library, max(1, budget - counter().history))
        after = asyncio.run(library.apply_compaction(given, strategy=made, tokenizer=Tokens()))
        return [as_content(message) for message in after]

    return make_smaller


def as_message(library, chat, number):
    """Ids of calls carry the tool's name, which its results do not have otherwise."""
    make = library.Content
    if chat["role"] == "tool":
        id = f"{chat['name']}:{chat['tool_call_id']}"
        contents = [make.from_function_result(id, result=chat["content"])]
    else:
        contents = [make.from_text(chat["content"])] if chat["content"] else []
        contents += [
            make.from_function_call(f"{call['name']}:{id}", call["name"], arguments=call["arguments"])
            for id, call in ((call["id"], call["function"]) for call in chat.get("tool_calls", ()))
        ]
    return library.Message(role=chat["role"], contents=contents, message_id=str(number))


def as_content(message):
    parts = []
    for content in message.contents:
        name, _, id = (content.call_id or "").partition(":")
        if content.type == "text":
            parts.append({"text": content.text})
        elif content.type == "function_call":
            arguments = content.parse_arguments() or {}
            parts.append({"functionCall": {"id": id, "name": name, "args": arguments}})
        else:
            response = {"output": content.result}
            parts.append({"functionResponse": {"id": id, "name": name, "response": response}})
    return {"role": "model" if str(message.role) == "assistant" else "user", "parts": parts}


def truncation(library, budget):
    return library.TruncationStrategy(max_n=budget, compact_to=budget, tokenizer=Tokens())


def first_user(library, budget):
    return library.TruncationStrategy(
        max_n=budget, compact_to=budget, tokenizer=Tokens(), preserve_first_user_group=True
    )


def composed(library, budget):
    results = library.ToolResultCompactionStrategy(keep_last_tool_call_groups=4)
    return library.TokenBudgetComposedStrategy(
        token_budget=budget, tokenizer=Tokens(), strategies=[results, first_user(library, budget)]
    )


def context_window(library, budget):
    """Both thresholds at the budget, so that it fills it as the others do."""
    return library.ContextWindowCompactionStrategy(
        max_context_window_tokens=budget, max_output_tokens=0, tokenizer=Tokens(),
        tool_eviction_threshold=1.0, truncation_threshold=1.0, preserve_first_user_group=True,
    )  # fmt: skip


ALL = {
    "codeh-history": (None, ours("tiered")),
    "codeh-history, loop": (None, ours("loop")),
    "recency window": (None, window),
    "recency window from a prompt": (None, from_a_prompt),
    "langchain-core last": ("langchain_core", langchain()),
    "langchain-core last, human": (
        "langchain_core",
        langchain(start_on="human", end_on=("human", "tool")),
    ),
    "langchain-core last, partial": ("langchain_core", langchain(allow_partial=True)),
    "langchain-core approximate, human": (
        "langchain_core",
        langchain(token_counter="approximate", start_on="human", end_on=("human", "tool")),
    ),
    "litellm": ("litellm", litellm),
    "agent-framework truncation": ("agent_framework", agent_framework(truncation)),
    "agent-framework first user": ("agent_framework", agent_framework(first_user)),
    "agent-framework composed": ("agent_framework", agent_framework(composed)),
    "agent-framework window": ("agent_framework", agent_framework(context_window)),
}


@cache
def contenders():
    """Those that are installed."""
    return {name: run for name, (module, run) in ALL.items() if module is None or find_spec(module)}


def versions():
    """The installed packages, for the head of the tables."""
    found = []
    for package in PACKAGES.values():
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join(found)
