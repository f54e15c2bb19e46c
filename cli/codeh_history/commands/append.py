"""Append one message to a session and print its id."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import NotFound, TryAgain, Usage
from ..talk.append import text
from ..talk.append.options import Options

__all__ = ["Options", "run"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..talk.receive.answer import Receiving

EXAMPLES = """\
  codeh-history append "Why is the sky blue?"      # to the newest session begun here, or a new one
  curl ... | codeh-history append -s demo --from auto --echo
  my-model | codeh-history append -s demo --role model --stream --echo
  codeh-history append -s demo --call ls --args '{"path":"."}' --call-id c1
  codeh-history append -s demo --result ls --call-id c1 -F out.txt
  jq -c '.[]' contents.json | codeh-history append -s demo --jsonl
"""
TEXT = ("message", "file", "role", "kind", "new")  # options of a plain text message


def run(env: Env, options: Options) -> None:
    options = text.with_text(env, options)
    if not is_text(options):
        from ..base.env import unwind
        from ..base.lazy import load_orjson

        load_orjson()
        unwind()
    append(env, options)


def append(env: Env, options: Options) -> None:
    """Append the message without installing signal handlers; the library calls this."""
    if is_text(options):
        text.run(env, options)
    elif options.from_ is not None:
        receive(env, options, options.from_)
    elif options.stream:
        from ..talk.receive.answer import Streaming

        target = text.target_of(env, options.session, new=options.new) or text.begin(env, "")
        read(env, options, Streaming(env, target, *text.kind_and_role(options.role, options.kind)))
    elif options.jsonl or options.exchange is not None:
        from ..talk.append import jsonl

        if len(options.file) > 1:
            raise Usage("--jsonl takes one -F")
        if options.exchange is not None:
            jsonl.run_exchange(env, options.session, options.exchange, new=options.new)
        else:
            file = next(iter(options.file), None)
            jsonl.run(env, options.session, file, redact=options.redact, new=options.new)
    else:
        from ..talk.append import message

        message.run(env, options)


def is_text(options: Options) -> bool:
    """Whether the options describe a plain text message."""
    return not set(options.specified()).difference(TEXT, ("session", "quiet"))


def read(env: Env, options: Options, receiving: Receiving) -> None:
    """Read stdin to its end, and print the message id, or with `--echo` the text."""
    from ..base.options import MOST_BYTES
    from ..talk.receive.answer import Echo, follow, print_received

    if options.echo or env.terminal(env.stdout):
        receiving.echo = Echo(env)
    received = follow(receiving, env.stdin, options.max_bytes or MOST_BYTES)
    print_received(env, receiving.target.id, received, echo=receiving.echo is not None)


def receive(env: Env, options: Options, format: str) -> None:
    """Store a provider's response from stdin; if its session is unclear or unreachable, in a file."""
    from ..store import unsent
    from ..store.begun import recently_used
    from ..store.paths import exists, hint
    from ..store.resolve import check_default_allowed, for_writing, named
    from ..talk.receive.answer import Receiving, reader_of

    reader = reader_of(format)
    if named(env, options.session) is None:
        check_default_allowed(env)
        if len(ids := recently_used(env)) > 1:
            used = f"{', '.join(ids)} were used in this directory in the last hour"
            saved = unsent.keep_unnamed_answer(env, format)
            raise Usage(f"which session is answered? {used}; name one with -s{saved}")
    target = for_writing(env, options.session)
    try:
        present = exists(target.path)
    except TryAgain as error:
        raise unsent.keep_answer(env, target.path, error, format) from None
    if not present:
        raise NotFound(f"{target.path}: no such session{hint(target.path)}; --from never creates one")
    read(env, options, Receiving(env, target, reader, fresh=False))
