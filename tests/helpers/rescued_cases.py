"""Damaged sessions of programs: what each program sends when it resumes one, before and after `rescue`.

`damage` makes them from good cases, the same each time. `tests/programs/agents/rescued/PROGRAM.json` records each outcome:
`rescued` by us (the program sends the whole rescued file), and what the program does with it by `itself`.
"""

import json
import random
import re
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import damage
import sent
from agent_cases import CASES, Case, complaint, turns_of
from codeh_history.filters.curate.pairs import LOST
from codeh_history.providers.turns import CONTINUATION
from coding_agents import AGENTS, run, run_written
from in_process import run_in_process
from support import ROOT
from written_cases import hash_of, without_thoughts

FOLDER = ROOT / "tests" / "programs" / "agents" / "rescued"
EACH = 32  # damaged sessions of a program
NOTHING = "nothing is left to read"
GOOD = {
    "claude-code": ("parallel", "compacted", "plain", "images", "branch"),
    "codex": ("parallel", "custom-tool", "plain", "images"),
    "gemini-cli": ("parallel", "tool-call", "plain", "image"),
    "qwen-code": ("parallel", "compressed", "plain", "image"),
    "opencode": ("tool", "steps", "parallel", "image"),
    "kilo": ("tool", "steps", "parallel", "image"),
    "pi": ("parallel", "compacted", "plain", "images"),
    "copilot-cli": ("parallel", "compacted", "plain", "images"),
}
INTERRUPTED = "[The previous response was interrupted before it completed.]"
# Claude Code's and Gemini CLI's, after an interruption; ours, where a user must be the first.
OWN_TEXTS = ("Continue from where you left off.", "(no content)", INTERRUPTED, CONTINUATION)
OWN_WORDS = (
    "aborted",
    "ool execution was interrupted",
    "or a previous tool was interrupted",
    "No result provided",
    "[Tool execution was interrupted]",
    LOST,
    f"Error: {LOST}",
)


@dataclass(frozen=True)
class Damaged:
    """A damaged session: its case, its damage and its bytes."""

    program: str
    of: Case
    kind: str
    data: bytes

    @property
    def id(self):
        return f"{self.kind}/{self.of.folder.name}"

    def write_session(self, folder):
        return self.of.write_session(self.data, folder)


def every(program):
    """The damaged sessions of a program: each kind of damage in turn, applied to one case after the other."""
    cases = {}
    for case in _drawn(program):
        cases.setdefault(case.data, case)
        if len(cases) == EACH:
            break
    return list(cases.values())


def _drawn(program):
    for turn, name in enumerate(GOOD[program] * 4):
        case = Case(program, CASES / program / name)
        whole = case.session.read_bytes()
        for kind in damage.KINDS:
            drawn = random.Random(f"{program} {name} {kind} {turn}")
            data, done = damage.damaged(drawn, whole, [kind])
            if done and data != whole:
                yield Damaged(program, case, kind, data)


def wanted(case, home):
    """The turns that a program should send: all of the rescued session; None if nothing can be read."""
    speaks = AGENTS[case.program].speaks
    shutil.rmtree(home / "sessions", ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.jsonl"
        made = run_in_process(
            "rescue", str(case.write_session(Path(folder))), "--output", str(out), "--quiet", home=home
        )
        assert made.code in (0, 65), made.err.decode()
        if made.code:
            return None
        run_in_process("import", str(out), "--quiet", "--into", "rescued", home=home)
        if not (home / "sessions" / "rescued.jsonl").exists():  # it is one of ours
            (home / "sessions").mkdir(exist_ok=True)
            shutil.copy(out, home / "sessions" / "rescued.jsonl")
    return without_thoughts(turns_of("rescued", speaks, home))[1]


def live(case, turns):
    """The outcome with the real program; `turns`: those expected."""
    head = {"file": hash_of(case.data)}
    if turns is None:
        return {**head, "rescued": NOTHING, "itself": NOTHING}
    with tempfile.TemporaryDirectory() as folder:
        path = case.write_session(Path(folder))
        ours = run_written(case.program, path, verb="rescue")
        outcome = _outcome(turns, ours.request, ours.printed, case.program)
        return {**head, "rescued": outcome, "itself": itself(case, path, turns)}


def itself(case, path, turns):
    """What the program does with the damaged file."""
    try:
        ran = run(AGENTS[case.program], path)
    except ValueError as error:
        return f"does not read it: {error}"
    return _outcome(turns, ran.request, ran.printed, case.program)


def _outcome(wanted, request, printed, program):
    """What a program sends compared with the whole session: `yes`, or the difference."""
    if request is None:
        return f"does not go on: {complaint(printed)[:80]}"
    turns = without_thoughts(sent.turns(AGENTS[program].speaks, request))[1]
    if turns == wanted:
        return "yes"
    broken = unpaired(turns)
    if broken:
        return f"its provider refuses: {broken}"
    if program in ("opencode", "kilo"):
        turns, wanted = _as_opencode(turns), _as_opencode(wanted)
    kept, had = _parts(turns), _parts(wanted)
    lost = sum((had - kept).values())
    if lost:
        return f"forgets {lost} of {sum(had.values())} parts"
    more = sum((kept - had).values())
    return f"sends {more} parts more" if more else "yes"


def _parts(turns):
    """Count all content by part, without placeholders for lost content."""
    counts = Counter()
    for turn in turns:
        for part in turn["parts"]:
            if part.get("text") in OWN_TEXTS and "result" not in part:
                continue
            if "result" in part and any(words in json.dumps(part) for words in OWN_WORDS):
                continue
            counts[json.dumps({**part, "role": turn["role"]}, sort_keys=True)] += 1
    return counts


def _as_opencode(turns):
    """Turns without what opencode sends otherwise: it joins the texts of a step, and says of no result that it failed."""
    converted = []
    for turn in turns:
        parts = []
        for part in turn["parts"]:
            error = (
                json.loads(part["text"]).get("error")
                if part.get("text", "").startswith('{"error"')
                else None
            )
            shown = {**part, "text": error} if "result" in part and error else part
            if parts and parts[-1].keys() == shown.keys() == {"text"}:
                parts[-1] = {"text": parts[-1]["text"] + shown["text"]}
            else:
                parts.append(shown)
        converted.append({**turn, "parts": parts})
    return converted


def unpaired(turns):
    """What is wrong with calls and results; empty if each call has one result right after it."""
    waiting = []
    for turn in turns:
        if turn["role"] == "user":
            for part in turn["parts"]:
                if "result" in part:
                    if part["result"] not in waiting:
                        return "a result without its call"
                    waiting.remove(part["result"])
        if waiting:
            return "a call without a result"
        waiting = [part["id"] for part in turn["parts"] if "call" in part]
    return "a call without a result" if waiting else ""


def table():
    """Per program, how many damaged sessions `rescue` and the program itself saved, and the other outcomes."""
    lines = [
        "| program | damaged sessions | rescued by us | by itself | what it does instead |",
        "|---|---|---|---|---|",
    ]
    for path in sorted(FOLDER.glob("*.json")):
        outcomes = list(json.loads(path.read_bytes()).values())
        instead = Counter(_instead(outcome["itself"]) for outcome in outcomes if outcome["itself"] != "yes")
        reasons = "; ".join(f"{what} ({count})" for what, count in instead.most_common())
        by_us = sum(outcome["rescued"] == "yes" for outcome in outcomes)
        lines.append(
            f"| {path.stem} | {len(outcomes)} | {by_us} | {len(outcomes) - instead.total()} | {reasons} |"
        )
    return "\n".join(lines) + "\n"


def _instead(outcome):
    """An outcome without details that differ between sessions."""
    if outcome.startswith("does not"):
        return "does not go on with it"
    return re.sub(
        r" \d+ of \d+ parts", " a part of it", re.sub(r" \d+ parts more", " what was replaced", outcome)
    )
