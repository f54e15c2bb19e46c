"""Jinja templates for the last user message and the system prompt, rendered in a process of their own."""

from __future__ import annotations

from collections.abc import Sequence

from ...base.errors import BadData, Usage
from ...base.input import Text, decode, from_file, read_file
from ...base.patterns import SECONDS
from ...base.shared_options import Sending
from ...providers.request import Options
from ...session.exchanges import is_prompt
from ...session.model import Json, Message
from ...session.view import View, text_of
from . import template_process


def rendered(view: View, options: Options, flags: Sending) -> tuple[View, Options]:
    """Return a view and options with the rendered texts; the session is not changed.

    The rendered text, or `rendered_user`, replaces the text of the last user message; its attachments stay.
    Templates see `message` (that text), `context` (the system prompt) and `vars`.
    """
    messages = list(view.messages)
    seconds = flags.timeout or SECONDS
    last = next((n for n in range(len(messages) - 1, -1, -1) if is_prompt(messages[n])), None)
    original = text_of(messages[last]) if last is not None else ""
    values: Json = {"message": original, "context": options.system or "", "vars": variables(flags.var)}
    if flags.rendered_user is not None and last is not None:
        messages[last] = _with_text(messages[last], from_file(flags.rendered_user))
    elif flags.user_template and last is not None:
        text = render(flags.user_template, values, seconds)
        messages[last] = _with_text(messages[last], text)
    if flags.system_template:
        options = options.but(system=render(flags.system_template, values, seconds))
    return view.with_messages(messages), options


def variables(pairs: Sequence[str]) -> dict[str, str]:
    """Parse `NAME=VALUE` pairs; raise Usage for anything else, or a repeated name."""
    result: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Usage(f"--var {pair}: expected NAME=VALUE")
        if name in result:
            raise Usage(f"--var {name}: given twice, and it takes one value")
        result[name] = value
    return result


def render(name: str, values: Json, seconds: float = SECONDS) -> str:
    """Render a template file or text; raise BadData naming the line of an error in it."""
    import marshal
    import signal
    import subprocess
    import sys

    source, name = decode(read_file(name), name), "template" if isinstance(name, Text) else name
    done = subprocess.run(
        [sys.executable, "-P", template_process.__file__, repr(seconds)],
        input=marshal.dumps((name, source, values)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        check=False,
    )  # fmt: skip
    if done.returncode == -signal.SIGALRM:
        raise BadData(f"{name}: it takes longer than {seconds:g} s (--timeout allows more)")
    if done.returncode:
        raise BadData(f"{name}: it exceeds the memory limit")
    error, text = marshal.loads(done.stdout)  # noqa: S302 - from our own process
    if error:
        raise BadData(error)
    return str(text)


def _with_text(message: Message, text: str) -> Message:
    """Replace the message's texts, references included, with this one, at the position of the first."""
    texts = [n for n, part in enumerate(message.parts) if "text" in part and not part.get("thought")]
    parts = [part for number, part in enumerate(message.parts) if number not in texts[1:]]
    if texts:
        parts[texts[0]] = {**parts[texts[0]], "text": text}
    else:
        parts.append({"text": text})
    copy = message.derive(parts)
    copy.own, copy.blocks, copy.replaced = parts, None, None  # so that a compaction shortens this text
    copy.fields = {key: value for key, value in message.fields.items() if key != "references"}
    return copy
