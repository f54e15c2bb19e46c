"""Make the file from which another program resumes a session, its path, and the command for that."""

from __future__ import annotations

import glob
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData, InputOutput
from ...filters.curate import passes
from ...filters.curate.passes import Settings
from ...programs import registry, writing
from ...programs.protocol import SessionInfo, Written
from ...session import sources
from ...session.view import View
from ...store import new_file
from ...store.program_files import is_database, opened, sessions_in
from ...store.program_files.folders import files_of, folder_of

_LONGEST = 1 << 24  # bytes read of a program's existing file


class ProgramFile(NamedTuple):
    """A file for a program, not yet written.

    `cwd`: where the session continues, "" if that does not exist. `place`: the path where the program looks
    for it, "" if the program imports it.
    """

    session: str
    program: str
    cwd: str
    place: str
    written: Written


def make(
    env: Env, view: View, program: str, *, cwd: str | None = None, title: str | None = None,
    install: bool = False, of: tuple[object, ...] = (), id: str | None = None,
) -> ProgramFile:  # fmt: skip
    """Make the file of a view, valid for any provider; raise BadData if it has no message.

    Without `cwd` it continues in the directory it was begun in, else in the current one; with `install` in
    one that exists. The new session's id is `id`, else a hash of `of`, else random.
    """
    whole, _, _ = passes.curate(sources.rendered(view), Settings(unanswered="stub"), ("pairs",))
    whole = whole.with_messages(sources.listed(whole.messages))
    if not whole.summaries and not whole.sent:
        raise BadData(f"{view.id or 'the session'}: no message to write; append one first")
    named = title if title is not None else view.meta.get("title")
    where = directory(env, view, cwd, or_current=install)
    id = id or writing.uuid(program, *((where, *of) if of else (env.new_id(view.id, 0),)))
    folder = folder_of(env, registry.program(program).places[0])
    title = named if isinstance(named, str) and named else None
    written = registry.write(
        program, whole, SessionInfo(id, where, title, env.now(), partial(_kept_file, folder))
    )
    place = os.path.join(folder, *written.name.split("/")) if not written.imported else ""
    exists = os.path.isdir(where) or (cwd is not None and not install)  # else it may exist elsewhere
    return ProgramFile(view.id or "-", program, where if exists else "", place, written)


def _kept_file(folder: str, name: str) -> bytes:
    """Return the content of the program's existing file; empty if it cannot be read."""
    try:
        with open(os.path.join(folder, *name.split("/")), "rb") as file:
            return file.read(_LONGEST)
    except OSError:
        return b""


def directory(env: Env, view: View, cwd: str | None, *, or_current: bool = False) -> str:
    """Return the directory in which a session continues, links resolved; note one that does not exist.

    With `or_current` the current directory replaces one that does not exist.
    """
    own = view.header.get("cwd") if view.header else None
    wanted = cwd if cwd is not None else own if isinstance(own, str) and own else env.cwd()
    if os.path.isdir(wanted):
        return os.path.realpath(wanted)
    current = os.path.realpath(env.cwd()) if or_current and cwd is None and env.cwd() else ""
    instead = current or os.path.abspath(wanted)
    where = "" if instead == os.path.abspath(wanted) else f"; it continues in {instead}"
    env.note(f"{view.id}: {wanted} does not exist{where}; --cwd DIR names another")
    return instead


def note_left_out(env: Env, file: ProgramFile) -> None:
    """Note what was left out or changed, one line per reason."""
    by_reason: dict[str, list[str]] = {}
    for note in file.written.notes:
        by_reason.setdefault(note.partition(": ")[2], []).append(note)
    for why, notes in by_reason.items():
        env.note(f"{file.session}: {notes[0] if len(notes) == 1 else f'{len(notes)} messages: {why}'}")
    left_out = writing.format_counts(file.written.left_out)
    if left_out:
        env.note(f"{file.session}: left out: {left_out}")


def put(env: Env, file: ProgramFile, output: str | None, *, install: bool = False) -> str:
    """Write the file to a new path or to stdout, and return the next step.

    With `install` write it where its program looks for it, or have the program import it.
    """
    if install:
        if file.written.imported:
            _import_file(env, file)
        else:
            new_file.write(file.place, file.written.data, folders=True)
        return f"resume with: {command(file, file.written.resume)}"
    if output is None or output == "-":
        env.write(file.written.data)
        path = "FILE"
    else:
        new_file.write(output, file.written.data)
        path = os.path.abspath(output)
    if resume := resumed(file, path):
        return f"resume with: {resume}"
    return f"put it at {shlex.quote(file.place)} and resume with: {command(file, file.written.resume)}"


def resumed(file: ProgramFile, path: str) -> str | None:
    """Return the command that resumes the file at this path; None if it must be moved first."""
    if file.written.imported:
        return f"{command(file, [*file.written.imported, path])} && {shlex.join(file.written.resume)}"
    ending = os.path.splitext(file.written.name)[1]
    taken = file.written.taken and path.endswith(ending)  # programs ignore files with another extension
    return command(file, [*file.written.taken, path]) if taken else None


def installed(env: Env, file: ProgramFile, *, in_folder: bool = False) -> tuple[str, str] | None:
    """Return the path and id of the same session in the program; None if it has none.

    With `in_folder` search only the new file's folder, because other folders may have the same id.
    """
    id, folder = file.written.resume[-1], os.path.dirname(file.place)
    paths = (
        glob.iglob(f"{glob.escape(folder)}/*.json*") if in_folder
        else (file.path for file in files_of(env, [file.program]))
    )  # fmt: skip
    for path in paths:
        if id in path or f"-{id[:8]}.json" in path:  # the latter is Gemini CLI's form
            return path, id
        if not in_folder and is_database(path):  # opencode's ids begin with the time, so compare their ends
            with opened(path) as database:
                for session in sessions_in(database, file.program):
                    if session.id[-14:] == id[-14:]:
                        return path, session.id
    return None


def _import_file(env: Env, file: ProgramFile) -> None:
    """Have the program import the file; raise InputOutput if it fails."""
    words = file.written.imported
    with tempfile.NamedTemporaryFile(suffix=os.path.basename(file.written.name)) as temp:
        temp.write(file.written.data)
        temp.flush()
        try:
            done = subprocess.run(
                [*words, temp.name], cwd=file.cwd or None, env=dict(env.environ), stdin=subprocess.DEVNULL,
                capture_output=True, check=False,
            )  # fmt: skip
        except OSError as error:
            raise InputOutput(
                f"{shlex.join(words)}, in {file.cwd}: {error.strerror}; --output FILE writes the file alone"
            ) from None
    output = " ".join((done.stdout + done.stderr).decode("utf-8", "replace").split())
    if done.returncode or file.written.resume[-1] not in output:
        raise InputOutput(f"{shlex.join(words)}: {output[-300:] or f'exit {done.returncode}'}")


def command(file: ProgramFile, words: Sequence[str]) -> str:
    """Return a command line that runs in the session's directory."""
    return f"cd {shlex.quote(file.cwd)} && {shlex.join(words)}" if file.cwd else shlex.join(words)
