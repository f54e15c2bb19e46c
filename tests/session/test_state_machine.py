"""Whatever is done to a session, in any order: what was acknowledged is there, once, in its order.

Every rule is a real command (or an accident: a torn tail, a byte that flips). Expected is what is in the
file by the end of the command that acknowledged it; the views of a session are compared with those of a
clean file that holds only its undamaged lines.
"""

import shutil
import tempfile
from pathlib import Path

import orjson
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

import answers
from codeh_history import providers
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from in_process import run_in_process, run_ok
from length import examples

EXAMPLES = examples(150) // 6
STEPS = 20
MODEL = {to: ["--model", "m"] for to in providers.FORMATS} | {"gemini": []}
TEXTS = st.sampled_from(
    ["hello", "what is it?", "# IDE Context\nmain.py", "System: tick", "a\u2028b\x1b[31m", "日本", "  blank\n\n",
     "word " * 1500]
)  # fmt: skip
UNDOABLE = ("message", "summary", "compaction", "clear")
NUMBERS = st.integers(0, 10**6)


def is_json(line):
    try:
        orjson.loads(line)
    except ValueError:
        return False
    return True


class Session(RuleBasedStateMachine):
    """One session, and what is known about it."""

    keys = Bundle("keys")
    reverts = Bundle("reverts")

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp())
        self.path = self.home / "sessions" / "s.jsonl"
        self.data = b""  # what the file must hold
        self.contents = {}  # the parts of every message acknowledged, by id
        self.stored = {}  # of those not edited since
        self.number = 0

    def teardown(self):
        for format in MODEL:
            self.sends(format)
        shutil.rmtree(self.home)

    # -- what the rules are made of ---------------------------------------------------------------------

    def run(self, *argv, stdin=b"", replaces=False):
        """Run a command on the session; returns its result and the records it appended."""
        done = run_in_process(*argv, home=self.home, stdin=stdin)
        assert done.code in (0, 1, 3, 5, 65, 75), (argv, done)
        after = self.path.read_bytes() if self.path.exists() else b""
        if replaces:
            self.data = after
            return done, []
        assert after.startswith(self.data), argv
        assert not after or after.endswith(b"\n") or after == self.data
        new = [orjson.loads(line) for line in after[len(self.data) :].split(b"\n") if line.strip()]
        self.data = after
        return done, [record for record in new if record["type"] != "session"]

    def clean(self, *, without=None):
        """The view of a file with nothing but the undamaged lines; `without` what names this id or has it."""
        kept = [line for line in self.data.split(b"\n") if is_json(line)]
        if without is not None:
            kept = [line for line in kept if not named(line, without)]
        return fold(parse(b"\n".join(kept)))

    @property
    def view(self):
        return fold(parse(self.data))

    @initialize(texts=st.lists(TEXTS, max_size=12))
    def begin(self, texts):
        """Turns so far, stored all at once."""
        turns = [
            {"role": "model" if n % 2 else "user", "parts": [{"text": text}]}
            for n, text in enumerate(texts)
        ]
        if turns:
            lines = b"".join(orjson.dumps(turn) + b"\n" for turn in turns)
            done, new = self.run("append", "-s", "s", "--jsonl", stdin=lines)
            assert [record["parts"] for record in new] == [turn["parts"] for turn in turns]
            assert done.text.split() == [record["id"] for record in new]
            self.contents |= {record["id"]: record["parts"] for record in new}
            self.stored |= self.contents

    # -- rules: talk ------------------------------------------------------------------------------------

    @rule(text=TEXTS, role=st.sampled_from(["user", "model"]))
    def append(self, text, role):
        done, [record] = self.run("append", "-s", "s", "--role", role, "-F", "-", stdin=text.encode())
        self.acknowledged(done, record, [{"text": text.removesuffix("\n")}])

    @rule(target=keys, text=TEXTS)
    def append_with_key(self, text):
        self.number += 1
        key = f"k{self.number}"
        done, [record] = self.run("append", "-s", "s", "--key", key, "-F", "-", stdin=text.encode())
        self.acknowledged(done, record, [{"text": text.removesuffix("\n")}])
        return key, text

    @rule(key=keys, other=st.booleans())
    def retry(self, key, other):
        """Stored once, and never with other content; anew if it was damaged or undone meanwhile."""
        name, text = key
        text = "something else" if other else text
        before = [m for m in self.view.all.values() if m.fields.get("key") == name]
        done, new = self.run("append", "-s", "s", "--key", name, "-F", "-", stdin=text.encode())
        if not before:
            self.acknowledged(done, new[0], [{"text": text.removesuffix("\n")}])
        elif self.contents[before[0].id] == [{"text": text.removesuffix("\n")}]:
            assert (done.code, done.text, new) == (0, before[0].id, [])
        else:
            assert (done.code, new) == (65, [])

    @rule(name=st.sampled_from(["read", "grep"]))
    def call(self, name):
        self.number += 1
        call = {"id": f"call{self.number}", "name": name, "args": {"a": 1}}
        argv = ("--call", name, "--args", '{"a":1}', "--call-id", call["id"])
        done, [record] = self.run("append", "-s", "s", *argv)
        self.acknowledged(done, record, [{"functionCall": call}])

    @rule(number=NUMBERS, text=TEXTS)
    def answer(self, number, text):
        waiting = run_in_process("calls", "s", home=self.home).lines if self.data else []
        if waiting:
            call = waiting[number % len(waiting)]
            argv = ("--result", call["name"], "--call-id", call["id"], "-F", "-")
            done, [record] = self.run("append", "-s", "s", *argv, stdin=text.encode())
            self.acknowledged(done, record, record["parts"])

    @precondition(lambda self: self.data)
    @rule(
        format=st.sampled_from(sorted(answers.STREAMS)),
        step=st.sampled_from([1, 7, 300, 10**6]),
        share=st.floats(0, 1),
    )
    def stream(self, format, step, share):
        """A whole answer is stored as one; a cut one leaves what arrived, pending, and 75."""
        self.number += 1
        body = answers.STREAMS[format](f"r{self.number}")
        sent = body[: int(len(body) * share)] if share < 0.7 else body
        pieces = [sent[at : at + step] for at in range(0, len(sent), step)]
        done, new = self.run("append", "-s", "s", "--from", "auto", stdin=pieces)
        if sent is body:
            [opened] = [record for record in new if record["type"] in ("open", "message")]
            committed = new[-1]
            self.acknowledged(done, {**opened, "parts": committed["parts"]}, committed["parts"])
            if format != "ollama":  # its answers have no id: told again it is another answer
                again, none = self.run("append", "-s", "s", "--from", "auto", stdin=body)
                assert (again.code, again.text, none) == (0, done.text, [])
        elif done.code == 0:  # only its last bytes are missing
            assert new
        else:
            assert done.code in (65, 75)
            assert {record["type"] for record in new} <= {"open", "delta", "abort", "message"}

    # -- rules: change ----------------------------------------------------------------------------------

    @rule(number=NUMBERS, text=TEXTS, pending=st.booleans())
    def update(self, number, text, pending):
        texts = [
            m
            for m in self.view.messages
            if m.committed and m.blocks is None and "text" in (m.parts or [{}])[0]
        ]
        if texts:
            id = texts[number % len(texts)].id
            argv = ["--pending"] if pending else []
            self.run("update", "-s", "s", id, "-F", "-", *argv, stdin=text.encode())
            self.stored.pop(id, None)  # its content is no longer what was acknowledged first

    @precondition(lambda self: self.data)
    @rule()
    def commit(self):
        self.run("commit", "-s", "s")

    @rule()
    def clear(self):
        if len(self.view.messages) > 6:
            done, _ = self.run("clear", "-s", "s")
            assert done.code == 0
            assert not self.view.messages

    @precondition(lambda self: self.data)
    @rule(target=reverts)
    def undo(self):
        """The newest thing, as if it had never been written."""
        last = orjson.loads([line for line in self.data.split(b"\n") if is_json(line)][-1])
        done, new = self.run("undo", "-s", "s")
        if done.code == 1:
            assert new == []
            return ""
        taken = done.text.split()[1]
        assert taken == last.get("id") or last["type"] not in UNDOABLE
        assert shown(self.view) == shown(self.clean(without=taken))
        return str(new[0]["id"])

    @rule(id=reverts)
    def redo(self, id):
        if any(named(line, id) for line in self.data.split(b"\n") if is_json(line)):
            done, _ = self.run("undo", "-s", "s", "--id", id)
            assert done.code in (0, 3)  # 3: it is undone already

    # -- rules: shrink ----------------------------------------------------------------------------------

    @precondition(lambda self: self.data)
    @rule(share=st.sampled_from([0.3, 0.6, 0.9]))
    def compact(self, share):
        """Reversible: taken back, it is as if it had never run."""
        before = shown(self.view)
        [size] = run_in_process("stats", "s", "--json", "--counter", "approx", home=self.home).lines
        budget = str(max(1, int(size["tokens"]["total"] * share)))
        done, new = self.run("compact", "-s", "s", "-i", "--budget", budget, "--counter", "approx")
        if new:
            assert done.code == 0
            assert shown(self.clean(without=new[0]["id"])) == before
        else:
            assert shown(self.view) == before

    @precondition(lambda self: self.data)
    @rule()
    def summarize(self):
        done, new = self.run(
            "summarize", "s", "-i", "--max-conversations", "1", "--min-batch", "1", "--counter", "approx"
        )
        assert done.code == 0
        records = [orjson.loads(line) for line in self.data.split(b"\n") if is_json(line)]
        for record in new:
            ids = {other.get("id") for other in records} | set(self.view.all)
            assert {covered.partition(".")[0] for covered in record["covers"]} <= ids  # of an op: ID.N

    @precondition(lambda self: self.data)
    @rule()
    def repair(self):
        self.run("repair", "-s", "s", "-i")

    @precondition(lambda self: self.data)
    @rule(format=st.sampled_from(sorted(MODEL)))
    def curate_in_a_pipe(self, format):
        stream = run_in_process("curate", "s", home=self.home)
        piped = run_in_process(
            "payload", "-", "--raw", "--to", format, *MODEL[format], home=self.home, stdin=stream.out
        )
        direct = run_in_process("payload", "s", "--to", format, *MODEL[format], home=self.home)
        assert (piped.code, piped.out) == (direct.code, direct.out)

    # -- rules: what replaces the file ------------------------------------------------------------------

    @precondition(lambda self: self.data)
    @rule(command=st.sampled_from(["persist s -i --all", "persist s -i", "hydrate s -i", "gc --yes"]))
    def replace(self, command):
        """No view changes, and no damaged line goes."""
        before = self.printed()
        bad = [line for line in self.data.split(b"\n") if line and not is_json(line)]
        done, _ = self.run(*command.split(), replaces=True)
        assert done.code == 0
        assert self.printed() == before
        assert [line for line in self.data.split(b"\n") if line and not is_json(line)] == bad

    @precondition(lambda self: self.data)
    @rule()
    def fork(self):
        self.number += 1
        name = f"fork{self.number}"
        done, new = self.run("fork", "s", "--into", name)
        assert (done.code, new) == (0, [])
        assert self.printed(name) == self.printed()
        run_in_process("rm", name, home=self.home)

    # -- rules: accidents -------------------------------------------------------------------------------

    @precondition(lambda self: self.data)
    @rule(share=st.floats(0.05, 0.99))
    def crash(self, share):
        """A writer dies in the middle of a record."""
        line = b'{"type":"message","id":"torn","kind":"user","role":"user","parts":[{"text":"never acknowledged"}]}'
        self.data += line[: int(len(line) * share)]
        self.path.write_bytes(self.data)

    @rule(number=NUMBERS, place=NUMBERS, byte=st.sampled_from([0x00, 0xFF, 0x0B]))
    def flip(self, number, place, byte):
        """A byte of a line becomes one that no JSON holds; the header is spared."""
        lines = self.data.split(b"\n")
        whole = [n for n, line in enumerate(lines) if n and is_json(line)]
        deltas = [n for n in whole if lines[n].startswith(b'{"type":"delta"')]  # as many as the clock makes
        whole = deltas if number % 5 == 0 else [n for n in whole if n not in deltas]
        if whole:
            chosen = whole[number % len(whole)]
            record = orjson.loads(lines[chosen])
            if record["type"] == "commit":
                self.stored.pop(
                    record["of"], None
                )  # of its stream, only what had been written before is left
            line = bytearray(lines[chosen])
            line[place % len(line)] = byte
            lines[chosen] = bytes(line)
            self.data = b"\n".join(lines)
            self.path.write_bytes(self.data)

    # -- what always holds ------------------------------------------------------------------------------

    def acknowledged(self, done, record, parts):
        assert done.code == 0, done
        assert done.text == record["id"]
        assert record["parts"] == parts
        assert record["id"] not in self.contents
        self.contents[record["id"]] = self.stored[record["id"]] = parts

    @invariant()
    def nothing_is_lost_doubled_or_moved(self):
        """Every undamaged line counts as if there were no damaged ones."""
        if not self.data:
            return
        assert self.path.read_bytes() == self.data
        assert list(self.path.parent.glob(".*")) == []
        view = self.view
        assert shown(view) == shown(self.clean())
        places = [message.place for message in view.messages if message.after is None]
        assert places == sorted(places)
        for message in view.all.values():
            if message.id in self.stored and message.own is not None:
                assert message.own == self.stored[message.id]

    @invariant()
    def the_commands_show_it(self):
        if not self.data:
            return
        listed = run_in_process("show", "s", "--jsonl", home=self.home)
        assert [line["id"] for line in listed.lines] == [message.id for message in self.view.messages]
        [verdict] = run_in_process("verify", "s", "--json", home=self.home).lines
        offset = 0
        bad = []
        for line in self.data.split(b"\n"):
            if line and not is_json(line):
                bad.append(offset)
            offset += len(line) + 1
        assert [p["offset"] for p in verdict["problems"] if "id" not in p and p["offset"] in bad] == bad
        self.number += 1
        self.sends(sorted(MODEL)[self.number % len(MODEL)])

    def sends(self, format):
        """A request that its provider takes, or a word why there is none."""
        if not self.data:
            return
        done = run_in_process("payload", "s", "--to", format, *MODEL[format], home=self.home)
        if done.code == 0:
            assert providers.Format(format).problems(orjson.loads(done.out)) == []
        else:
            assert (done.code, done.out) == (65, b"")

    def printed(self, session="s"):
        """What a session says, wherever its content lies."""
        done = run_ok("show", session, "--jsonl", home=self.home)
        return done.lines


def named(line, id):
    """Whether a line is the record of this id, or the revert of it."""
    data = orjson.loads(line)
    return isinstance(data, dict) and (
        data.get("id") == id or (data.get("type") == "revert" and data.get("of") == id)
    )


def shown(view):
    return (
        [(m.id, m.parts, m.pending) for m in view.messages],
        [(s.id, s.text) for s in view.summaries],
        view.meta,
    )


TestSession = Session.TestCase
TestSession.settings = settings(max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None)
