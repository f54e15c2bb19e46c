"""The histories that are made smaller, as plain messages: recorded sessions cut in two, and made-up ones."""

import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "helpers"))

import orjson

from codeh_history import providers
from codeh_history.providers.request import Options
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from codeh_history.tokens.counter import open_counter
from codeh_history.tokens.formula import history_tokens, summary_text
from support import MODELS as EVERY
from support import ROOT

MODELS = {to: model for to, model in EVERY.items() if to != "ollama"}  # which refuses nothing
HEAD = {"type": "session", "version": 1, "id": "s", "created": "2026-01-02T03:04:05.000Z"}
CUTS = (0.5, 0.6, 0.7, 0.8)  # where a recorded session is cut, as a share of its messages
_COUNTER = []


def counter():
    """The one counter that judges all; it keeps nothing on disk."""
    if not _COUNTER:
        _COUNTER.append(open_counter(None))
    return _COUNTER[0]


@dataclass(frozen=True)
class Case:
    """A history to be made smaller, and the messages that came after it."""

    name: str
    contents: list
    later: list = ()

    @cached_property
    def view(self):
        return view_of(self.contents)

    @cached_property
    def size(self):
        return size_of(self.view)


def size_of(view):
    return history_tokens(counter(), view.messages, summaries=[summary.text for summary in view.summaries])


def contents_of(view):
    """What a model gets to see of a view: the summaries as one record, then the messages."""
    texts = [summary.text for summary in view.summaries]
    head = [{"role": "user", "parts": [{"text": summary_text(texts)}]}] if texts else []
    return head + [{"role": m.role, "parts": m.parts} for m in view.messages if m.role and m.parts]


def sessions():
    """The recorded sessions that are long enough: a coding session, and support conversations in a row."""
    root = Path(os.environ.get("CODEH_CORPUS") or ROOT.parent / "shared" / "corpus")
    if not root.is_dir():
        return {}
    from recorded import coding, support

    joined = [c for number, messages in enumerate(support()) for c in plain(messages, f"s{number}-")]
    return {"coding": plain(coding()), "support": joined}


def cut(name, contents):
    """The session as it stood before a model's turn, at each of the cuts."""
    for share in CUTS:
        place = int(len(contents) * share)
        while contents[place]["role"] != "model":
            place += 1
        yield Case(f"{name} {share:.0%}", contents[:place], contents[place:])


def generated(count, seed=1):
    """Histories made of one seed: exchanges, agent loops, parallel calls, large results, a prompt or a result last."""
    from compact.long import Writer

    rng = Random(seed)
    for number in range(count):
        writer = Writer()
        for _ in range(rng.choice([1, 2, 4, 8])):
            writer.step(rng.randint(4, 12), rng.getrandbits(30))
        contents = _requested(writer.records[1:])
        if contents:
            yield Case(f"generated {number}", contents)


def _requested(records):
    """The messages up to the last one that asks a model for more."""
    messages = plain([record for record in records if record["type"] == "message"])
    while messages and messages[-1]["role"] == "model":
        messages.pop()
    return messages


def plain(messages, prefix=""):
    """Messages of text, calls and results alone, each of which is one chat message.

    Every call gets an id of its own; one that nobody answered and an answer to nothing are left out, so that
    what comes in is what every provider takes.
    """
    contents = []
    waiting = []  # the calls as given, and as they stand in `contents`
    answered = set()
    for number, message in enumerate(messages):
        parts = []
        for place, part in enumerate(message.get("parts") or ()):
            if "functionCall" in part:
                call = part["functionCall"]
                id = f"{prefix}c{number}-{place}"
                new = {"id": id, "name": call["name"], "args": call.get("args") or {}}
                waiting.append((call, new))
                parts.append({"functionCall": new})
            elif "functionResponse" in part:
                answer = part["functionResponse"]
                match = next((pair for pair in waiting if _answers(answer, pair[0])), None)
                if match is not None:
                    waiting.remove(match)
                    answered.add(match[1]["id"])
                    contents.append({"role": "user", "parts": [_answer(answer, match[1])]})
            elif part.get("text") and not part.get("thought"):
                parts.append({"text": part["text"]})
        if parts and message.get("role"):
            contents.append({"role": message["role"], "parts": _joined(parts)})
    return [kept for content in contents if (kept := _answered(content, answered))["parts"]]


def _answers(answer, call):
    return answer["name"] == call["name"] and answer.get("id") == call.get("id")


def _answer(answer, call):
    content = answer.get("response")
    text = content.get("output") if isinstance(content, dict) and content.keys() == {"output"} else content
    output = text if isinstance(text, str) else orjson.dumps(text).decode()
    return {"functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": output}}}


def _answered(content, answered):
    calls = ((part, part.get("functionCall")) for part in content["parts"])
    return {**content, "parts": [part for part, call in calls if call is None or call["id"] in answered]}


def _joined(parts):
    texts = [part["text"] for part in parts if "text" in part]
    head = [{"text": "\n".join(texts)}] if texts else []
    return head + [part for part in parts if "functionCall" in part]


def refused(contents):
    """The providers that would refuse these messages word for word, each with its first reason."""
    if not contents:
        return dict.fromkeys(MODELS, "nothing")
    messages = view_of(contents).messages
    problems = {}
    for format, model in MODELS.items():
        provider = providers.Format(format)
        body = provider.request(messages, Options(model=model, faithful=True), []).body
        if reasons := provider.problems(body):
            problems[format] = str(reasons[0])
    return problems


def view_of(contents):
    records = [{"type": "message", "id": f"m{n}", "ts": None, **c} for n, c in enumerate(contents)]
    return fold(parse(b"".join(orjson.dumps(record) + b"\n" for record in (HEAD, *records))))


def table(head, rows):
    """A table in Markdown, row by row as they come."""
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)
