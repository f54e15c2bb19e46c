"""What is written for a program is read back as it was, and there is nothing wrong with it."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings

import histories
import sent
from agents import AGENTS
from codeh_history import providers
from codeh_history.programs import records, sessions, writing
from codeh_history.programs.model import Session
from codeh_history.programs.protocol import About, Written
from codeh_history.providers.base import Options
from codeh_history.providers.turns import CONTINUATION
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from codeh_history.session.view import View
from codeh_history.store.program_file import File

PROGRAMS = pytest.mark.parametrize("program", sessions.WRITTEN)
ABOUT = About(writing.uuid("a test"), "/home/dev/project", "A title", "2026-01-02T03:04:05.000Z")


def read_back(program: str, written: Written) -> Session:
    """The session that our own reader finds in the file, under its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(written.name))
        with open(path, "wb") as file:
            file.write(written.data)
        with open(path, "rb") as file:
            opened = File(file.fileno(), path)
            assert sessions.whose(opened.head) == program
            (session,) = sessions.read(program, opened)
            return session


def view_of(session: Session) -> View:
    first = json.dumps(records.header(session, records.session_id(session), "p")).encode() + b"\n"
    return fold(parse(lines_of(first + records.lines(records.records(session), "p"))))


def turns(program: str, view: View) -> list[Any]:
    """What the program's provider is sent of a view: texts, calls, results, media."""
    speaks = AGENTS[program].speaks
    prepared, _ = writing.prepared(view, "")
    asked = [*prepared.messages, histories.session([histories.user({"text": "next"})]).messages[0]]
    summaries = [summary.text for summary in view.summaries]
    body = providers.load(speaks).request(asked, Options(model="m"), summaries).body
    found = sent.turns(speaks, body)
    if found[0]["parts"][0] == {"text": CONTINUATION}:
        found[0]["parts"] = found[0]["parts"][1:] or [{"text": ""}]
    return found


@PROGRAMS
@given(histories.conversations())
@settings(max_examples=40)
def test_any_history_is_read_back_equal(program: str, messages: list[dict[str, Any]]) -> None:
    view = histories.sendable(messages)
    written = sessions.written(program, view, ABOUT)
    session = read_back(program, written)
    assert session.problems == []
    assert turns(program, view_of(session)) == turns(program, view)
    assert session.cwd == ABOUT.cwd
    assert session.settings["title"] == ABOUT.title


def test_ids_are_of_the_kind_that_programs_make() -> None:
    import uuid

    assert uuid.UUID(writing.uuid("one")).version == 4
    assert writing.uuid("one") != writing.uuid("two")
