"""Change the text of a message; the edit is committed unless --pending."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.env import Env
from ..base.errors import NotFound, Usage
from ..base.options import MESSAGE_ID, Writing, argument, flag, option
from ..session.fold import fold
from ..session.model import Json, Message, Part, Unread, unread
from ..session.records import dumps
from ..session.view import join
from ..store import read
from ..store.locked import Locked
from ..store.resolve import for_writing
from ..talk.append.text import add_lines, text_of
from ..views.view import find_message

EXAMPLES = """\
  codeh-history update -s demo :-1 -m "a better question"
  id=$(codeh-history append -s demo --role model --pending)
  codeh-history update -s demo "$id" --append -m "Hel"
  codeh-history update -s demo "$id" --append -m "lo" --commit
  my-model | codeh-history append -s demo --role model --stream     # the same for a program that prints
"""
STRAY = "one message ID; the text is -m TEXT"


class Options(Writing):
    id: str | None = argument("[ID]", MESSAGE_ID)
    message: Sequence[str] = option("TEXT", "Text; repeatable.", "-m")
    file: Sequence[str] = option("FILE|-", "Text from a file.", "-F")
    append: bool = flag("Add to the text instead of replacing it, byte for byte.")
    pending: bool = flag("Leave the new content uncommitted.", excludes=("commit",))
    commit: bool = flag("Commit pending content; without ID the newest.")


def run(env: Env, options: Options) -> None:
    target, text = for_writing(env, options.session), None
    if options.message or options.file or not options.commit:
        if options.id is None:
            raise Usage("no message named; give its ID (`:-1` is the last)")
        text = text_of(env, options.message, options.file, exact=options.append)
    try:
        add_lines(env, target, lambda locked, ids: edit(env, options, text, locked, ids))
    except NotFound as error:
        if text is None or options.message or [*options.file] not in ([], ["-"]):
            raise
        from ..store.unsent import keep_text

        raise NotFound(f"{error}; {keep_text(env, target.path, env.random_id(), text, '')}") from None


def edit(env: Env, options: Options, text: str | None, locked: Locked, ids: list[str]) -> bytes | None:
    """The lines that change the message's content to the text, or commit it; add its id to `ids`."""
    view, now = fold(read.read_log(locked.read())), env.now()
    newest = next((m.id for m in reversed(view.messages) if m.pending is not None), None)
    name = newest if options.id is None else options.id
    message = find_message(view, name, session=locked.session) if name is not None else None
    if message is None or (text is None and message.pending is None):
        env.note(f"{locked.session}: nothing is pending")
        return None
    ids.append(message.id)
    commit = commit_of(message, now) if options.commit and message.pending is not None else b""
    if text is None or (options.append and not text):
        return commit or None
    if options.append and message.pending is not None:
        return dumps({"type": "delta", "of": message.id, "parts": [{"text": text}]}) + b"\n" + commit
    stored = {part.id for part in content(message) if isinstance(part, Unread)}
    if stored:
        from ..views.stored_parts import hydrated

        message = hydrated(env, view, only={message.id}, everything=True).all[message.id]
    update: Json = {
        "type": "update", "id": env.id_in(locked), "of": message.id, "ts": now,
        "parts": changed(message, text, append=options.append),
    }  # fmt: skip
    if stored:
        from ..views.persist import by_reference

        update = by_reference(env, update, locked.session, stored)
    lines = dumps(update) + b"\n"
    if options.commit or (message.pending is None and not options.pending):
        lines += dumps({"type": "commit", "of": update["id"], "ts": now}) + b"\n"
    return lines


def commit_of(message: Message, now: str) -> bytes:
    of = message.update["id"] if message.update is not None else message.id
    return dumps({"type": "commit", "of": of, "ts": now}) + b"\n"


def content(message: Message) -> list[Part]:
    """The content to edit: the pending content if there is any, else the committed content."""
    if message.pending is not None:
        return message.pending
    if message.own is None and message.blocks is not None:
        return unread({"blockIds": message.blocks})
    return message.own or []


def changed(message: Message, text: str, *, append: bool) -> list[Part]:
    """Replace the message's text, or append to it; keep its other parts."""
    parts = content(message)
    if append:
        return join(parts, [{"text": text}])
    texts = [place for place, part in enumerate(parts) if "text" in part and not part.get("thought")]
    others = [part for place, part in enumerate(parts) if place not in texts]
    first = texts[0] if texts else 0
    return [*others[:first], {"text": text}, *others[first:]]
