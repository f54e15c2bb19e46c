"""Append one message to a session and print its id."""

from __future__ import annotations

from ..append import text
from ..append.options import Options
from ..base.env import Env
from ..base.errors import NotFound, TryAgain, Usage

__all__ = ["Options", "run"]

EXAMPLES = """\
  codeh-history append "Why is the sky blue?"      # to the newest session begun here, or a new one
  curl ... | codeh-history append -s demo --from auto --echo
  my-model | codeh-history append -s demo --role model --stream --echo
  codeh-history append -s demo --call ls --args '{"path":"."}' --call-id c1
  codeh-history append -s demo --result ls --call-id c1 -F out.txt
  jq -c '.[]' contents.json | codeh-history append -s demo --jsonl
"""
TEXT = ("message", "file", "role", "kind", "new")  # what a plain text message may have


def run(env: Env, given: Options) -> None:
    given = text.with_text(env, given)
    if not is_text(given):
        from ..base.env import unwind

        unwind()
    store(env, given)


def store(env: Env, given: Options) -> None:
    """The same without a look at signals: they are the program's in which this may be called."""
    if is_text(given):
        text.run(env, given)
    elif given.from_ is not None:
        receive(env, given, given.from_)
    elif given.stream:
        follow(env, given)
    elif given.jsonl:
        from ..append import jsonl

        if len(given.file) > 1:
            raise Usage("--jsonl takes one -F")
        jsonl.run(env, given.session, next(iter(given.file), None), redact=given.redact, new=given.new)
    elif given.exchange is not None:
        from ..append import exchange

        exchange.run(env, given.session, given.exchange, new=given.new)
    else:
        from ..append import message

        message.run(env, given)


def is_text(given: Options) -> bool:
    """Whether it is a plain text message."""
    return not set(given.specified()).difference(TEXT, ("session", "quiet"))


def follow(env: Env, given: Options) -> None:
    """Store what stdin says while it says it; its id, or with echo the text, goes to stdout."""
    from ..base import amounts
    from ..receive import stream
    from ..receive.answer import tell

    target = text.target_of(env, given.session, new=given.new) or text.begin(env, "")
    echo = given.echo or env.terminal(env.stdout)
    received = stream.run(
        env, target, given.role, given.kind, echo=echo, most=amounts.size(given.max_bytes)
    )
    tell(env, target.id, received, echo=echo)


def one_lately(env: Env, session: str | None, format: str) -> None:
    """Usage where the answer may belong to several sessions; it is kept."""
    from ..store.begun import lately
    from ..store.resolve import may_be_unnamed, named

    if named(env, session) is not None:
        return
    may_be_unnamed(env)
    ids = lately(env)
    if len(ids) > 1:
        from ..store.unsent import kept_answer

        raise Usage(
            f"which session is answered? {', '.join(ids)} were used in this directory in the last hour; "
            f"name one with -s{kept_answer(env, format)}"
        )


def receive(env: Env, given: Options, format: str) -> None:
    """Store a provider's answer from stdin; its id, or with echo its text, goes to stdout."""
    from ..base import amounts
    from ..receive import answer
    from ..store.paths import exists, hint
    from ..store.resolve import for_writing

    reader = answer.reader_of(format)
    one_lately(env, given.session, format)
    target = for_writing(env, given.session)
    try:
        there = exists(target.path)
    except TryAgain as error:
        from ..store.unsent import answer as kept

        raise kept(env, target.path, error, format) from None
    if not there:
        raise NotFound(f"{target.path}: no such session{hint(target.path)}; an answer never starts one")
    echo = given.echo or env.terminal(env.stdout)
    received = answer.receive(env, target, env.stdin, reader, echo=echo, most=amounts.size(given.max_bytes))
    answer.tell(env, target.id, received, echo=echo)
