"""What Codex would send of its items: compactions replace them, rollbacks take the newest turns back."""

from __future__ import annotations

from ..model import Entry, Piece, Summary
from ..parts import texts
from ..tree import MOST

UNREADABLE = "(What was said before was compacted; only the provider can read its summary.)"
_NO_TURNS = (  # how what the program puts among the user's messages begins
    "# AGENTS.md instructions", "<turn_aborted>", "<user_shell_command>", "<skill>",
    "<subagent_notification>",
)  # fmt: skip

Items = list[Entry | Summary]


class History:
    """`items`: all that is imported, in the order of the log; `live`: those of them that would be sent."""

    def __init__(self) -> None:
        self.items: Items = []
        self.live: Items = []
        self.fresh = 0  # of the live ones, the first that came after the last compaction
        self.gone: list[Items] = []  # at each rollback, all that stood there
        self.before: list[tuple[int, Items, int]] = []  # at each compaction: how many items, and these

    def add(self, item: Entry | Summary) -> None:
        self.items.append(item)
        self.live.append(item)

    def compacted(
        self, id: str, ts: str | None, text: str, line: int, made: list[Entry | str] | None
    ) -> None:
        """A compaction: `made` is the new history, entries and texts of users, one of which is its summary.

        None: users' messages stay, before the summary.
        """
        users = [item for item in self.live if isinstance(item, Entry) and item.kind == "user"]
        kept = [entry for entry in users if _begins_turn(entry)] if made is None else []
        new: list[str] = []
        for text_of_user in (item for item in made or () if isinstance(item, str)):
            same = next((entry for entry in users if _text(entry) == text_of_user), None)
            if same is not None:
                users.remove(same)
                kept.append(same)
            else:
                new.append(text_of_user)
        summary = next((one for one in reversed(new) if text and text in one), new[-1] if new else text)
        ids = {entry.id for entry in kept}
        covers = [item.id for item in self.live if item.id not in ids]
        self.before.append((len(self.items), self.live, self.fresh))
        self.live = [item for item in self.live if item.id in ids]
        self.add(Summary(id, ts, summary or UNREADABLE, line, covers))
        for number, other in enumerate(one for one in new if one != summary):
            self.add(Entry(f"{id}.{number}", "user", ts, [Piece(line, [{"text": other}])]))
        for entry in made or ():
            if isinstance(entry, Entry):
                self.add(entry)
        self.fresh = len(self.live)

    def rolled_back(self, turns: int) -> int:
        """Take back the newest turns, each from a user's message on; how many messages that were.

        What was compacted after one of them began is taken back too.
        """
        gone, stood = 0, [*self.items]
        while turns > 0:
            starts = [at for at in range(self.fresh, len(self.live)) if _begins_turn(self.live[at])][
                -turns:
            ]
            count = len(self.live) - starts[0] if starts else 0  # they stand last among all items, too
            del self.live[len(self.live) - count :], self.items[len(self.items) - count :]
            gone += count
            turns -= len(starts)
            if turns <= 0 or not self.before:
                break
            kept, self.live, self.fresh = self.before.pop()
            gone += _after_compaction(self.items[kept:])
            del self.items[kept:]
        if gone:
            self.gone.append(stood)
            if len(self.gone) > MOST:
                self.gone[-MOST - 1] = []  # which branches are read, that of the newest first
        return gone


def _after_compaction(items: Items) -> int:
    """How many messages came after a compaction, which begins these items; what it wrote itself is none."""
    own = items[0].line if items and isinstance(items[0], Summary) else 0
    return sum(isinstance(item, Entry) and item.lines[0] != own for item in items)


def _begins_turn(item: Entry | Summary) -> bool:
    """Whether a turn begins here; with what the program puts among the user's messages none does."""
    return (
        isinstance(item, Entry) and item.kind == "user" and not _text(item).lstrip().startswith(_NO_TURNS)
    )


def _text(entry: Entry) -> str:
    return "\n".join(texts(entry.parts))
