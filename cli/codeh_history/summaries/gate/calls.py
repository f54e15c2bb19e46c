"""Statements about calls, held against what the calls returned.

`W8 was cancelled` needs a call that cancelled W8 and did not fail, or somebody's word for it; where no tool
of the conversation cancels anything, nothing is claimed. A command passed if it did so the last time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from ...base.read_json import texts_in
from ...session.exchanges import text_of
from ...session.model import Message
from ...session.pairing import Call, pair
from ..calls import effects
from ..clipped import clip
from ..results import failure

# Acts that tools are named by, those of a line the same; with how it is said that they were done.
_ACTS = (
    "cancel", "book reserve order buy purchase", "refund return", "send submit post email",
    "pay transfer charge", "exchange swap replace", "schedule reschedule", "deploy publish release",
    "enable activate", "disable deactivate", "grant", "revoke", "close resolve", "merge", "approve",
    "register", "assign", "upgrade", "delete remove",
)  # fmt: skip
_DONE = {
    "cancel": "cancell?ed", "buy": "bought", "send": "sent", "submit": "submitted", "pay": "paid",
    "transfer": "transferred", "swap": "swapped", "deploy": "deployed",
}  # fmt: skip
_NOT = re.compile(
    r"\b(?:not|never|no|cannot|could|would|should|will|may|might|must|if|whether|unless|until|before"
    r"|asks?|asked|wants?|wanted|wishes|needs?|requests?|requested|tried|tries|fail\w*|refus\w+|unable"
    r"|declin\w+|reject\w+|to be|denied|instead of|rather than|pending|remains?|still)\b|n't\b|\?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?<=[.!?;:])\s+|\n|\bbut\b|\bwhile\b|\bthen\b|,? and (?=(?:the |it |its |was |were )?\w+ed\b)"
)
_THING = re.compile(r"#?[A-Za-z0-9][\w-]*\d[\w-]*|[A-Z][\w-]{2,}")
_COMMAND = re.compile(r"`([^`\n]{2,200})`[^.;\n`]{0,40}?\b(pass(?:es|ed)|succeed(?:s|ed)|fail(?:s|ed))\b")


def problems(text: str, messages: Sequence[Message]) -> list[str]:
    """What a text says that calls did and these messages do not show."""
    known = _Known(messages)
    wrong = [claim for clause in _CLAUSE.split(text) for claim in known.unshown(clause)]
    wrong += known.wrong_ends(text)
    return [f"it says what no call returned: {clip(claim, 120)}" for claim in dict.fromkeys(wrong)]


def _pattern(acts: str) -> re.Pattern[str]:
    """How it is said that one of these acts was done."""
    forms = (_DONE.get(act) or f"{act.removesuffix('e')}ed" for act in acts.split())
    return re.compile(rf"\b(?:{'|'.join(forms)})\b", re.IGNORECASE)


_SAID = {acts: _pattern(acts) for acts in _ACTS}


class _Known:
    """What calls did, and what was said of it."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages

    @cached_property
    def calls(self) -> Sequence[Call]:
        return pair(self.messages).calls

    @cached_property
    def things(self) -> frozenset[str]:
        """What the calls were given: values, and the words in them."""
        return frozenset(
            word for call in self.calls for word in _THING.findall(" ".join(texts_in(call.args)))
        )

    @cached_property
    def said(self) -> list[str]:
        """The clauses of what people and models said."""
        return [clause for m in self.messages if m.role for clause in _CLAUSE.split(text_of(m))]

    def unshown(self, clause: str) -> Iterator[str]:
        """The clause, where it says that an act was done to something that no call did it to."""
        if not self.calls or _NOT.search(clause):
            return
        for acts, said in _SAID.items():
            tried = self._of(acts) if said.search(clause) else []
            things = [thing for thing in _THING.findall(clause) if thing in self.things] if tried else []
            ids = [thing for thing in things if any(map(str.isdigit, thing))]
            done = [texts for texts, failed in tried if not failed]
            shown = [thing for thing in things if any(thing in texts for texts in done)]
            if (ids and not set(ids) <= set(shown)) or (things and not shown):
                missing = [thing for thing in ids or things if thing not in shown]
                if not all(self._told(said, thing, tried) for thing in missing):
                    yield clause.strip(" -*")

    def _of(self, acts: str) -> list[tuple[str, bool]]:
        """The calls of these acts: all that each was given and returned, and whether it failed."""
        verbs = set(acts.split())
        found = []
        for call in self.calls:
            if verbs.isdisjoint(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"_\1", call.name).lower())):
                continue
            answer = call.answer
            response = None
            if answer is not None:
                response = answer.message.parts[answer.part]["functionResponse"].get("response")
            texts = " ".join([*texts_in(call.args), *texts_in(response)])
            found.append((texts, answer is None or bool(failure(call.name, response, ""))))
        return found

    def _told(self, said: re.Pattern[str], thing: str, tried: Sequence[tuple[str, bool]]) -> bool:
        """Whether somebody said that it was done, and no call tried it in vain."""
        if any(failed and thing in texts for texts, failed in tried):
            return False
        return any(
            thing in clause and said.search(clause) and not _NOT.search(clause) for clause in self.said
        )

    def wrong_ends(self, text: str) -> Iterator[str]:
        """Statements that a command passed or failed which ended otherwise."""
        matches = [*_COMMAND.finditer(text)] if self.calls else []
        ends = effects(self.messages if matches else ())
        for match in matches:
            what, failed = f"`{match[1]}`", match[2].startswith("fail")
            known = what in ends.failures or match[1] in ends.commands
            now = what in ends.failures and what not in ends.mended
            if known and ((now and not failed) or (failed and what not in ends.failures)):
                yield match[0]
