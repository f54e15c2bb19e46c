"""Random edits on three machines, random syncs: equal within a round, nothing lost or doubled."""

import os

import pytest

from synced import World

WORLDS = int(os.environ.get("SYNCS", "60"))
BATCHES = 4


@pytest.mark.parametrize("batch", range(BATCHES))
def test_any_edits_and_any_syncs(batch):
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
