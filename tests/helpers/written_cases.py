"""Sessions written for other programs, and what each program sends when it resumes its file.

A case is a folder of `tests/programs/agents/written`: `about` (one line), a `session.jsonl` of ours or the name of
another program's case in `from`, and for each program that goes on with it a record `PROGRAM.json`. Beside them
`again.json` says of each case of `cases/` whether its program sends the same when it goes on with what we write of it.
"""

import hashlib
import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import sent
from agent_cases import CASES, Case, cases, complaint, done, read, turns_of
from codeh_history.programs.registry import WRITTEN
from codeh_history.session.model import SUMMARY_HEAD
from coding_agents import AGENTS, PROJECT, run_written
from in_process import run_in_process, write_session
from support import NOW, ROOT

FOLDER = ROOT / "tests" / "programs" / "agents" / "written"
WRAPPED = re.compile(rf"<state_snapshot>\n({re.escape(SUMMARY_HEAD)}.*)\n</state_snapshot>", re.DOTALL)
AGAIN = FOLDER / "again.json"
SEED = {"CODEH_ID_SEED": "written", "CODEH_NOW": NOW}
OURS = "session.jsonl"
ROUND = FOLDER / "parallel" / OURS  # the session that goes through all programs
THROUGH = FOLDER / "through-all.json"
LONGEST = 20_000  # characters of turns that a record holds; of more their number and hash


@dataclass(frozen=True)
class Written:
    """A session written for a program."""

    program: str
    session: Path

    @property
    def speaks(self):
        return AGENTS[self.program].speaks

    def live(self, file):
        """What the program sends, with the number of thoughts; its message (`says`) if it sends nothing."""
        ran = run_written(self.program, self.session)
        head = {
            "program": self.program,
            "version": AGENTS[self.program].version,
            "file": hash_of(self.data()),
        }
        if ran.request is None:
            return {**head, "says": complaint(ran.printed)}
        return {**head, **shown(sent.turns(self.speaks, ran.request))}

    def hash(self):
        """The hash of the file, which identifies it in a record."""
        return hash_of(self.data())

    def data(self):
        """The written file, the same each time."""
        words = ["export", str(self.session), "--to", self.program, "--cwd", PROJECT, "--quiet"]
        with tempfile.TemporaryDirectory() as home:
            made = run_in_process(*words, home=home, env=SEED)
        assert made.code == 0, made.err.decode()
        return made.out


@dataclass(frozen=True)
class Shared:
    """A case to write for each program."""

    folder: Path

    @property
    def about(self):
        return (self.folder / "about").read_text().rstrip("\n")

    @property
    def session(self):
        pointer = self.folder / "from"
        if not pointer.exists():
            return self.folder / OURS
        return Case(*_split(pointer.read_text().strip())).session

    def record(self, program):
        return self.folder / f"{program}.json"


def write(path, text):
    """Write a record; return whether it changed."""
    changed = not path.exists() or path.read_text() != text
    path.write_text(text)
    return changed


def line(value):
    return json.dumps(value, ensure_ascii=False)


def shared():
    """Each case with each program that has a writer."""
    cases = [Shared(about.parent) for about in sorted(FOLDER.glob("*/about"))]
    return [(one, Written(program, one.session)) for one in cases for program in WRITTEN]


def through_all():
    """A session that each program in turn has resumed, as sent to Anthropic."""
    with tempfile.TemporaryDirectory() as folder:
        session = ROUND
        for program in WRITTEN:
            copy = Path(folder, program, OURS)
            copy.parent.mkdir()
            ran, session = run_written(program, session, copy), copy
            assert ran.request is not None, f"{program}: {ran.printed}"
        return {"programs": list(WRITTEN), "turns": spoken(ours(session, "anthropic", Path(folder)))}


def spoken(turns):
    """The turns with numbers in place of call ids; adjacent texts are merged, and a result `{}` is empty."""
    result = sent.numbered(turns)
    for turn in result:
        parts = []
        for part in turn["parts"]:
            if "result" in part and part["text"] == "{}":
                part = {**part, "text": ""}
            if parts and part.keys() == parts[-1].keys() == {"text"}:
                parts[-1] = {"text": parts[-1]["text"] + part["text"]}
            else:
                parts.append(part)
        turn["parts"] = parts
    return result


def again():
    """Each session of a program, written for the same program."""
    return [(case, Written(case.program, case.session)) for case in cases() if case.program in WRITTEN]


def shown(turns):
    """The turns in a record: without thoughts, which are only counted."""
    thoughts, kept = without_thoughts(turns)
    counted = {"thoughts": thoughts} if thoughts else {}
    if len(json.dumps(kept)) <= LONGEST:
        return {**counted, "turns": kept}
    return {**counted, "sha256": digest(kept), "count": len(kept)}


def without_thoughts(turns):
    """The number of thoughts, and the turns without them and without our heading of summaries."""
    kept = [
        {**turn, "parts": [_unheaded(part) for part in turn["parts"] if not _is_thought(part)]}
        for turn in turns
    ]
    count = sum(len(turn["parts"]) for turn in turns) - sum(len(turn["parts"]) for turn in kept)
    return count, [turn for turn in kept if turn["parts"]]


def _is_thought(part):
    return "thought" in part or part.get("native") in ("redacted_thinking", "reasoning")


def _unheaded(part):
    if part.keys() != {"text"}:
        return part
    wrapped = WRAPPED.fullmatch(part["text"])
    return {"text": (wrapped[1] if wrapped else part["text"]).removeprefix(f"{SUMMARY_HEAD}\n\n")}


def ours(session, speaks, home):
    """The turns without thoughts that we would send next for a session or another program's file."""
    id = session.parent.name
    if session.name == OURS:
        write_session(home, session.read_bytes(), id)
    else:
        id = done("import", str(session), "--quiet", home=home)
    return without_thoughts(turns_of(id, speaks, home))[1]


def table():
    """A Markdown table, per program, of written sessions, how many are sent unchanged, and each difference."""
    lines = [
        "| program | sessions written | sent equal | its own, again | sent equal |",
        "|---|---|---|---|---|",
    ]
    reasons = {}
    for program in WRITTEN:
        counts = []
        new = {
            f"written/{one.folder.name}": read(one.record(program))
            for one, made in shared()
            if made.program == program
        }
        own = {case.id: read(AGAIN).get(case.id, {}) for case, made in again() if made.program == program}
        for records in (new, own):
            different = {id: record["why"] for id, record in records.items() if "why" in record}
            counts += [len(records), len(records) - len(different)]
            for id, why in different.items():
                reasons.setdefault(why, []).append(f"`{id}`" if records is own else f"`{id}` ({program})")
        lines.append(f"| {program} | {' | '.join(map(str, counts))} |")
    lines += ["", "| difference, and why | sessions |", "|---|---|"]
    lines += [f"| {why} | {', '.join(names)} |" for why, names in sorted(reasons.items())]
    return "\n".join(lines) + "\n"


def digest(turns):
    return hash_of(json.dumps(turns, sort_keys=True).encode())


def hash_of(data):
    return hashlib.sha256(data).hexdigest()[:16]


def _split(id):
    return id.partition("/")[0], CASES / id
