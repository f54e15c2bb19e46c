"""The stages that put stubs in the place of large content: which content, and how small."""

from __future__ import annotations

from compact.long import output
from compact.short import asked, plan, tokens
from histories import model, session, user


def test_the_newest_tool_tokens_stay_whole_when_they_can() -> None:
    loop = [m for n in range(60) for m in asked(f"c{n}", "bash", {"n": n}, {"output": output(n, 120)})]
    view = session([user("do it"), *loop, model("done")])
    found = plan(view, tokens(view) - 40_000)
    changed = {id for op in found.ops for id in op.get("ids", [op.get("id")])}
    left = 40_000
    for message in reversed(view.messages[1:-1]):
        left -= tokens(session([{"kind": message.kind, "role": message.role, "parts": message.parts}])) - 7
        if left > 0:
            assert message.id not in changed
