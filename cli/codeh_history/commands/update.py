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
    target = for_writing(env, options.session)
    if options.commit and not (options.message or options.file):
        add_lines(env, target, lambda locked, ids: committed(env, locked, ids, options.id))
        return
    if options.id is None:
        raise Usage("no message named; give its ID (`:-1` is the last)")
    name = options.id
    text = text_of(env, options.message, options.file, exact=options.append)

    def build(locked: Locked, ids: list[str]) -> bytes | None:
        view = fold(read.read_log(locked.read()))
        message = find_message(view, name, session=locked.session)
        stored = {part.id for part in content(message) if isinstance(part, Unread)}
        if stored:
            from ..views.persist import by_reference
            from ..views.stored_parts import hydrated

            message = hydrated(env, view, only={message.id}, everything=True).all[message.id]
        ids.append(message.id)
        if options.append and not text:
            return None
        now = env.now()
        if options.append and message.pending is not None:
            lines = dumps({"type": "delta", "of": message.id, "parts": [{"text": text}]}) + b"\n"
            return lines + (commit_of(message, now) if options.commit else b"")
        update: Json = {
            "type": "update", "id": env.id_in(locked), "of": message.id, "ts": now,
            "parts": changed(message, text, append=options.append),
        }  # fmt: skip
        if stored:
            update = by_reference(env, update, locked.session, stored)
        lines = dumps(update) + b"\n"
        if options.commit or (message.pending is None and not options.pending):
            lines += dumps({"type": "commit", "of": update["id"], "ts": now}) + b"\n"
        return lines

    try:
        add_lines(env, target, build)
    except NotFound as error:
        if options.message or [*options.file] not in ([], ["-"]):
            raise
        from ..store.unsent import keep_text

        raise NotFound(f"{error}; {keep_text(env, target.path, env.random_id(), text, '')}") from None


def committed(env: Env, locked: Locked, ids: list[str], name: str | None) -> bytes | None:
    """The record that commits a message's pending content; without a name, the newest message's."""
    view = fold(read.read_log(locked.read()))
    newest = next((m for m in reversed(view.messages) if m.pending is not None), None)
    message = newest if name is None else find_message(view, name, session=locked.session)
    if message is None or message.pending is None:
        env.note(f"{locked.session}: nothing is pending")
        return None
    ids.append(message.id)
    return commit_of(message, env.now())


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
