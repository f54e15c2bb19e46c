"""The stages that put stubs in the place of large content: which content, and how small."""

from codeh_history.filters.compact import Settings, shrink, stubs
from codeh_history.filters.compact.draft import Draft, History
from codeh_history.tokens import open_counter
from codeh_history.tokens.formula import parts_tokens
from compact.long import IMAGE, output
from compact.short import asked, plan, tokens
from histories import call, model, result, session, tool, user


def test_the_newest_tool_tokens_stay_whole_when_they_can():
    loop = [m for n in range(60) for m in asked(f"c{n}", "bash", {"n": n}, {"output": output(n, 120)})]
    view = session([user("do it"), *loop, model("done")])
    found = plan(view, tokens(view) - 40_000)
    changed = {id for op in found.ops for id in op.get("ids", [op.get("id")])}
    left = 40_000
    for message in reversed(view.messages[1:-1]):
        left -= tokens(session([{"kind": message.kind, "role": message.role, "parts": message.parts}])) - 7
        if left > 0:
            assert message.id not in changed


# -- what may shrink ------------------------------------------------------------------------------------

APPROX = open_counter("approx")


def draft(view, target=0):
    return Draft(History(view, APPROX, Settings(budget=target)), target)


def loop(count, lines=60):
    return [m for n in range(count) for m in asked(f"c{n}", "bash", {"n": n}, {"output": output(n, lines)})]


def test_the_newest_calls_and_results_are_those_that_fit_together():
    made = draft(session([user("a"), *loop(4), model("b")]))
    sizes = [made.tokens[number][0] for number in range(1, 9)]
    assert shrink.newest(made, sum(sizes)) == {(number, 0) for number in range(1, 9)}
    assert shrink.newest(made, sizes[-1]) == {(8, 0)}
    assert shrink.newest(made, sizes[-1] + sizes[-2]) == {(8, 0), (7, 0)}
    assert shrink.newest(made, sizes[-1] - 1) == set()
    made.drop("s", [7, 8], "w")
    assert shrink.newest(made, sizes[5]) == {(6, 0)}


def test_stubs_are_made_of_the_oldest_and_only_as_many_as_are_needed():
    view = session([user("a"), *loop(40, 400), user("b")])
    made = draft(view)
    made.target = made.total - made.tokens[2][0] // 2
    shrink.outputs(made)
    assert made.fits
    assert {number for number, _ in made.new} == {2}


def test_what_a_stub_is_filled_with_fits_and_ends_stay():
    made = draft(session([user("a"), *loop(3, 300), user("b")]))
    for room in (300, 900, 2000):
        changes = shrink.written(made, [(2, 0), (4, 0), (6, 0)], room / 3)
        sizes = parts_tokens(APPROX, [new for _, new, _ in changes if new is not None])
        assert [place for place, _, _ in changes] == [(2, 0), (4, 0), (6, 0)]
        assert sum(sizes) < 2 * room + 400
        assert all("expand m" in str(new) for _, new, _ in changes)


def test_files_of_the_newest_exchanges_stay():
    view = session([user("a", IMAGE), user("b", IMAGE), user("c", IMAGE), model("d")])
    made = draft(view)
    shrink.outputs(made)
    assert set(made.new) == {(0, 1)}


def test_results_of_the_last_unit_are_cut_alike_and_to_marks_where_nothing_else_fits():
    calls = [call("f", str(n)) for n in range(3)]
    results = [result("f", str(n), {"output": output(n, 100 if n else 2)}) for n in range(3)]
    view = session([user("a"), model(*calls), tool(*results)])
    made = draft(view)
    made.target = made.total - made.tokens[2][1] // 2
    shrink.last_unit(made)
    assert made.fits
    assert set(made.new) == {(2, 1), (2, 2)}
    bare = draft(view, 1)
    shrink.last_unit(bare)
    assert all(stubs.is_bare(new) for new in bare.new.values() if new is not None)
    assert bare.total < made.total
