"""`make bench`: how fast, as ratios to the least that a Python program could do (docs/speed.md).

`--quick` measures small sessions, for a first look; `--cpu` compares processor time instead of time, for a
machine that others use too; names after it choose rows (`payload`, `list`, …).
"""

import os
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import coding
import data
import floors
import others
import served
import turns
from measure import Run, ratio

from codeh_history.store.cache import SETTLED

PROGRAM = str(Path(sys.executable).with_name("codeh-history"))
QUICK = "--quick" in sys.argv
CPU = "--cpu" in sys.argv
FORMATS = ("gemini", "openai-chat", "openai-responses", "anthropic")
VERBS = {
    "last": [], "show": [], "status": [], "list": None, "calls": [], "curate": [], "export": [], "search": ["x"],
}  # fmt: skip
ON_CODING = [  # of a session full of calls
    *((name, words, 1.3) for name, words in [
        ("curate", ["curate"]), ("status", ["status"]), ("stats", ["stats"]), ("show -n 20", ["show", "-n", "20"]),
        ("search", ["search", "needle"]), ("verify", ["verify"]), ("calls", ["calls"]), ("last", ["last"]),
    ]),
    ("redact", ["redact"], 4.0), ("export --to html", ["export", "--to", "html"], 3.0),
]  # fmt: skip


class Bench:
    """A scratch home, and the rows of the table one by one."""

    def __init__(self, root):
        self.root = root
        self.home = root / "home"
        self.sessions = self.home / "sessions"

    def program(self, *argv, home = None, stdin = os.devnull,
                before = None):  # fmt: skip
        return Run([PROGRAM, *argv], stdin, before, {"CODEH_HOME": str(home or self.home)})

    def script(self, source, *argv, stdin=os.devnull, env=None):
        path = self.root / f"floor{hash(source) & 0xFFFF}.py"
        path.write_text(source)
        return Run([sys.executable, str(path), *argv], stdin, None, env or {})

    @cache  # noqa: B019 - one Bench a process
    def session(self, count, size):
        return data.session(self.sessions / f"n{count}-{size}.jsonl", count, size)

    @property
    def empty(self):
        return self.script(floors.EMPTY, "one")

    # -- rows: name, bound, and what is measured -------------------------------------------------------

    def append(self):
        few, many = self.session(10, 300), self.session(100_000, 300)
        to_few, to_many = (self.program("append", "-s", path.stem, "-m", "hi") for path in (few, many))
        yield "append -m, to 10 records / empty app", 0.40, to_few, self.empty, 30
        yield "append -m, to 100,000 records / empty app", 0.40, to_many, self.empty, 30
        yield "append -m, to 100,000 / to 10 records", 1.10, to_many, to_few, 30

    def library(self):
        few = self.session(10, 302)
        environ = {"CODEH_HOME": str(self.home)}
        one, many = (self.script(floors.LIBRARY, few.stem, str(count), env=environ) for count in (1, 101))
        command = self.program("append", "-s", few.stem, "-m", "hi")
        yield "import codeh_history, an append / append -m", 1.2, one, command, 30
        yield "101 appends by the library / append -m", 3.0, many, command, 10

    def commands(self):
        small = data.session(self.root / "small" / "sessions" / "small.jsonl", 3, 100)
        for verb, arguments in VERBS.items():
            named = [] if arguments is None else [*arguments, "-s", small.stem]
            run = self.program(verb, *named, home=self.root / "small")
            yield f"{verb} / empty app", 1.00, run, self.empty, 15

    def payload(self):
        for name, path, bound in [
            ("10 records", self.session(10, 301), 1.0), ("5 MB of text", self.session(3316, 1500), 1.0),
            ("100,000 records", self.session(10_000 if QUICK else 100_000, 320), 1.8),
        ]:  # fmt: skip
            run = self.program("payload", path.stem, "--to", "gemini")
            yield f"payload, {name} / its floor", bound, run, self.script(floors.PAYLOAD, str(path)), 7

    def calls(self):
        small, large = (
            coding.session(self.sessions / f"coding{size}.jsonl", size) for size in (3_500_000, 10_000_000)
        )
        for path, size, bound in ((small, "3.5 MB", 1.1), (large, "10 MB", 1.5)):
            floor = self.script(floors.PAYLOAD, str(path))
            for to in FORMATS:
                run = self.program("payload", path.stem, "--to", to, "--model", "claude-sonnet-4-5")
                yield f"payload, {size} with calls, {to} / its floor", bound, run, floor, 7
        floor = self.script(floors.PAYLOAD, str(small))
        for name, words, bound in ON_CODING:
            run = self.program(*words, "-s", small.stem)
            yield f"{name}, 3.5 MB with calls / payload's floor", bound, run, floor, 5
        stages = f"curate -s {small.stem}", "compact - --budget 100k", "payload - --to anthropic --model m"
        pipe = " | ".join(f"{PROGRAM} {stage}" for stage in stages)
        run = Run(["/bin/sh", "-c", pipe], env={"CODEH_HOME": str(self.home)})
        yield "curate | compact - | payload -, 3.5 MB / the same", 3.0, run, floor, 5

    def compact(self):
        path = self.session(3316, 1500)
        tokens = self.root / "tiktoken"
        vocabulary(tokens)
        count = self.script(floors.COUNT, str(path), env={"TIKTOKEN_CACHE_DIR": str(tokens)})
        argv = ("compact", path.stem, "--budget", "100k")
        first = self.program(*argv, before=lambda: shutil.rmtree(self.home / "cache", ignore_errors=True))
        yield "compact 5 MB, first / counting", 1.2, first, count, 5
        again, floor = self.program(*argv), self.script(floors.PAYLOAD, str(path))
        yield "compact 5 MB, counts remembered / payload's floor", 2.0, again, floor, 7

    def jsonl(self):
        source = str(data.contents(self.root / "contents.jsonl", 10_000 if QUICK else 100_000, 300))
        target = self.sessions / "batch.jsonl"
        run = self.program(
            "append", "-s", "batch", "--jsonl", stdin=source, before=lambda: target.unlink(missing_ok=True)
        )
        floor = self.script(floors.REDUMP, stdin=source)
        yield "append --jsonl of 100,000 / parsing, re-dumping", 1.6, run, floor, 5

    def list(self):
        home = self.root / "many"
        directory = data.many(home / "sessions", 1000 if QUICK else 10_000)
        run, floor = self.program("list", home=home), self.script(floors.READ, str(directory))
        yield "list of 10,000 sessions, warm / reading them", 4.0, run, floor, 5
        shutil.rmtree(home)
        for number in range(4 if QUICK else 40):
            coding.session(directory / f"s{number}.jsonl", 3_500_000)
        time.sleep(SETTLED)  # the row of a session that changed just now is not cached
        yield "list of 40 sessions full of calls, warm / reading them", 4.0, run, floor, 5
        shutil.rmtree(home)

    def imports(self):
        """`import --all`: the first time, and when three of 2,000 sessions have grown by a line."""
        theirs, home = self.root / "theirs", self.root / "ours"
        others.large(theirs, self.program, 4 if QUICK else 12)
        environ = {"HOME": str(theirs), "CODEH_HOME": str(home)}
        every = Run([PROGRAM, "import", "--all"], env=environ)
        first = replace(every, before=lambda: shutil.rmtree(home, ignore_errors=True))
        cores = len(os.sched_getaffinity(0))
        floor = self.script(floors.REDUMP_ALL, str(theirs))
        yield f"import --all, first ({cores} cores) / parsing, re-dumping", 6.0, first, floor, 5
        shutil.rmtree(home)
        shutil.rmtree(theirs)
        grow = others.many(theirs, 200 if QUICK else 2000)
        every.once()
        walk = f"{sys.executable} {self.script(floors.WALK).argv[1]} {theirs} && "
        append = f" && {PROGRAM} append -s grown -m more"
        least = Run(["/bin/sh", "-c", f"{2 * walk}{PROGRAM} --version{3 * append}"], env=environ)
        again = replace(every, before=grow)
        yield "import --all of 2,000, three grown / 2 walks, start, 3 appends", 1.0, again, least, 7
        shutil.rmtree(home)

    def usage(self):
        home = self.root / "answered"
        data.answered(home / "sessions", 1000 if QUICK else 10_000)
        usage, listing = self.program("usage", home=home), self.program("list", home=home)
        yield "usage of 10,000 sessions with 100,000 responses, remembered / list", 2.0, usage, listing, 5
        shutil.rmtree(home)

    def memory(self):
        """Rows of megabytes: at 10⁶ records, and beside it at 10⁵."""
        less, more = (self.session(n // 10 if QUICK else n, 150).stem for n in (100_000, 1_000_000))
        for verb, arguments, bound in [
            ("append", ["-m", "x", "-s"], None), ("last", ["-s"], None), ("show", ["-n", "5", "-s"], None),
            ("search", ["zzz"], 100), ("list", [], 100), ("status", ["-s"], 200),
        ]:  # fmt: skip
            on_one = bool(arguments) and arguments[-1] == "-s"
            large = self.program(verb, *arguments, *([more] if on_one else [])).memory()
            if bound is None:
                bound = self.program(verb, *arguments, less).memory() * 1.1
            yield f"{verb} on 1,000,000 records, MB", bound, large


def vocabulary(directory):
    """tiktoken's own cache, filled from the installed package so that nothing is downloaded."""
    from hashlib import sha1

    from codeh_history.tokens import counter as ours

    directory.mkdir(exist_ok=True)
    url = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
    (directory / sha1(url.encode()).hexdigest()).write_bytes(ours._read("o200k_base"))


def tell(name, bound, measured, beside=""):
    verdict = "" if bound is None or measured <= bound else "  OVER"
    print(
        f"{name:56} {'' if bound is None else f'{bound:8.2f}':>8} {measured:9.2f}  {beside}{verdict}",
        flush=True,
    )


def main():
    wanted = [name for name in sys.argv[1:] if name not in ("--quick", "--cpu")]
    print(f"{'':56} {'bound':>8} {'measured':>9}")
    with tempfile.TemporaryDirectory(prefix="codeh-bench-") as root:
        bench = Bench(Path(root))
        for row in "append library commands payload calls compact jsonl list imports usage".split():
            if wanted and row not in wanted:
                continue
            try:
                for name, bound, subject, floor, rounds in getattr(bench, row)():
                    try:
                        measured, mine, theirs = ratio(subject, floor, 3 if QUICK else rounds, cpu=CPU)
                    except RuntimeError as error:
                        print(f"{name:56} {error}")
                        continue
                    tell(name, bound, measured, f"{mine:.0f} ms / {theirs:.0f} ms")
            except ImportError as error:
                print(f"{row:56} {error}")
        if not wanted or "serve" in wanted:
            measured, mine, theirs, bare = served.ratio(
                PROGRAM, bench.root / "served", 2 if QUICK else 7, cpu=CPU
            )
            beside = f"{mine:.1f} ms / {theirs:.0f} ms, less {bare:.1f} ms"
            tell("append through serve / append, syncing taken off", 0.10, measured, beside)
        if not wanted or "turns" in wanted:
            path = coding.session(bench.sessions / "turns.jsonl", 1_000_000 if QUICK else 5_000_000)
            folding, planning, both = turns.ratios(path, 5 if QUICK else 30)
            beside = {
                kind: f"{1000 * mine:.0f} ms / {1000 * theirs:.0f} ms"
                for kind, (mine, theirs) in both.items()
            }
            times = f"{beside['fold']}, {beside['count']}"
            tell("a turn of 5 MB by Session: fold, count / a process's", 0.40, folding, times)
            tell("the same: planning a budget / a process's", 0.80, planning, beside["plan"])
        if not wanted or "memory" in wanted:
            try:
                for name, bound, measured in bench.memory():
                    tell(name, bound, measured)
            except RuntimeError as error:
                print(f"memory: {error}")


if __name__ == "__main__":
    main()
