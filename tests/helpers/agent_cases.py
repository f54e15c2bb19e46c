"""Hand-made sessions of other programs, and the recorded request that each program sends next."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import sent
from codeh_history.session.model import SUMMARY_HEAD
from coding_agents import AGENTS, OLDER_AGENTS, PROMPT, run
from in_process import run_ok
from support import ROOT

CASES = ROOT / "tests" / "programs" / "agents" / "cases"
COLOUR = re.compile(r"\x1b\[[\d;]*m")
NOT_THE_SESSION = ("about", "request.json", "request.older.json", "ours.json")
MODELS = {"anthropic": "claude-opus-4-8", "openai-responses": "gpt-5-codex", "openai-chat": "loopback-model",
          "gemini": "gemini-3-pro-preview"}  # fmt: skip


@dataclass(frozen=True)
class Case:
    program: str
    folder: Path

    @property
    def id(self):
        return f"{self.program}/{self.folder.name}"

    @property
    def about(self):
        return (self.folder / "about").read_text().rstrip("\n")

    @property
    def record(self):
        return self.folder / "request.json"

    @property
    def older(self):
        """The request of an older version, if that sends something else."""
        return self.folder / "request.older.json"

    @property
    def chosen(self):
        """The file with our deliberately different request, and the reason."""
        return self.folder / "ours.json"

    @property
    def session(self):
        """The session's file, the last by name; it continues those before it."""
        files = (path for path in self.folder.iterdir() if path.is_file())
        return max(path for path in files if path.name not in NOT_THE_SESSION)

    def write_session(self, data, folder):
        """Write other bytes for the session, and its neighbours, to a folder; return its path."""
        path = folder / self.session.name
        path.write_bytes(data)
        beside = self.session.with_suffix("")
        if beside.is_dir():
            shutil.copytree(beside, path.with_suffix(""))
        return path

    def live(self, *, older=False):
        """What the installed program sends: its `turns`, or the message it prints (`says`) if it sends nothing."""
        agent = (OLDER_AGENTS if older else AGENTS)[self.program]
        ran = run(agent, self.session)
        head = {"program": self.program, "version": agent.version}
        if ran.request is None:
            return {**head, "says": complaint(ran.printed)}
        return {**head, "turns": sent.turns(agent.speaks, ran.request)}


def complaint(printed):
    lines = [line for line in COLOUR.sub("", printed).splitlines() if line.strip()]
    wrong = [line for line in lines if "rror" in line or "ailed" in line]
    return (wrong or lines or [""])[0][:200]


def cases(program="*"):
    """All cases, or those of a program, sorted by name."""
    return [Case(folder.parent.name, folder) for folder in sorted(CASES.glob(f"{program}/*"))]


def read(path):
    """Read a record, or a table of records; empty if there is none."""
    content = json.loads(path.read_bytes()) if path.exists() else {}
    assert isinstance(content, dict)
    return content


def recorded(case):
    return read(case.record)


def older(case):
    """What the older version sends: its own record, or the same as the newer one."""
    if case.older.exists():
        return read(case.older)
    pinned = read(CASES.parent / "older" / "package.json")["dependencies"]
    return {**recorded(case), "version": pinned[AGENTS[case.program].package]}


def chosen(case):
    return read(case.chosen)


def ours(case, home):
    """The turns that we would send next to the program's provider."""
    id = done("import", str(case.session), "--quiet", home=home)
    turns = turns_of(id, AGENTS[case.program].speaks, home)
    for part in turns[0]["parts"] if turns else []:
        if "text" in part:  # a summary goes under a heading of ours
            part["text"] = part["text"].removeprefix(f"{SUMMARY_HEAD}\n\n")
    return turns


def turns_of(id, speaks, home):
    """The turns that we would send to a provider if the prompt were appended to this session."""
    done("append", "-s", id, "-m", PROMPT, home=home)
    body = done("payload", id, "--to", speaks, "--model", MODELS[speaks], "--raw", home=home)
    return sent.turns(speaks, json.loads(body))


def done(*argv, home):
    return run_ok(*argv, home=home).text


def table():
    """A Markdown table of each program's versions, number of cases, equal requests and deliberate differences."""
    lines = ["| program | version | cases | equal | different, by choice |", "|---|---|---|---|---|"]
    reasons = {}
    for program in AGENTS:
        versions = {}
        for case in cases(program):
            records = [recorded(case)]
            if program in OLDER_AGENTS:
                records.append(older(case))
            why = chosen(case)["why"] if case.chosen.exists() else None
            for record in records:
                reason = record.get("why", why)
                versions.setdefault(record["version"], []).append(reason)
                if reason:
                    reasons.setdefault(reason, {})[f"`{case.id}`"] = None
        for version, differences in versions.items():
            different = sum(reason is not None for reason in differences)
            equal = len(differences) - different
            lines.append(f"| {program} | {version} | {len(differences)} | {equal} | {different} |")
    lines += ["", "| difference, and why | cases |", "|---|---|"]
    lines += [f"| {why} | {', '.join(names)} |" for why, names in sorted(reasons.items())]
    return "\n".join(lines) + "\n"


def written(record):
    """A record as stored in its file: one line per part, for readable diffs."""
    head = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in record.items() if key != "turns"]
    if "turns" in record:
        turns = [_turn(turn) for turn in record["turns"]]
        head.append('  "turns": [\n' + ",\n".join(turns) + "\n  ]")
    return "{\n" + ",\n".join(head) + "\n}\n"


def _turn(turn):
    parts = ",\n".join(f"      {json.dumps(part, ensure_ascii=False)}" for part in turn["parts"])
    return f'    {{"role": {json.dumps(turn["role"])}, "parts": [\n{parts}\n    ]}}'
