"""What compactions and rollbacks leave of the items of a Codex rollout."""

from __future__ import annotations

from ..model import Entry, Item, Piece, Summary
from ..parts import texts

UNREADABLE = "(What was said before was compacted; only the provider can read its summary.)"
_NO_TURNS = (  # beginnings of user messages that the program writes itself
    "# AGENTS.md instructions", "<turn_aborted>", "<user_shell_command>", "<skill>",
    "<subagent_notification>",
)  # fmt: skip


class History:
    """All imported `items` in log order, and those that are still `live`.

    Compactions replace live items; rollbacks remove the newest turns.
    """

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.live: list[Item] = []
        self.fresh = 0  # index of the first live item after the last compaction
        self.gone: list[list[Item]] = []  # all items before each rollback
        # per compaction: number of items before, number added, live items and `fresh` before
        self.before: list[tuple[int, int, list[Item], int]] = []

    def add(self, item: Item) -> None:
        self.items.append(item)
        self.live.append(item)

    def compacted(self, summary: Summary, made: list[Entry | str] | None) -> None:
        """Replace the history by `made`, messages and texts of users (None: keep users' messages)."""
        users = [item for item in self.live if isinstance(item, Entry) and item.kind == "user"]
        kept = [entry for entry in users if _begins_turn(entry)] if made is None else []
        new: list[str] = []
        for text in (item for item in made or () if isinstance(item, str)):
            same = next((entry for entry in users if _text(entry) == text), None)
            if same is not None:
                users.remove(same)
                kept.append(same)
            else:
                new.append(text)
        text = summary.text
        text = next((other for other in reversed(new) if text and text in other), new[-1] if new else text)
        ids = {entry.id for entry in kept}
        summary.text = text or UNREADABLE
        summary.covers = [item.id for item in self.live if item.id not in ids]
        before, live = len(self.items), self.live
        self.live = [item for item in self.live if item.id in ids]
        self.add(summary)
        for number, other in enumerate(other for other in new if other != text):
            piece = Piece(summary.line, [{"text": other}])
            self.add(Entry(f"{summary.id}.{number}", "user", summary.ts, [piece]))
        for entry in made or ():
            if isinstance(entry, Entry):
                self.add(entry)
        self.before.append((before, len(self.items) - before, live, self.fresh))
        self.fresh = len(self.live)

    def rolled_back(self, turns: int) -> int:
        """Undo the newest turns, with compactions in them; return the number of messages removed."""
        gone, stood = 0, [*self.items]
        while turns > 0:
            starts = [at for at in range(self.fresh, len(self.live)) if _begins_turn(self.live[at])]
            starts = starts[-turns:]
            count = len(self.live) - starts[0] if starts else 0  # these are also the last of `items`
            del self.live[len(self.live) - count :], self.items[len(self.items) - count :]
            gone += count
            turns -= len(starts)
            if turns <= 0 or not self.before:
                break
            kept, made, self.live, self.fresh = self.before.pop()
            gone += len(self.items) - kept - made
            del self.items[kept:]
        if gone:
            self.gone.append(stood)
        return gone


def _begins_turn(item: Item) -> bool:
    """Whether a turn begins at this item; none begins at a user message of the program's own."""
    users = isinstance(item, Entry) and item.kind == "user"
    return users and not _text(item).lstrip().startswith(_NO_TURNS)


def _text(item: Item) -> str:
    return item.text if isinstance(item, Summary) else "\n".join(texts(item.parts))
