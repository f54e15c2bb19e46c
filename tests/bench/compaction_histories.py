"""The histories that are made smaller: recorded sessions cut in two, and made-up ones of every kind."""

import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "helpers"))

from compaction_chat import plain, view_of

from codeh_history.tokens.counter import open_counter
from codeh_history.tokens.formula import history_tokens, summary_text
from support import ROOT

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
