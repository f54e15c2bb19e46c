"""Machines that edit their sessions and sync in any order, and invariants of the plans alone.

No file is touched: a store is a dict of logs, an edit appends lines as the verbs do.
"""

import random
from dataclasses import dataclass, field

import orjson

from codeh_history.session import redactions
from codeh_history.session.by_reference import to_references
from codeh_history.session.fold import content, fold
from codeh_history.session.records import block_of, lines_of, parse
from codeh_history.sync.plan import plan
from in_process import run_in_process

Store = dict[str, bytes]
SECRET = "SECRET"


@dataclass
class World:
    """`added`: the text of every message ever added; `removed`: those that were redacted."""

    seed: int
    machines: int = 3
    stores: list[Store] = field(default_factory=list)
    added: dict[str, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    streams: dict[tuple[int, str], str] = field(
        default_factory=dict
    )  # those that go on: machine, session, id
    left: bool = False  # whether a session was left alone since the round began
    gone: bool = False  # whether a session was removed somewhere
    clock: int = 0
    texts: set[str] = field(default_factory=set)  # of messages whose ids others have too

    def __post_init__(self):
        self.random = random.Random(self.seed)
        self.stores = [{} for _ in range(self.machines)]

    # -- edits --------------------------------------------------------------------------------------------

    def edit(self):
        """Apply one action of one machine to one session."""
        store = self.random.choice(self.stores)
        name = self.random.choice([*store, "demo"] if self.random.random() < 0.9 else ["demo", "other"])
        if name not in store:
            store[name] = record(type="session", version=1, id=name, created=self.now())
        act = self.random.choices(
            [self.append, self.stream, self.undo, self.update, self.compact, self.summarize, self.set,
             self.redact, self.fork, self.remove, self.clear, self.gc, self.persist, self.begin, self.twin, self.tear],
            [30, 10, 5, 5, 5, 8, 8, 4, 3, 1, 1, 2, 2, 3, 2, 2],
        )[0]  # fmt: skip
        act(store, name)

    def append(self, store, name):
        store[name] += self.message()

    def stream(self, store, name):
        id = self.id("s")
        text = f"{id} {SECRET} streamed"
        self.added[id] = text
        store[name] += record(type="open", id=id, ts=self.now(), kind="codeh", role="model")
        for piece in (text[:4], text[4:]):
            store[name] += record(type="delta", of=id, parts=[{"text": piece}])
        store[name] += record(type="commit", of=id, ts=self.now(), parts=[{"text": text}])

    def undo(self, store, name):
        ids = [m.id for m in view(store[name]).messages]
        if ids:
            store[name] += record(type="revert", id=self.id("r"), of=ids[-1], ts=self.now())

    def update(self, store, name):
        ids = [m.id for m in view(store[name]).messages]
        if ids:
            of = self.random.choice(ids)
            update = record(
                type="update", id=self.id("u"), of=of, ts=self.now(), parts=[{"text": f"{of} edited"}]
            )
            store[name] += update + record(type="commit", of=of, ts=self.now())

    def compact(self, store, name):
        ids = [m.id for m in view(store[name]).messages]
        if ids:
            drop = {"op": "drop", "ids": ids[: len(ids) // 2], "why": "old"}
            store[name] += record(type="compaction", id=self.id("k"), ts=self.now(), policy="t", ops=[drop])

    def summarize(self, store, name):
        ids = [m.id for m in view(store[name]).messages]
        store[name] += record(
            type="summary", id=self.id("y"), createdAt=self.now(), summary="sum", covers=ids[:2], by="x"
        )

    def set(self, store, name):
        store[name] += record(type="meta", ts=self.now(), set={"title": self.id("t")})

    def redact(self, store, name):
        """Redact one message as `redact -i` does: its record, and its stream's deltas."""
        held = view(store[name]).all
        ids = [id for id in self.added if id in held]
        if not ids:
            return
        id = self.random.choice(ids)
        old = list(lines_of(store[name]))
        about = (f'"id":"{id}"'.encode(), f'"of":"{id}"'.encode())
        new = [
            line.replace(SECRET.encode(), b"[redacted:x]") if any(part in line for part in about) else line
            for line in old
        ]
        redaction = redactions.record(self.id("x"), self.now(), old, new)
        if redaction is not None:
            self.removed.add(id)
            store[name] = b"".join(redactions.insert_redaction(new, redaction))

    def fork(self, store, name):
        if name in {session for _, session in self.streams}:
            return  # its copy of the stream would go on for ever
        into = f"{name}-{self.id('f')}"
        first, _, rest = store[name].partition(b"\n")
        header = {
            **orjson.loads(first),
            "id": into,
            "created": self.now(),
            "parent": {"session": name, "at": None},
        }
        store[into] = record(**header) + rest

    def remove(self, store, name):
        if name not in {session for _, session in self.streams}:
            del store[name]
            self.gone = True

    def clear(self, store, name):
        store[name] += record(type="clear", id=self.id("c"), ts=self.now())

    def gc(self, store, name):
        store[name] = b"".join(line for line in lines_of(store[name]) if b'"delta"' not in line)

    def persist(self, store, name):
        """Store messages by reference."""
        new_lines = []
        for line in lines_of(store[name]):
            [record] = parse(line).records or [None]
            made = None if record is None else to_references(record.data, record.raw, name, every=True)
            new_lines.append(line if made is None else orjson.dumps(made[0]) + b"\n")
        store[name] = b"".join(new_lines)

    def begin(self, store, name):
        """Start a stream that continues until `finish`; only one per session and machine."""
        machine = next(number for number, other in enumerate(self.stores) if other is store)
        if (machine, name) not in self.streams:
            id = self.streams[machine, name] = self.id("o")
            store[name] += record(type="open", id=id, ts=self.now(), kind="codeh", role="model")
        of = self.streams[machine, name]
        store[name] += record(type="delta", of=of, parts=[{"text": "more"}])
        if self.random.random() < 0.5:
            self.finish(machine, name)

    def finish(self, machine, name):
        """Commit or abort the stream on the machine where it began."""
        id = self.streams.pop((machine, name))
        end = record(type="abort", of=id, ts=self.now(), reason="cut")
        if self.random.random() < 0.7:
            self.added[id] = f"{id} {SECRET} streamed"
            end = record(type="commit", of=id, ts=self.now(), parts=[{"text": self.added[id]}])
        self.stores[machine][name] += end

    def twin(self, store, name):
        """Add a message under an id that other machines use for another one."""
        id, text = f"w{self.random.randrange(3)}", self.id("text")
        if f'"{id}"'.encode() not in store[name]:
            self.texts.add(text)
            parts = [{"text": text}]
            store[name] += record(
                type="message", id=id, ts=self.now(), kind="user", role="user", parts=parts
            )

    def tear(self, store, name):
        """A torn line of a writer that died, followed by another writer's line."""
        store[name] += b'{"type":"mess\n' + self.message()

    def message(self):
        id = self.id("m")
        self.added[id] = f"{id} {SECRET}"
        parts = [{"text": self.added[id]}]
        return record(type="message", id=id, ts=self.now(), kind="user", role="user", parts=parts)

    def id(self, kind):
        return f"{kind}{self.random.randrange(10**9)}"

    def now(self):
        self.clock += self.random.choice([0, 0, 1])  # clocks are coarse
        return f"2026-01-01T00:00:{self.clock // 1000:02}.{self.clock % 1000:03}Z"

    # -- syncs --------------------------------------------------------------------------------------------

    def sync(self, one, other, *, stop=None, live=False):
        """Sync two stores; `stop`: after this many writes, as if killed; `live`: others write meanwhile."""
        stores = [self.stores[one], self.stores[other]]
        while True:
            going_on = [
                {name: "" for at, name in self.streams if at == machine} for machine in (one, other)
            ]
            planned = plan(stores, going_on)
            self.left = self.left or bool(planned.left)
            for write in planned.writes[:stop]:
                if live and self.random.random() < 0.3:
                    self.edit()
                if stores[write.replica].get(write.session) != write.before:
                    break  # it has changed: planned again
                stores[write.replica][write.session] = write.after
            else:
                return

    def pair(self):
        one, other = self.random.sample(range(self.machines), 2)
        return one, other

    def round(self):
        """Sync all pairs in any order, once no stream is open.

        Once more where a session was left alone, because the end of a stream in it had not come there yet,
        and among more than three: settings that came to a branch before it lost its name come once more.
        """
        for machine, name in list(self.streams):
            self.finish(machine, name)
        pairs = [(a, b) for a in range(self.machines) for b in range(a)]
        for _ in range(2):
            self.left = False
            self.random.shuffle(pairs)
            for one, other in pairs:
                self.sync(one, other)
            if not self.left and self.machines < 4:
                return

    # -- what must hold -----------------------------------------------------------------------------------

    def wrong(self):
        """Why the stores break a promise after a round."""
        first = self.stores[0]
        for store in self.stores[1:]:
            if plan([first, store]).writes or contents_of(first) != contents_of(store):
                yield "the stores are not equal"
        text = b"".join(first.values()).decode()
        ids = {r.data.get("id") for data in first.values() for r in parse(data).records}
        if not self.gone and (lost := set(self.added) - ids):
            yield f"lost: {lost}"
        if not self.gone and (
            lost := {words for words in self.texts if words not in text and block(words) not in text}
        ):
            yield f"lost: {lost}"
        for id in self.removed if not self.gone else ():  # which may have been all that knew of it
            if f"{id} {SECRET}" in text:
                yield f"{id} was redacted, and is there"
        for name, data in first.items():
            yield from doubled(name, data)
        twins = [tuple(lines_of(data))[1:] for name, data in first.items() if name.count("-") <= 1]
        if len(set(twins)) < len(twins) and not self.gone and not any("-f" in name for name in first):
            yield "two sessions say the same"


def view(data):
    return fold(parse(data))


def contents_of(store):
    """A store's content, without deltas and damage, wherever parts are stored."""
    return {
        name: [content(record) for record in parse(data).records if record.data["type"] != "delta"]
        for name, data in store.items()
    }


def block(text):
    return block_of({"text": text})


def doubled(name, data):
    """Repeated ids, and lines before the record that they refer to."""
    ids = set()
    for record in parse(data).records:
        id, of = record.data.get("id"), record.data.get("of")
        if record.data["type"] not in ("session", "redaction"):
            if id in ids:
                yield f"{name}: {id} twice"
            about = [of] if of else record.data.get("covers", [])
            if not ids.issuperset(about):
                yield f"{name}: {record.data} before what it is about"
        if isinstance(id, str):
            ids.add(id)


HEAD = b'{"type":"session","version":1,"id":"a","created":"2026-01-01T00:00:00.000Z"}\n'
LINE = (
    b'{"type":"message","id":"m1","ts":"2026-01-01T00:00:00.000Z","kind":"user","role":"user","parts":[]}\n'
)
ODD = [HEAD, HEAD + LINE, LINE, HEAD + b"not JSON\n" + LINE, HEAD + LINE[:-9], HEAD + b"\n\n\xff\n" + LINE]
HEADER = b'{"type":"session","version":1,"id":"demo","created":"2026-01-01T00:00:00.000Z"}\n'


def record(**data):
    return orjson.dumps(data) + b"\n"


def message(id, text, second=1, **more):
    return record(
        type="message", id=id, ts=f"2026-01-01T00:00:{second:02}.000Z", kind="user", role="user",
        parts=[{"text": text}], **more,
    )  # fmt: skip


def opened(id):
    return record(type="open", id=id, ts="2026-01-01T00:01:00.000Z", kind="codeh", role="model")


def sync(home, url, *more, code=0):
    done = run_in_process("sync", url, *more, home=home)
    assert done.code == code, done
    return done


def sessions(home):
    return {path.stem: path.read_bytes() for path in (home / "sessions").glob("*.jsonl")}


def texts(home, session):
    done = run_in_process("show", session, "--jsonl", home=home)
    return [part["text"] for item in done.lines for part in item["parts"]]
