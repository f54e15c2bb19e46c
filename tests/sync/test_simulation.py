"""Random edits on three machines, random syncs: equal within a round, nothing lost or doubled."""

from __future__ import annotations

import os

import pytest

from codeh_history.session.records import lines_of
from codeh_history.sync.plan import grown, plan
from synced import World

WORLDS = int(os.environ.get("SYNCS", "60"))
BATCHES = 4


@pytest.mark.parametrize("batch", range(BATCHES))
def test_any_edits_and_any_syncs(batch: int) -> None:
    for seed in range(batch, WORLDS, BATCHES):
        world = World(seed, machines=2 + seed % 3)
        for _ in range(world.random.randrange(5, 60)):
            if world.random.random() < 0.75:
                world.edit()
            else:
                stop = world.random.choice([None, None, None, 0, 1, 2])
                world.sync(*world.pair(), stop=stop, live=world.random.random() < 0.3)
        world.round()
        assert list(world.wrong()) == [], seed


def test_what_only_grew_is_found_without_reading_it() -> None:
    """The quick way gives what the plan gives."""
    tried = 0
    for seed in range(WORLDS // 4):
        world = World(seed, machines=2)
        for _ in range(20):
            world.edit()
        for name, data in world.stores[0].items():
            lines = list(lines_of(data))
            cut = b"".join(lines[: world.random.randrange(len(lines) + 1)])
            for stores in (
                [{name: cut} if cut else {}, {name: data}],
                [{name: data}, {name: cut} if cut else {}],
            ):
                quick = grown(stores)
                if quick is None or b'"mess\n' in data:
                    continue
                tried += 1
                found = {(write.side, write.after) for write in plan(stores).writes}
                new = lines[len(list(lines_of(cut))) :]
                assert {(write.side, write.after) for write in quick} == found or all(
                    b'"delta"' in line for line in new
                )
    assert tried
