"""A session → a file that another program goes on with, where that belongs, and the command for it."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, InputOutput
from ..filters.curate import passes
from ..filters.curate.base import Settings
from ..programs import sessions, writing
from ..programs.protocol import About, Written
from ..session import sources
from ..session.view import View
from ..store import new_file
from ..store.program_files.folders import folder_of

_LONGEST = 1 << 24  # bytes of a program's own file that are looked at


class Made(NamedTuple):
    """A file for a program, not yet anywhere: where it belongs, and in which directory it goes on.

    `place`: "" where the program itself takes it in.
    """

    session: str
    program: str
    cwd: str
    place: str
    written: Written


def make(env: Env, view: View, program: str, *, cwd: str | None = None, title: str | None = None) -> Made:
    """The file of a view, made valid for any provider; BadData where there is no message in it.

    Without `cwd` it goes on in the session's own directory, else in this one.
    """
    whole, _, _ = passes.curate(sources.rendered(view), Settings(unanswered="stub"), ("pairs",))
    whole = whole.with_messages(sources.listed(whole.messages))
    if not whole.summaries and not any(m.role is not None and m.committed for m in whole.messages):
        raise BadData(f"{view.id or 'the session'}: no message to write; append one first")
    named = title if title is not None else view.meta.get("title")
    where = directory(env, view, cwd)
    id = writing.uuid(program, env.new_id(view.id, 0))
    folder = folder_of(env, sessions.places(program)[0])
    title = named if isinstance(named, str) and named else None
    written = sessions.written(program, whole, About(id, where, title, env.now(), partial(_known, folder)))
    place = os.path.join(folder, *written.name.split("/")) if not written.imported else ""
    return Made(view.id or "-", program, where, place, written)


def _known(folder: str, name: str) -> bytes:
    """What the program keeps in a file; nothing where it cannot be read."""
    try:
        with open(os.path.join(folder, *name.split("/")), "rb") as file:
            return file.read(_LONGEST)
    except OSError:
        return b""


def directory(env: Env, view: View, cwd: str | None) -> str:
    """The directory in which a session goes on, without links; one that is not here is noted."""
    own = view.header.get("cwd") if view.header else None
    found = cwd if cwd is not None else own if isinstance(own, str) and own else env.cwd()
    if not os.path.isdir(found):
        env.note(f"{view.id}: {found} is no directory here; --cwd DIR names another")
        return os.path.abspath(found)
    return os.path.realpath(found)


def tell_left(env: Env, made: Made) -> None:
    """Say what the file does not hold as it was, what several messages have in common once."""
    found: dict[str, list[str]] = {}
    for note in made.written.notes:
        found.setdefault(note.partition(": ")[2], []).append(note)
    for why, notes in found.items():
        env.note(f"{made.session}: {notes[0] if len(notes) == 1 else f'{len(notes)} messages: {why}'}")
    left = writing.told(made.written.left)
    if left:
        env.note(f"{made.session}: left out: {left}")


def print_out(env: Env, made: Made) -> str:
    """Write the file on stdout; returns what to do with it."""
    env.write(made.written.data)
    return _to_be_put(made)


def save(made: Made, path: str) -> str:
    """Write the file under a new name; returns how to go on."""
    new_file.write(path, made.written.data)
    found = resumed(made, os.path.abspath(path))
    return f"resume with: {found}" if found else _to_be_put(made)


def resumed(made: Made, path: str) -> str | None:
    """The command that goes on with the file at this path; None where it must be put in its place first."""
    if made.written.imported:
        return f"{command(made, [*made.written.imported, path])} && {shlex.join(made.written.resume)}"
    ending = os.path.splitext(made.written.name)[1]
    taken = made.written.taken and path.endswith(ending)  # a file of another ending is no session to them
    return command(made, [*made.written.taken, path]) if taken else None


def install(env: Env, made: Made) -> str:
    """Write the file where its program looks, or have the program take it in; returns how to go on."""
    if made.written.imported:
        _imported(env, made)
        return f"resume with: {command(made, made.written.resume)}"
    new_file.write(made.place, made.written.data, folders=True)
    return f"resume with: {command(made, made.written.resume)}"


def _imported(env: Env, made: Made) -> None:
    """Have the program take the file in; InputOutput where it does not."""
    words = made.written.imported
    with tempfile.NamedTemporaryFile(suffix=os.path.basename(made.written.name)) as file:
        file.write(made.written.data)
        file.flush()
        try:
            done = subprocess.run(
                [*words, file.name], cwd=made.cwd, env=dict(env.environ), stdin=subprocess.DEVNULL,
                capture_output=True, check=False,
            )  # fmt: skip
        except OSError as error:
            raise InputOutput(
                f"{shlex.join(words)}, in {made.cwd}: {error.strerror}; --output FILE writes the file alone"
            ) from None
    said = " ".join((done.stdout + done.stderr).decode("utf-8", "replace").split())
    if done.returncode or made.written.resume[-1] not in said:
        raise InputOutput(f"{shlex.join(words)}: {said[-300:] or f'exit {done.returncode}'}")


def _to_be_put(made: Made) -> str:
    if made.written.imported:
        return f"resume with: {resumed(made, 'FILE')}"
    return f"put it at {shlex.quote(made.place)} and resume with: {command(made, made.written.resume)}"


def command(made: Made, words: Sequence[str]) -> str:
    """A command line that runs in the session's directory."""
    return f"cd {shlex.quote(made.cwd)} && {shlex.join(words)}"
