"""Compute a session's row in `list`, and cache it by the file's stamp."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import HistoryError, reason
from ..base.lazy import Pattern
from ..base.times import to_millis
from ..render.progress import A_SECOND, progress
from ..session.exchanges import is_prompt
from ..session.fold import fold
from ..session.model import Json, Message, Unread, origin
from ..session.records import TORN, Damage, Log
from ..session.view import timestamp
from ..store import read
from ..store.cache import Remembered
from ..store.paths import sessions_dir
from ..store.protocol import Stamp
from ..store.read import loaded_together, size_of, stamps_of
from ..store.resolve import Target
from .skim import BIG, NeedsFold, OpenCalls, Skim, logs
from .view import damage_summary

BEGINNING = 120  # characters of the first prompt
_MARK = Pattern(  # tags that programs put before a prompt, or instead of one
    r"\s*<(command-(?:message|name|args)|local-command-(?:caveat|stdout|stderr)|bash-(?:input|stdout|stderr)"
    r"|system-reminder|task-notification|ide_(?:opened_file|selection|diagnostics))>"
)
MANY = 1000  # sessions; fewer are not cached unless they are large
MUCH = 2 << 20  # bytes; reading less is as fast as loading the cache
KEYS = (
    "id", "path", "title", "tags", "cwd", "created", "last", "messages", "exchanges", "bytes", "open_calls",
    "pending",
)  # fmt: skip


class Count:
    """A session's counts, updated message by message, in any order."""

    def __init__(self) -> None:
        self.header: Json | None = None
        self.meta: Json = {}
        self.damage: list[Damage] = []
        self.messages = self.exchanges = self.pending = self.bytes = 0
        self.last: tuple[int, str | None] = (0, None)  # number and time of the last message with one
        self.first: tuple[int, str] | None = None  # number and beginning of the first prompt with text
        self.calls = OpenCalls()
        self.models: dict[str, None] = {}  # models that responded
        self.git: dict[str, None] = {}  # branches and commits
        self.unread = False  # whether a model's parts are in blocks, so that its calls are unknown

    def add(self, message: Message, number: int) -> None:
        self.messages += 1
        if message.ts is not None:
            self.last = max(self.last, (number, message.ts), key=lambda last: last[0])
        if is_prompt(message):
            self.exchanges += 1
            self.begin(message, number)
        self.note_origin(message)
        self.pending += message.pending is not None
        self.calls.add(message)
        if message.role == "model":
            parts: list[object] = [*message.parts]
            self.unread = self.unread or any(type(part) is Unread for part in parts)

    def note_origin(self, message: Message) -> None:
        """Note which model made it, on which branch and commit."""
        if message.model:
            self.models[message.model] = None
        if isinstance(git := message.fields.get("git"), dict):
            self.git.update(dict.fromkeys(filter(text_of, git.values())))

    def begin(self, message: Message, number: int) -> None:
        """Use a prompt as the first if it has text and no earlier one is known."""
        if self.first is None or number < self.first[0]:
            begins = first_words(message)
            self.first = (number, begins) if begins else self.first

    def row(self, path: str) -> Json:
        """Return the session's row."""
        header = self.header or {}
        source = origin(header)
        copied = text_of(header.get("id")) if source else None  # another program's file
        return {
            "id": copied or Target(path, "").id, "path": path.encode("utf-8", "replace").decode(),
            "title": text_of(self.meta.get("title")), "pinned": self.meta.get("pinned") is True,
            "tags": tags_of(self.meta.get("tags")), "cwd": text_of(header.get("cwd")),
            "created": timestamp(header.get("created")), "last": self.last[1],
            "messages": self.messages, "exchanges": self.exchanges, "bytes": self.bytes,
            "open_calls": None if self.unread else len(self.calls.calls()), "pending": self.pending,
            "prompt": self.first[1] if self.first else None, "models": [*self.models],
            "git": [*self.git],
            "program": text_of(source.get("from")), "program_session": text_of(source.get("id")),
        }  # fmt: skip


def first_words(message: Message) -> str:
    """Return the beginning of a message's first part with text; "" without text."""
    texts = (part.get("text") for part in message.parts if type(part) is dict)
    return next(filter(None, (beginning(text) for text in texts if isinstance(text, str))), "")


def beginning(text: str) -> str:
    """Return the beginning of a text on one line, without the tags that programs add."""
    command, at = "", 0
    while mark := _MARK.match(text, at):
        end = text.find(f"</{mark[1]}>", mark.end())
        if end < 0:
            break
        inside = text[mark.end() : end].strip()
        if mark[1] == "command-args" and inside:  # the whole prompt is a command
            text, at = f"{command} {inside}".lstrip(), 0
            break
        command = inside if mark[1] == "command-name" else command
        at = end + len(mark[1]) + len("</>")
    text = text[at:]
    line = " ".join(text[: 4 * BEGINNING].split())
    return line if len(line) <= BEGINNING and len(text) <= 4 * BEGINNING else f"{line[: BEGINNING - 1]}…"


def text_of(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def tags_of(value: object) -> list[str]:
    """Return a session's tags, which are set as a list or as comma-separated text."""
    if isinstance(value, str):
        return [tag.strip() for tag in value.split(",") if tag.strip()]
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []


def row_of(path: str) -> Json:
    """Return a session's row; `problem` is the damage or the reason why it cannot be read."""
    try:
        count = count_file(path)
    except (HistoryError, OSError) as error:
        return {**Count().row(path), "problem": reason(error, path)}
    damage = count.damage
    if damage and damage[-1].reason == TORN and read.being_written(path):
        damage = damage[:-1]
    row = count.row(path)
    if damage:
        row["problem"] = damage_summary(damage)
    return row


def count_file(path: str, big: int = BIG) -> Count:
    """Return the counts of a session's file, equal to those of its view."""

    def read_all() -> Log:
        return read.read_log(read.read_bytes(path, skip=True))

    return _counted(logs(path, big=big), read_all, size_of(path))


def count_bytes(data: bytes) -> Count:
    """Return the counts of a session in memory."""
    log = read.read_log(data)
    return _counted([log], lambda: log, len(data))


def _counted(pieces: Iterable[Log], read_all: Callable[[], Log], size: int) -> Count:
    """Count the pieces of a log, or its fold; hidden messages count for first prompt, models and git."""
    count, skim = Count(), Skim(pieces)
    view = skim.view
    try:
        for number, message in skim.messages():
            count.add(message, number)
    except NeedsFold:
        count, view = Count(), fold(read_all())
        for message in view.all.values():
            if message.hidden == "clear":
                continue
            count.note_origin(message)
            if count.first is None and is_prompt(message):
                count.begin(message, 0)
        for number, message in enumerate(view.messages, 1):
            count.add(message, number)
    count.header, count.meta, count.damage = view.header, view.meta, view.log.damage
    count.bytes = size
    return count


# -- the cache ---------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """A kind of row: its name in the cache, and the version of its content."""

    use: str = "sessions"
    version: int | Json = 10


LISTED = Kind()


def cached_rows(
    env: Env, paths: list[str], row_of: Callable[[str], Json], kind: Kind = LISTED
) -> list[Json]:
    """Return each session's row; use the cache if the sessions are large or many."""
    stamps = stamps_of(paths)
    cached = len(paths) >= MANY or _size(paths, stamps) >= MUCH
    cache = Remembered(env.home, f"{kind.use} {sessions_dir(env)}", kind.version) if cached else None
    remembered = {path: cache.get(path, stamps[path]) for path in paths} if cache is not None else {}
    rows: dict[str, Json] = {path: row for path, row in remembered.items() if isinstance(row, dict)}
    others = [path for path in paths if path not in rows]
    with progress(env, "reading sessions", _size(others, stamps), A_SECOND) as done:
        for count, path in enumerate(loaded_together(others), 1):
            rows[path] = row_of(path)
            done(count, len(others))
            stamp = stamps[path]
            if cache is not None and stamp is not None and "problem" not in rows[path]:
                cache.keep(path, stamp, rows[path])
    if cache is not None:
        cache.save(paths)
    return [rows[path] for path in paths]


def _size(paths: Sequence[str], stamps: dict[str, Stamp | None]) -> int:
    return sum(stamp.size for path in paths if (stamp := stamps[path]))


def report_problems(env: Env, rows: list[Json]) -> list[Json]:
    """Note the sessions' problems on stderr, and return the rows."""
    for row in rows:
        if "problem" in row:
            env.note(f"{row['path']}: {row['problem']}")
    return rows


def last_used(row: Json) -> int:
    """Return when a session was last used, in epoch milliseconds; 0 if unknown."""
    return to_millis(row["last"] or "") or to_millis(row["created"] or "") or 0
