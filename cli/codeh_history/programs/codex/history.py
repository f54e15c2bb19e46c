"""What Codex would send of its items: compactions replace them, rollbacks take the newest turns back."""

from __future__ import annotations

from ..branches import MOST
from ..model import Entry, Piece, Summary
from ..parts import texts

UNREADABLE = "(What was said before was compacted; only the provider can read its summary.)"

_ASIDE = (
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill>",
    "<subagent_notification>",
)


class History:
    """`items`: all that is imported, in the order of the log; `live`: those of them that would be sent."""

    def __init__(self) -> None:
        self.items: list[Entry | Summary] = []
        self.live: list[Entry | Summary] = []
        self.fresh = 0  # of the live ones, the first that came after the last compaction
        self.gone: list[list[Entry | Summary]] = []  # at each rollback, all that stood there
        self.before: list[tuple[int, list[Entry | Summary], int]] = []  # at each: how many items, and these

    def add(self, item: Entry | Summary) -> None:
        self.items.append(item)
        self.live.append(item)

    def summarised(self, id: str, ts: str | None, text: str, line: int) -> None:
        """A compaction that only says its summary: users' messages stay, before it."""
        kept = [item for item in self.live if isinstance(item, Entry) and _asks(item)]
        self._cover(id, ts, text, line, kept)

    def replaced(self, id: str, ts: str | None, text: str, line: int, made: list[Entry | str]) -> None:
        """A compaction that says the whole new history: entries, and texts of users, one its summary."""
        known = [item for item in self.live if isinstance(item, Entry) and item.kind == "user"]
        kept: list[Entry] = []
        new: list[Entry] = []
        said: list[str] = []
        for item in made:
            if isinstance(item, Entry):
                new.append(item)
                continue
            same = next((entry for entry in known if _text(entry) == item), None)
            if same is not None:
                known.remove(same)
                kept.append(same)
            else:
                said.append(item)
        summary = next((one for one in reversed(said) if text and text in one), said[-1] if said else text)
        self._cover(id, ts, summary, line, kept)
        for number, other in enumerate(one for one in said if one != summary):
            self.add(Entry(f"{id}.{number}", "user", ts, [Piece(line, [{"text": other}])]))
        for entry in new:
            self.add(entry)
        self.fresh = len(self.live)

    def _cover(self, id: str, ts: str | None, text: str, line: int, kept: list[Entry]) -> None:
        ids = {entry.id for entry in kept}
        covers = [item.id for item in self.live if item.id not in ids]
        summary = Summary(id, ts, text or UNREADABLE, line, covers)
        self.before.append((len(self.items), self.live, self.fresh))
        self.live = [item for item in self.live if item.id in ids]
        self.add(summary)
        self.fresh = len(self.live)

    def rolled_back(self, turns: int) -> int:
        """Take back the newest turns, each from a user's message on; how many messages that were.

        What was compacted after one of them began is taken back too.
        """
        gone, stood = 0, [*self.items]
        while turns > 0:
            start, found = self._newest(turns)
            gone += self._cut(start)
            turns -= found
            if turns <= 0 or not self.before:
                break
            count, self.live, self.fresh = self.before.pop()
            gone += _said_after(self.items[count:])
            del self.items[count:]
        if gone:
            self.gone.append(stood)
            if len(self.gone) > MOST:
                self.gone[-MOST - 1] = []  # which branches are read, that of the newest first
        return gone

    def _newest(self, turns: int) -> tuple[int, int]:
        """Where the newest turns begin, of those since the last compaction; how many these are."""
        start, found = len(self.live), 0
        for place in range(len(self.live) - 1, self.fresh - 1, -1):
            if _asks(self.live[place]):
                start, found = place, found + 1
                if found == turns:
                    break
        return start, found

    def _cut(self, start: int) -> int:
        """Take back what is live from there on: what came since a compaction stands last among all, too."""
        count = len(self.live) - start
        del self.live[start:], self.items[len(self.items) - count :]
        return count


def _said_after(items: list[Entry | Summary]) -> int:
    """How many messages came after a compaction, which begins these items; what it wrote itself is none."""
    own = items[0].line if items and isinstance(items[0], Summary) else 0
    return sum(isinstance(item, Entry) and item.lines[0] != own for item in items)


def _asks(item: Entry | Summary) -> bool:
    """Whether a turn begins here; with what the program puts among the user's messages none does."""
    if not isinstance(item, Entry) or item.kind != "user":
        return False
    return not _text(item).lstrip().startswith(_ASIDE)


def _text(entry: Entry) -> str:
    return "\n".join(texts(entry.parts))
