"""Requests about the same session are answered in their order, others at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codeh_history.commands.serve.order import Order, Turn

TURNS = st.lists(
    st.tuples(st.one_of(st.none(), st.sets(st.sampled_from("abc"), max_size=2)), st.booleans()), max_size=12
)


def conflict(first: Turn, second: Turn) -> bool:
    """Whether the second has to wait for the first."""
    if not first.holds or (second.sessions is not None and not second.sessions):
        return False  # what is about no session waits for none
    if first.sessions is None or second.sessions is None:
        return True
    return bool(set(first.sessions) & set(second.sessions))


@given(TURNS, st.data())
def test_each_waits_for_those_before_it_that_it_must_wait_for_and_for_no_other(
    drawn: list[tuple[set[str] | None, bool]], data: st.DataObject
) -> None:
    order, turns, ready, over = Order(), [], set[Turn](), set[Turn]()
    waiting = [Turn(sessions, holds=holds) for sessions, holds in drawn]
    while waiting or ready:
        if waiting and (not ready or data.draw(st.booleans())):
            turn = waiting.pop(0)
            order.add(turn)
            turns.append(turn)
            if not turn.before:
                ready.add(turn)
        else:
            turn = data.draw(st.sampled_from(sorted(ready, key=turns.index)))
            ready.remove(turn)
            over.add(turn)
            ready.update(order.end(turn))
        for place, turn in enumerate(turns):
            if turn not in over:
                free = not any(conflict(each, turn) and each not in over for each in turns[:place])
                assert (turn in ready) == free
    assert over == set(turns)
