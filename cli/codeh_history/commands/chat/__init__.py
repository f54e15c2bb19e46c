"""Chat with a model: answers stream, every turn is stored at once."""

from __future__ import annotations

import glob
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import partial

from ...base import config
from ...base.env import Env
from ...base.errors import HistoryError, NotFound, Usage
from ...base.input import from_file, read_file
from ...base.options import ARGUMENT, COMPACT_VIA, MAX_BYTES, MOST_BYTES, NEW, PROFILE, VIA, Writing
from ...base.shared_options import Sending
from ...base.words import plural, suggestion
from ...session.pairing import open_at_end
from ...store.resolve import for_writing
from ...talk.append.text import target_of
from ...talk.send.readiness import unanswered
from .. import fork, set_, show
from ..ask import Options as Asking
from ..undo import undo
from .talk import RETRY, Lines, Removed, Talk

EXAMPLES = """\
  codeh-history chat -p local                   # /help lists what else may be typed, Ctrl-D leaves
  codeh-history chat @                          # continues the session of the newest message
  printf 'Why is the sky blue?\\nAnd on Mars?\\n' | codeh-history chat demo    # a prompt a line
"""
STRAY = "the session is the only argument; prompts are typed, or piped in, a line each"


class Options(Writing, Sending, without=("pretty", "explain", "json", "persist")):
    argument: str | None = ARGUMENT
    new: bool = NEW
    via: str | None = VIA.but(section="Request")
    compact_via: str | None = COMPACT_VIA.but(section="Compaction")
    max_bytes: int | None = MAX_BYTES
    profile: str | None = PROFILE.but(section="Request")


def run(env: Env, options: Options) -> int:
    """Return the exit code of the last failure; on a terminal, which showed each error, 0."""
    most = options.max_bytes or MOST_BYTES
    target = target_of(env, options.session, options.argument, new=options.new)
    talk = Talk(env, target, options.part(Asking), most)
    talk.check()
    lines = Lines(env, partial(completions, talk))
    if lines.typed:
        welcome(talk)
    code = 0
    while not talk.ended:
        try:
            text = lines.prompt()
            if text is None:
                break
            do(talk, text)
        except KeyboardInterrupt:
            if not lines.typed:
                raise
            continue  # Ctrl-C dropped the line, or stopped the answer, as was noted
        except Removed:
            raise
        except (HistoryError, OSError) as error:
            failure = error if isinstance(error, HistoryError) else env.io_error(error)
            code = failure.exit_code
            if str(failure):
                env.warn(str(failure))
    return 0 if lines.typed else code


# -- commands -------------------------------------------------------------------------------------------


def do(talk: Talk, text: str) -> None:
    """Run a command, whose name may be shortened, or send a prompt; `//` escapes a leading slash."""
    if not text.startswith("/") or text.startswith("//"):
        prompt = text.removeprefix("/")
        talk.must_exist(prompt)
        talk.turn(prompt)
        return
    talk.must_exist("")
    word, _, rest = text.partition(" ")
    names = [word] if word in COMMANDS else [name for name in COMMANDS if name.startswith(word)]
    if len(names) != 1:
        hint = suggestion(word, COMMANDS, "/help lists what there is")
        raise Usage(f"{word}: no such command; {hint} (//… sends a prompt that begins with /)")
    COMMANDS[names[0]][2](talk, rest.strip())


def welcome(talk: Talk) -> None:
    """Show the last exchange, what is unanswered, and the provider of the next prompt."""
    env, view = talk.env, talk.view()
    sent = [message for message in view.messages if message.role is not None]
    if sent and env.terminal(env.stdout):
        show.run(env, show.Options(session=talk.target.path, last=2, no_pager=True))
        env.draw(b"\n")
    where = "a new session" if talk.unnamed else f"{talk.target.id}: {plural(len(sent), 'message')}"
    env.note(f"{where}; {' '.join(filter(None, talk.provider_and_model(view)))}; /help, Ctrl-D leaves")
    if unanswered(view) is not None:
        env.note(f"the last prompt is unanswered: {RETRY} sends it")
    elif calls := open_at_end(view.messages):
        env.note(f"tool calls wait: {', '.join(call.name for call in calls)} (`codeh-history calls`)")


def _edit(talk: Talk, rest: str) -> None:
    env = talk.env
    editor = env.environ.get("VISUAL") or env.environ.get("EDITOR") or "vi"
    with tempfile.NamedTemporaryFile("w+", suffix=".md", encoding="utf-8") as file:
        file.write(rest)
        file.flush()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the editor handles Ctrl-C
        try:
            stdin = None if env.terminal(env.stdin) else subprocess.DEVNULL
            code = subprocess.call(["/bin/sh", "-c", f'{editor} "$1"', "sh", file.name], stdin=stdin)
        finally:
            signal.signal(signal.SIGINT, before)
        text = read_file(file.name).decode("utf-8", "surrogateescape").rstrip("\n")
    if code:
        raise Usage(f"{editor} exited with {code}; nothing is sent ($EDITOR chooses the editor)")
    if not text.strip():
        env.note("the text is empty; nothing is sent")
        return
    talk.turn(text)


def _undo(talk: Talk, _rest: str) -> None:
    done = undo(talk.env, talk.target, None, turn=True)
    talk.env.note(f"undid the last prompt and what followed ({plural(len(done), 'record')})")


def _model(talk: Talk, rest: str) -> None:
    if rest:
        talk.options = talk.options.but(model=rest)
    to, model = talk.provider_and_model(talk.view())
    talk.env.note(f"{to}: {model or 'no model set (the URL may name one)'}")


def _profile(talk: Talk, rest: str) -> None:
    if not rest:
        named = config.profiles(talk.env)
        talk.env.note(f"profiles: {', '.join(named) or 'none'}; {talk.options.profile or 'none'} selected")
        return
    before, talk.options = talk.options, talk.options.but(profile=rest, to=None, via=None, model=None)
    try:
        talk.check()
    except Usage:
        talk.options = before
        raise
    _model(talk, "")


def _attach(talk: Talk, rest: str) -> None:
    if rest:
        file = os.path.expanduser(rest.strip("'\""))
        if not os.path.isfile(file):
            raise Usage(f"{file}: no such file")
        talk.attached.append(file)
    talk.env.note(f"with the next prompt: {', '.join(talk.attached) or 'no file'}")


def _system(talk: Talk, rest: str) -> None:
    if rest:
        if talk.unnamed and not talk.existed:
            from_file(rest)  # refuses a missing file; the first prompt names the session, and stores it
        else:
            set_.run(talk.env, set_.Options(settings=[f"system={rest}"], session=talk.target.path))
            talk.stored()
        talk.options = talk.options.but(system=rest)  # takes precedence over a profile
        return
    resolved = talk.resolved()
    text = talk.view().meta.get("system") or resolved.base.get("system")
    if (system := resolved.request.system) is not None:
        text = from_file(system)
    talk.env.write(f"{text or 'no system prompt'}\n".encode("utf-8", "replace"))


def _show(talk: Talk, rest: str) -> None:
    last = show.Options.coerce("last", rest or None, "/show")
    show.run(talk.env, show.Options(session=talk.target.path, last=last))


def _fork(talk: Talk, rest: str) -> None:
    if talk.size() <= 0:
        raise NotFound(f"{talk.target.id}: nothing to copy yet")
    before = talk.target.id
    new = fork.copy(talk.env, talk.target, None, rest or None)
    talk.target = for_writing(talk.env, new)
    talk.env.note(f"continuing in {talk.target.id}, a copy of {before}")


def _help(talk: Talk, _rest: str) -> None:
    usage = [(f"{name} {takes}".rstrip(), help) for name, (takes, help, _) in COMMANDS.items()]
    usage += [("line \\", "continue the prompt in the next line"), ("//…", "a prompt that begins with /")]
    usage += [("Ctrl-C", "stops the answer; the received part stays pending"), ("Ctrl-D", "leaves")]
    talk.env.print(*(f"{name:<21}{help}" for name, help in usage))


def _quit(talk: Talk, _rest: str) -> None:
    talk.ended = True


COMMANDS: dict[str, tuple[str, str, Callable[[Talk, str], None]]] = {  # arguments, help, function
    "/edit": ("[TEXT]", "write the prompt with $EDITOR", _edit),
    "/undo": ("", "take back the last prompt and what followed; nothing is deleted", _undo),
    RETRY: ("", "ask again, or for another answer", lambda talk, _: talk.retry()),
    "/model": ("[MODEL]", "the model from now on, or which it is", _model),
    "/profile": ("[NAME]", "switch to a profile of config.toml, or list them", _profile),
    "/attach": ("[FILE]", "a file to go with the next prompt", _attach),
    "/system": ("[TEXT|@FILE]", "the system prompt from now on, or what it is", _system),
    "/show": ("[N]", "the conversation, or its last N messages", _show),
    "/fork": ("[NEW]", "continue in a copy; this session is unchanged", _fork),
    "/help": ("", "this list", _help),
    "/quit": ("", "leave; `chat` resumes the session", _quit),
}


def completions(talk: Talk, before: str, word: str) -> Sequence[str]:
    """Complete a command, or its argument."""
    command = before.split(maxsplit=1)[0] if before.strip() else ""
    names: Sequence[str] = ()
    if not command:
        names = [f"{name} " for name in COMMANDS] if word else ()
    elif command == "/profile":
        names = config.profiles(talk.env)
    elif command == "/model":
        names = sorted({m.model for m in talk.view().messages if m.model})
    elif command == "/attach":
        paths = sorted(glob.glob(glob.escape(os.path.expanduser(word)) + "*"))
        return [f"{path}/" if os.path.isdir(path) else path for path in paths]
    return [name for name in names if name.startswith(word)]
