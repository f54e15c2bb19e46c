"""Append one message to a session and print its id."""

import os
from typing import Annotated, Optional

import typer

from .. import providers
from ..append import text as append
from ..append.given import Given
from ..base.env import Env
from ..base.errors import NotFound, Usage
from ..receive.notice import tell
from .options import MaxBytes, Quiet, Session

EXAMPLES = """\
  codeh-history append -s demo -m "Why is the sky blue?"
  git diff | codeh-history append -s demo -m "Review this:" -F -
  curl ... | codeh-history append -s demo --from auto --echo
  my-model | codeh-history append -s demo --role model --stream --echo
  codeh-history append -s demo --call ls --args '{"path":"."}' --call-id c1
  codeh-history append -s demo --result ls --call-id c1 -F out.txt
  jq -c '.[]' contents.json | codeh-history append -s demo --jsonl
"""
STRAY = "say -m TEXT"

Message = Annotated[
    Optional[list[str]],
    typer.Option("--message", "-m", metavar="TEXT", help="Text; repeatable, joined by a blank line."),
]
File = Annotated[
    Optional[list[str]],
    typer.Option("--file", "-F", metavar="FILE|-", help="Text from a file, after the -m texts."),
]
Attach = Annotated[
    Optional[list[str]],
    typer.Option("--attach", metavar="FILE", help="Attach a file (image, PDF, audio, text)."),
]
Role = Annotated[Optional[str], typer.Option("--role", metavar="ROLE", help="user (default) or model.")]
Kind = Annotated[
    Optional[str], typer.Option("--kind", metavar="KIND", help="user, codeh, tool, error or info.")
]
Call = Annotated[
    Optional[list[str]],
    typer.Option("--call", metavar="NAME", help="A tool call of the model's; repeatable, in one message."),
]
Args = Annotated[
    Optional[list[str]],
    typer.Option("--args", metavar="JSON", help="The call's arguments; one for each call, in order."),
]
CallId = Annotated[
    Optional[list[str]],
    typer.Option("--call-id", metavar="ID", help="The id of each call, or of the call answered."),
]
Result = Annotated[
    Optional[str],
    typer.Option(
        "--result", metavar="NAME", help="A tool's result; text or JSON object from -m, -F or stdin."
    ),
]
Failed = Annotated[bool, typer.Option("--failed", help="The tool failed; the text is its error.")]
References = Annotated[
    Optional[str],
    typer.Option("--references", metavar="FILE", help="JSON list of {id, title?, url?, text, score?}."),
]
Exchange = Annotated[
    Optional[str],
    typer.Option(
        "--exchange",
        metavar="FILE|-",
        help="A history entry: {userMessage, assistantResponse, toolsUsed?, source?}.",
    ),
]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="Many messages, one a line, all or nothing.")]
From = Annotated[
    Optional[str],
    typer.Option("--from", metavar="FORMAT", help="stdin is a provider's response: auto, or a provider."),
]
Stream = Annotated[
    bool, typer.Option("--stream", help="stdin is a text still being written: pending until it ends.")
]
Echo = Annotated[
    bool, typer.Option("--echo", help="With --from and --stream: print the text as it arrives.")
]
Key = Annotated[
    Optional[str],
    typer.Option("--key", metavar="K", help="Store once under this key, however often it is retried."),
]
Pin = Annotated[bool, typer.Option("--pin", help="Keep it verbatim through curation and compaction.")]
Pending = Annotated[bool, typer.Option("--pending", help="Not committed yet (see update, commit).")]
Redact = Annotated[
    bool, typer.Option("--redact", help="Replace secrets by [redacted:kind] first; best effort.")
]
MaxItems = Annotated[
    Optional[int],
    typer.Option("--max-items", metavar="N", help="Then hide the oldest turns above N messages."),
]


def command(
    ctx: typer.Context,
    message: Message = None,
    file: File = None,
    attach: Attach = None,
    role: Role = None,
    kind: Kind = None,
    call: Call = None,
    args: Args = None,
    call_id: CallId = None,
    result: Result = None,
    failed: Failed = False,
    references: References = None,
    exchange: Exchange = None,
    jsonl: Jsonl = False,
    from_: From = None,
    stream: Stream = False,
    echo: Echo = False,
    max_bytes: MaxBytes = None,
    key: Key = None,
    pin: Pin = False,
    pending: Pending = False,
    redact: Redact = False,
    max_items: MaxItems = None,
    session: Session = None,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    way = way_of({"--from": from_, "--stream": stream, "--jsonl": jsonl, "--exchange": exchange})
    if (echo or max_bytes) and way not in ("--from", "--stream"):
        raise Usage(f"{'--echo' if echo else '--max-bytes'} goes with --from and --stream")
    given = Given(
        message=message or (), file=file or (), role=role, kind=kind, attach=attach or (), call=call or (),
        args=args or (), call_id=call_id or (), result=result, failed=failed, references=references,
        key=key, pin=pin, pending=pending, max_items=max_items, redact=redact,
    )  # fmt: skip
    if way == "--from":
        return receive(env, session, str(from_), given, max_bytes, echo=echo)
    if way == "--stream":
        return follow(env, session, given, max_bytes, echo=echo)
    if way == "--jsonl":
        return batch(env, session, given)
    if way == "--exchange":
        return store_entry(env, session, str(exchange), given)
    if given == Given(message=given.message, file=given.file, role=role, kind=kind):
        return append.run(env, session=session, message=message, file=file, role=role, kind=kind)
    from ..append import message as compose

    return compose.run(env, session, given)


def way_of(given: dict[str, object]) -> str:
    """In which way the content is given, "" for texts and parts; Usage where two are."""
    way, *more = [name for name, value in given.items() if value not in (None, False)] or [""]
    if more:
        raise Usage(f"{way} and {more[0]}: one of them")
    return way


def only(given: Given, taken: Given, rule: str) -> None:
    """Refuse what would be left out without a word."""
    if given != taken:
        raise Usage(rule)


def batch(env: Env, session: str | None, given: Given) -> int:
    """Append every line as a message."""
    only(
        given, Given(file=given.file[:1], redact=given.redact), "--jsonl goes with one -F and --redact only"
    )
    from ..append import jsonl as batch

    return batch.run(env, session, next(iter(given.file), None), redact=given.redact)


def store_entry(env: Env, session: str | None, file: str, given: Given) -> int:
    """Store a history entry as the exchange that it tells."""
    only(given, Given(), "--exchange goes with -s and -q only")
    from ..append import exchange

    return exchange.run(env, session, file)


def follow(env: Env, session: str | None, given: Given, max_bytes: str | None, *, echo: bool) -> int:
    """Store what stdin says while it says it; its id, or with echo the text, goes to stdout."""
    rule = "--stream goes with --role, --kind, --echo, --max-bytes, -s and -q only"
    only(given, Given(role=given.role, kind=given.kind), rule)
    from ..base import amounts
    from ..receive import stream as streaming
    from ..store.resolve import for_writing

    target = for_writing(env, session)
    echo = echo or env.terminal(env.stdout)
    most = amounts.size(max_bytes)
    received = streaming.run(env, target, given.role, given.kind, echo=echo, most=most)
    tell(env, target.id, received, echo=echo)
    return 0


def receive(
    env: Env, session: str | None, format: str, given: Given, max_bytes: str | None, *, echo: bool
) -> int:
    """Store a provider's answer from stdin; its id, or with echo its text, goes to stdout."""
    if given.redact:
        raise Usage("--redact goes with what you append; for a whole session there is `redact`")
    only(given, Given(), "--from goes with --echo, --max-bytes, -s and -q only")
    from ..base import amounts
    from ..receive import answer as receiving
    from ..store.paths import hint
    from ..store.resolve import for_writing

    if format != "auto" and format not in providers.TARGETS:
        raise Usage(f"--from {format}: auto, {', '.join(providers.TARGETS)}")
    target = for_writing(env, session)
    if not os.path.exists(target.path):
        raise NotFound(f"{target.path}: no such session{hint(target.path)}; an answer never starts one")
    echo = echo or env.terminal(env.stdout)
    reader = providers.reader(None if format == "auto" else format)
    most = amounts.size(max_bytes)
    received = receiving.receive(env, target, env.stdin, reader, echo=echo, most=most)
    tell(env, target.id, received, echo=echo)
    return 0
