"""Append a text message. It needs no JSON library and no fold."""

from __future__ import annotations

import time

from ...base.errors import BadData, TryAgain, Usage
from ...base.escape import quote
from ...base.input import decode, read_text, without_newline
from ...base.words import is_id
from ...session.model import NAME_OF_KIND, ROLE_OF_KIND
from ...store import log
from ...store.paths import exists, path_of
from ...store.resolve import Target, check_default_allowed, default_target, for_writing, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from ...base.env import Env
    from ...store.locked import Locked
    from .options import Options, Text

    TextOptions = TypeVar("TextOptions", bound=Text)

KIND_OF_NAME = {name: kind for kind, name in NAME_OF_KIND.items()}
BEGUN = "begun now"
NEW = "--new"
_LONGEST = 40  # characters of a generated session name


class NameTaken(TryAgain):
    """Another process has begun a session with the generated name."""


def with_text(env: Env, options: TextOptions) -> TextOptions:
    """Return the options with the text arguments as an `-m`; raise Usage if there is an `-m` too."""
    if not options.words:
        return options
    if [*options.words] == ["-"]:
        raise Usage("-: stdin is read without an argument, or by -F -")
    first = options.words[0]
    if options.message:
        raise Usage(f"{first}: pass text as an argument or with -m, not both (the session is -s SESSION)")
    if options.session is None and is_id(first) and exists(path_of(env, first)):
        env.note(f"{first} is text here; the session {first} is -s {first}")
    return options.but(words=(), message=[" ".join(options.words)])


def target_of(env: Env, session: str | None, argument: str | None = None, *, new: bool) -> Target | None:
    """Return the session to append to; None for a new one, which `begin` names after its first text.

    Raises Usage if it must be new and exists.
    """
    if not new:
        return for_writing(env, session, argument) if named(env, session, argument) else default_target(env)
    if session is None and argument is None:
        check_default_allowed(env)
        return None
    target = for_writing(env, session, argument)
    if exists(target.path):
        raise _exists(target)
    return Target(target.path, NEW)


def begin(env: Env, text: str) -> Target:
    """Name a new session after the date and the first words of the text; add a number if that is taken."""
    from ...store.create import is_taken

    base = name = name_for(env, text)
    number = 1
    while is_taken(path_of(env, name)):
        number += 1
        name = f"{base[: _LONGEST - len(str(number)) - 1].rstrip('-')}-{number}"
    return Target(path_of(env, name), BEGUN)


def name_for(env: Env, text: str) -> str:
    """Return a redacted name of at most 40 ASCII characters; date and time if the text has no words."""
    now = time.localtime(env.millis() / 1000)
    words = []
    if text.strip():
        import re
        import unicodedata

        from ...filters.redact.redactor import Redactor

        beginning = Redactor().text(text.lstrip()[:2000]).replace("'", "")
        beginning = re.sub(r"\[redacted:[^\]]*\]", " ", beginning)
        ascii = unicodedata.normalize("NFKD", beginning).encode("ascii", "ignore").decode()
        words = re.findall("[a-z0-9]+", ascii.lower())[:4]
    if not words:
        return time.strftime("%Y-%m-%d-%H%M%S", now)
    return "-".join([time.strftime("%Y-%m-%d", now), *words])[:_LONGEST].rstrip("-")


def run(env: Env, options: Options) -> None:
    """Append a text message and print its id."""
    target = target_of(env, options.session, new=options.new)
    kind, role = kind_and_role(options.role, options.kind)
    text = text_of(env, options.message, options.file)

    def build(locked: Locked, ids: list[str]) -> bytes:
        id = env.id_in(locked)
        ids.append(id)
        line = f'{{"type":"message","id":"{id}","ts":"{env.now()}","kind":"{kind}"'
        line += f',"role":"{role}"' if role else ""
        return f'{line},"parts":[{{"text":{quote(text)}}}]}}\n'.encode()

    while True:
        try:
            return add_lines(env, target or begin(env, text), build, create=True)
        except NameTaken:
            continue


def add_lines(
    env: Env, target: Target, build: Callable[[Locked, list[str]], bytes | None], *, create: bool = False
) -> None:
    """Append the lines that `build` returns; once they are durable, print the ids it added to its list."""
    ids: list[str] = []

    def checked(locked: Locked) -> bytes | None:
        require_free(target, locked)
        return build(locked, ids)

    print_ids(env, target, ids, created=log.append(env, target.path, checked, create=create))


def require_free(target: Target, locked: Locked) -> None:
    """Raise NameTaken (Usage for a name the user chose) if another process has begun the session."""
    if locked.created:
        return
    if target.why == BEGUN:
        raise NameTaken(f"{target.id}: another process has just begun it; run the same command again")
    if target.why == NEW:
        raise _exists(target)


def _exists(target: Target) -> Usage:
    return Usage(f"--new: {target.id} exists; leave --new out to continue it, or choose another name")


def print_ids(env: Env, target: Target, ids: list[str], *, created: bool) -> None:
    """Print the ids of durable messages; announce a new session on stderr."""
    env.stored = ids[-1] if ids else None
    if created:
        announce_session(env, target)
    env.write("\n".join([*ids, ""]).encode())


def announce_session(env: Env, target: Target) -> None:
    """Announce a new session, and suggest an existing one with a similar name."""
    if not env.quiet:
        from ...store.paths import similar_id

        env.note(f"new session {target.id}{'' if target.why == BEGUN else similar_id(target.path)}")


def kind_and_role(role: str | None, kind: str | None) -> tuple[str, str | None]:
    """Return a message's kind and role; raise Usage if the role contradicts the kind."""
    name = kind or role or "user"
    kind = KIND_OF_NAME.get(name, name)
    own = ROLE_OF_KIND[kind]
    if role not in (None, own):
        raise Usage(f"--kind {NAME_OF_KIND[kind]} has {f'role {own}' if own else 'no role'}, not {role}")
    return kind, own


def text_of(
    env: Env, messages: Sequence[str], files: Sequence[str], *, needed: bool = True, exact: bool = False
) -> str:
    """Join the `-m`s and `-F`s with blank lines, or if `exact` unchanged.

    Without any, read stdin if text is needed.
    """
    pieces = pieces_of(env, messages, files)
    if exact and pieces:
        return "".join(pieces)
    if not pieces and needed:
        pieces = [decode(env.read_stdin(), "stdin")]
    elif "-" not in files and env.waiting():
        env.note("stdin has unread bytes: give -F - to append them too")
    text = "".join(pieces) if exact else joined(pieces)
    if needed and not (text if exact else text.strip()):
        if not messages and set(files) <= {"-"} and env.stdin_kind() == "pipe":
            from ...base.input import empty_stdin

            raise BadData(f"stdin: {empty_stdin(env)}")
        raise BadData("the message is empty: give -m TEXT, -F FILE, or text on stdin")
    return text


def pieces_of(env: Env, messages: Sequence[str], files: Sequence[str]) -> list[str]:
    """Return the `-m`s, then the texts of the `-F`s."""
    if files.count("-") > 1:
        raise Usage("-F -: given twice, and stdin can be read once")
    return [*messages, *(read_text(env, name) for name in files)]


def joined(pieces: list[str]) -> str:
    """Join the texts, without their final newlines, with blank lines; leave out empty ones."""
    return "\n\n".join(text for piece in pieces if (text := without_newline(piece)))
