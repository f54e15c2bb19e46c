"""A session → a file that another program resumes, its place, and the command that resumes it."""

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

_LONGEST = 1 << 24  # bytes of a program's own file that are looked at


class ProgramFile(NamedTuple):
    """A file for a program, not yet anywhere: where it belongs, and in which directory it continues.

    `cwd`: "" where that does not exist. `place`: "" where the program itself takes it in.
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
    """The file of a view, made valid for any provider; BadData if it has no message.

    Without `cwd` it continues in the session's own directory, else in this one; if it is to be installed,
    in one that exists. `of`: what the new session's id is made of, instead of a random one; `id`: its id.
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
    written = registry.written(
        program, whole, SessionInfo(id, where, title, env.now(), partial(_kept_file, folder))
    )
    place = os.path.join(folder, *written.name.split("/")) if not written.imported else ""
    exists = os.path.isdir(where) or (cwd is not None and not install)  # else it may exist elsewhere
    return ProgramFile(view.id or "-", program, where if exists else "", place, written)


def _kept_file(folder: str, name: str) -> bytes:
    """What the program keeps in a file; nothing where it cannot be read."""
    try:
        with open(os.path.join(folder, *name.split("/")), "rb") as file:
            return file.read(_LONGEST)
    except OSError:
        return b""


def directory(env: Env, view: View, cwd: str | None, *, or_current: bool = False) -> str:
    """The directory in which a session continues, without links; one that does not exist is noted.

    `or_current`: the current directory is taken if the session's own does not exist.
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
    """Note what was left out or changed, a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for note in file.written.notes:
        by_reason.setdefault(note.partition(": ")[2], []).append(note)
    for why, notes in by_reason.items():
        env.note(f"{file.session}: {notes[0] if len(notes) == 1 else f'{len(notes)} messages: {why}'}")
    left_out = writing.format_counts(file.written.left_out)
    if left_out:
        env.note(f"{file.session}: left out: {left_out}")


def put(env: Env, file: ProgramFile, output: str | None, *, install: bool = False) -> str:
    """Write the file under a new name, or to stdout; returns the next step.

    Installed it lies where its program looks, or the program takes it in.
    """
    if install:
        if file.written.imported:
            _imported(env, file)
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
    """The command that resumes the file at this path; None if it must be put in its place first."""
    if file.written.imported:
        return f"{command(file, [*file.written.imported, path])} && {shlex.join(file.written.resume)}"
    ending = os.path.splitext(file.written.name)[1]
    taken = file.written.taken and path.endswith(ending)  # a file of another ending is no session to them
    return command(file, [*file.written.taken, path]) if taken else None


def installed(env: Env, file: ProgramFile, *, in_folder: bool = False) -> tuple[str, str] | None:
    """Where the program has the same session already, and its id; None where it has none.

    `in_folder`: only in the folder of the new file, because another may have one of the same id.
    """
    id, folder = file.written.resume[-1], os.path.dirname(file.place)
    paths = (
        glob.iglob(f"{glob.escape(folder)}/*.json*") if in_folder
        else (file.path for file in files_of(env, [file.program]))
    )  # fmt: skip
    for path in paths:
        if id in path or f"-{id[:8]}.json" in path:  # the latter by Gemini CLI
            return path, id
        if not in_folder and is_database(path):  # opencode's ids begin with their time
            with opened(path) as database:
                for session in sessions_in(database, file.program):
                    if session.id[-14:] == id[-14:]:
                        return path, session.id
    return None


def _imported(env: Env, file: ProgramFile) -> None:
    """Have the program take the file in; InputOutput where it does not."""
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
    """A command line that runs in the session's directory."""
    return f"cd {shlex.quote(file.cwd)} && {shlex.join(words)}" if file.cwd else shlex.join(words)
