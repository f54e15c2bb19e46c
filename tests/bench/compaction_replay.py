"""What a session's requests cost, turn by turn, where each holds what a contender leaves of the history so far.

A token in the unchanged beginning of the previous request costs 0.1, any other 1.
"""

import asyncio
from collections.abc import Callable, Iterator
from importlib.util import find_spec

from compaction_chat import Contents, to_chat
from compaction_histories import Case, counter, view_of
from compaction_rivals import Tokens, as_content, as_message, contenders, is_prompt

from codeh_history.filters.compact import Settings
from codeh_history.filters.compact.replay import Bill, replay
from codeh_history.tokens import message_tokens

Contexts = Callable[
    [Contents, int], Iterator[Contents]
]  # of a session and a budget: each request's messages


def requests(contents):
    """Where a model was asked: the number of messages that stood before each of its turns."""
    for number, content in enumerate(contents):
        if content["role"] == "model" and number and contents[number - 1]["role"] != "model":
            yield number


def costs_of(contents):
    return message_tokens(counter(), view_of(contents).messages)


def billed(contexts):
    """The bill of these requests."""
    bill = Bill()
    known = {}  # by identity, which is the same message's mostly

    def piece(content):
        if id(content) not in known:
            known[id(content)] = (content, costs_of([content])[0])
        return known[id(content)]

    head = ("", counter().history)
    for context in contexts:
        bill.change([head, *map(piece, context)])
        bill.pay()
    return bill


def everything(contents, budget):
    for place in requests(contents):
        yield contents[:place]


def sliding(contents, budget):
    """Each request holds the newest messages that fit, from a prompt on where there is one."""
    costs = costs_of(contents)
    for place in requests(contents):
        yield contents[_start(contents, costs, place, budget) : place]


def staying(low, high=1.0):
    """A cut that stays put until `high` of the budget is full again; then it leaves `low` of it."""

    def contexts(contents, budget):
        costs = costs_of(contents)
        start = 0
        for place in requests(contents):
            if counter().history + sum(costs[start:place]) > budget * high:
                start = _start(contents, costs, place, int(budget * low))
            yield contents[start:place]

    return contexts


def _start(contents, costs, place, budget):
    left = budget - counter().history
    start = place
    while start and costs[start - 1] <= left:
        start -= 1
        left -= costs[start]
    return next((n for n in range(start, place) if is_prompt(contents[n])), start)


def each_time(name):
    """The whole history is trimmed anew for each request, as programs do that keep it whole."""

    def contexts(contents, budget):
        trim = contenders()[name]
        total = counter().history
        costs = costs_of(contents)
        before = 0
        for place in requests(contents):
            total += sum(costs[before:place])
            before = place
            yield contents[:place] if total <= budget else trim(Case(name, contents[:place]), budget)

    return contexts


def agent_framework(make):
    """One list that grows and remembers what was left out, as the framework keeps it."""

    def contexts(contents, budget):
        import agent_framework as library

        strategy = make(library, max(1, budget - counter().history))
        messages = []
        made = {}
        before = 0
        for place in requests(contents):
            chats = to_chat(contents[before:place])
            messages += [as_message(library, chat, number) for number, chat in enumerate(chats, before)]
            before = place
            after = asyncio.run(library.apply_compaction(messages, strategy=strategy, tokenizer=Tokens()))
            for message in after:
                if message.message_id not in made:
                    made[message.message_id] = as_content(message)
            yield [made[message.message_id] for message in after]

    return contexts


def truncation(library, budget):
    return library.TruncationStrategy(
        max_n=budget,
        compact_to=int(budget * 0.6),
        tokenizer=Tokens(),
        preserve_first_user_group=True,
    )


def context_window(library, budget):
    """Its own thresholds, 0.5 and 0.8."""
    return library.ContextWindowCompactionStrategy(
        max_context_window_tokens=budget, max_output_tokens=0, tokenizer=Tokens(),
        preserve_first_user_group=True,
    )  # fmt: skip


def ours(contents, budget, policy):
    return replay(view_of(contents), Settings(budget=budget, policy=policy), counter())


ALL = {
    "sliding window": (None, sliding),
    "cut that stays put, 1 to 0.6": (None, staying(0.6)),
    "cut that stays put, 0.85 to 0.6": (None, staying(0.6, 0.85)),
    "cut that stays put, 1 to 0.3": (None, staying(0.3)),
    "langchain-core last": ("langchain_core", each_time("langchain-core last")),
    "langchain-core last, human": ("langchain_core", each_time("langchain-core last, human")),
    "agent-framework truncation to 0.6": ("agent_framework", agent_framework(truncation)),
    "agent-framework window": ("agent_framework", agent_framework(context_window)),
}


def installed():
    """Those whose package is installed. (litellm takes half a minute for one request of such a session.)"""
    return {name: run for name, (module, run) in ALL.items() if module is None or find_spec(module)}
