"""Three machines, edits and syncs in any order: nothing lost or doubled."""

import os
import random

import pytest

from codeh_history.session.records import lines_of
from codeh_history.sync.plan import plan
from in_process import run_in_process, run_ok
from synced import World, doubled, sessions

WORLDS = int(os.environ.get("SYNCS", "60")) // 20
LOOKS_SECRET = "sk-ant-api03-" + "Ab3" * 29


class Machines:
    """`said`: texts that were acknowledged; `secrets`: those among them, and whether they were redacted."""

    def __init__(self, place, seed):
        self.random = random.Random(seed)
        self.homes = [place / name for name in ("one", "two", "three")]
        self.folder = place / "folder"
        self.added = set()
        self.secrets = {}
        self.number = 0

    def run(self, home, *argv, stdin=b""):
        self.number += 1
        minute, second = divmod(self.number // 3, 60)  # clocks are coarse
        now = f"2026-01-02T03:{minute:02}:{second:02}.000Z"
        return run_in_process(*argv, "-q", home=home, stdin=stdin, env={"CODEH_NOW": now})

    def edit(self):
        home = self.random.choice(self.homes)
        names = sessions(home)
        name = self.random.choice([*names, "demo", "demo"])
        acts = (self.append, self.stream, self.secret, self.redact, self.change)
        self.random.choices(acts, (8, 3, 1, 1, 6))[0](home, name)

    def append(self, home, name):
        text = f"text {self.random.randrange(10**9)}"
        assert self.run(home, "append", "-s", name, "-m", text).code == 0
        self.added.add(text)

    def stream(self, home, name):
        text = f"stream {self.random.randrange(10**9)}"
        done = self.run(home, "append", "-s", name, "--role", "model", "--stream", stdin=text.encode())
        assert done.code == 0
        self.added.add(text)

    def secret(self, home, name):
        value = f"{LOOKS_SECRET}{self.random.randrange(10**6, 10**7)}AA"
        assert self.run(home, "append", "-s", name, "-m", f"the key is {value}").code == 0
        self.secrets[value] = False

    def redact(self, home, name):
        held = sessions(home).get(name, b"")
        if held and self.run(home, "redact", name, "-i", "--yes").code in (0, 1):
            self.secrets |= {value: True for value in self.secrets if value.encode() in held}

    def change(self, home, name):
        """Whatever else there is: some of it finds nothing to do, or no session."""
        changes = f"""undo -s {name}; update -s {name} :1 -m edited; set -s {name} title=t{self.number};
            clear -s {name}; fork {name}; persist {name} -i --all; gc --yes; compact -s {name} -i --max-items 3;
            summarize {name} -i --max-conversations 2 --min-batch 1 --counter approx"""
        change = self.random.choice(changes.split(";"))
        assert self.run(home, *change.split()).code in (0, 1, 3, 5, 65)

    def sync(self):
        one, other = self.random.sample(self.homes, 2)
        url = self.random.choice([f"dir:{other / 'sessions'}", f"dir:{self.folder}"])
        assert self.run(one, "sync", url).code == 0

    def wrong(self):
        """After each home has given and taken: what is not as promised."""
        for home in (*self.homes, *self.homes):
            assert self.run(home, "sync", f"dir:{self.folder}").code == 0
        stores = [sessions(home) for home in self.homes]
        for store in stores[1:]:
            if store.keys() != stores[0].keys() or any(
                plan([{name: stores[0][name]}, {name: store[name]}]).writes for name in store
            ):
                yield "the stores are not equal"
        for home, store in zip(self.homes, stores, strict=True):
            lines = b"".join(store.values())
            whole = lines + b"".join(path.read_bytes() for path in (home / "blocks").glob("??/*"))
            yield from (f"{text} is lost" for text in self.added if text.encode() not in whole)
            secrets = [value for value, gone in self.secrets.items() if gone]
            yield from (f"{value} is there" for value in secrets if value.encode() in lines)
            for name, data in store.items():
                yield from doubled(name, data)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_real_commands_in_any_order(tmp_path, seed):
    machines = Machines(tmp_path, seed)
    for _ in range(machines.random.randrange(10, 40)):
        machines.edit() if machines.random.random() < 0.75 else machines.sync()
    assert list(machines.wrong()) == []


def test_concurrent_writers(tmp_path):
    """What another process was told is stored is in the session or its fork, on both sides."""
    one, two = tmp_path / "one", tmp_path / "two"
    for home in (one, two):
        run_ok("append", "-s", "demo", "-m", f"begun {home.name}", home=home)
    writers = [writing(home, 25) for home in (one, two)]
    alive = set(writers)
    while alive:
        assert run_in_process("sync", f"dir:{two / 'sessions'}", "-q", home=one).code in (0, 75)
        alive = {pid for pid in alive if os.waitpid(pid, os.WNOHANG) == (0, 0)}
    run_ok("sync", f"dir:{two / 'sessions'}", "-q", home=one)
    assert sessions(one) == sessions(two)
    whole = b"".join(sessions(one).values())
    for home in (one, two):
        for number in range(25):
            assert b'"%s %d"' % (home.name.encode(), number) in whole
    for name, data in sessions(one).items():
        assert list(doubled(name, data)) == []
        assert len(set(lines_of(data))) == len(list(lines_of(data)))


def writing(home, count):
    """A process that appends so often."""
    pid = os.fork()
    if pid == 0:
        for number in range(count):
            done = run_in_process("append", "-s", "demo", "-m", f"{home.name} {number}", home=home)
            if done.code:
                os._exit(1)
        os._exit(0)
    return pid


SIMULATIONS = int(os.environ.get("SYNCS", "60"))
BATCHES = 4


@pytest.mark.parametrize("batch", range(BATCHES))
def test_any_edits_and_any_syncs(batch):
    for seed in range(batch, SIMULATIONS, BATCHES):
        world = World(seed, machines=2 + seed % 3)
        for _ in range(world.random.randrange(5, 60)):
            if world.random.random() < 0.75:
                world.edit()
            else:
                stop = world.random.choice([None, None, None, 0, 1, 2])
                world.sync(*world.pair(), stop=stop, live=world.random.random() < 0.3)
        world.round()
        assert list(world.wrong()) == [], seed
