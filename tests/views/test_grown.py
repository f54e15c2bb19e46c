"""A file that grew is read from its end, and comes to what reading all of it comes to."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.programs import records, sessions
from codeh_history.programs.changes import changes
from codeh_history.programs.lines import Held
from codeh_history.session.fold import View, fold
from codeh_history.session.records import lines_of, parse
from codeh_history.store import program_files
from codeh_history.store.paths import path_of
from codeh_history.views import copy, grown
from length import examples
from program_files import Claude, Codex, Gemini, Pi, gemini_call, input_text

REACH = 700  # bytes


class Script:
    """A file that is made of what was drawn: `pick` is a drawn number, below what it is given."""

    def __init__(self, program: str, pick: Callable[[int], int]) -> None:
        self.pick = pick
        self.count = 0
        self.ids: list[str] = []
        self.file: Any = {"claude-code": Claude, "codex": Codex, "pi": Pi, "gemini-cli": Gemini}[program]()
        self.steps = [getattr(self, name) for name in STEPS[program]]

    def step(self) -> None:
        self.count += 1
        self.id = f"id{self.count}"
        self.steps[self.pick(len(self.steps))]()
        self.ids.append(self.id)

    @property
    def some(self) -> str:
        """An id that was used before, or none that is there."""
        return [*self.ids, "nowhere"][self.pick(len(self.ids) + 1)]

    def again(self) -> None:
        self.file.lines.append(self.file.lines[self.pick(len(self.file.lines))])

    # -- Claude Code and pi --------------------------------------------------------------------------------

    def user(self) -> None:
        self.file.user(self.id, f"asked {self.count}")

    def said(self) -> None:
        self.file.said(self.id, f"said {self.count}")

    def back(self) -> None:
        self.file.user(self.id, f"asked {self.count}", self.some)

    def used(self) -> None:
        self.file.called(self.id, f"call{self.count}")
        self.file.result(f"{self.id}r", f"call{self.count}", "done")

    def waits(self) -> None:
        self.file.called(self.id, f"call{self.count}")

    def late(self) -> None:
        self.file.result(self.id, f"call{self.pick(self.count)}", "late")

    # -- Claude Code ---------------------------------------------------------------------------------------

    def parallel(self) -> None:
        for n in (1, 2):
            self.file.called(f"{self.id}-{n}", f"call{self.count}-{n}", id=self.id, out=n)
        for n in (1, 2):
            self.file.result(f"{self.id}-r{n}", f"call{self.count}-{n}", "done", f"{self.id}-{n}")

    def more(self) -> None:
        self.file.said(self.id, "more", id=f"msg-{self.some}", out=self.count)

    def compacted(self) -> None:
        self.file.compacted(self.id, f"short {self.count}")

    def prompt(self) -> None:
        self.file.lines.append({"type": "last-prompt", "leafUuid": self.some, "sessionId": "x"})

    def title(self) -> None:
        kind = ("aiTitle", "customTitle")[self.pick(2)]
        type = {"aiTitle": "ai-title", "customTitle": "custom-title"}[kind]
        self.file.lines.append({"type": type, kind: f"t{self.pick(2)}", "sessionId": "x"})

    def aside(self) -> None:
        self.file.said(self.id, "aside", None, isSidechain=True)

    # -- pi ------------------------------------------------------------------------------------------------

    def kept(self) -> None:
        self.file.compacted(self.id, f"short {self.count}", self.some)

    def named(self) -> None:
        self.file.line("session_info", self.id, name=f"t{self.pick(2)}")

    def failed(self) -> None:
        self.file.said(self.id, "failed", stopReason="error")

    # -- Codex ---------------------------------------------------------------------------------------------

    def asks(self) -> None:
        if self.pick(3):
            self.file.line("turn_context", {"turn_id": self.id, "model": "m", "cwd": "/work"})
        self.file.user(f"asked {self.pick(3)}")

    def says(self) -> None:
        self.file.said(f"said {self.pick(3)}")

    def calls(self) -> None:
        self.file.called(f"call{self.count}")
        self.file.result(f"call{self.count}", "done")

    def early(self) -> None:
        self.file.result(f"call{self.count}", "done")
        self.file.called(f"call{self.count}")

    def counted(self) -> None:
        self.file.event("token_count", info={"last_token_usage": {"input_tokens": self.count}})

    def recorded(self) -> None:
        usage = {"input_tokens": self.count}
        self.file.line("token_usage_record", {"response_id": self.id, "usage": usage})

    def shorter(self) -> None:
        history = [input_text("asked 1"), input_text(f"short {self.count}")] if self.pick(2) else None
        self.file.compacted(f"short {self.count}", history)

    def rolled_back(self) -> None:
        self.file.event("thread_rolled_back", num_turns=1 + self.pick(2))

    # -- Gemini CLI ----------------------------------------------------------------------------------------

    def tells(self) -> None:
        self.file.said(self.id, f"said {self.count}" if self.pick(2) else "")

    def rewritten(self) -> None:
        self.file.said(self.some, f"said {self.count}", toolCalls=[gemini_call(self.id, "done")])

    def rewound(self) -> None:
        self.file.rewind(self.some)

    def replaced(self) -> None:
        snapshot = f"<state_snapshot>short {self.count}</state_snapshot>" if self.pick(2) else "kept"
        self.file.set(messages=[{"id": self.id, "type": "user", "content": [{"text": snapshot}]}])

    def called_so(self) -> None:
        self.file.set(summary=f"t{self.pick(2)}")


PLAIN = ["user", "said", "used"]
STEPS = {  # what is plain is drawn more often
    "claude-code": PLAIN * 6 + ["parallel", "waits", "late", "more", "compacted", "prompt", "title", "aside", "back"],
    "pi": PLAIN * 6 + ["waits", "late", "kept", "named", "failed", "back"],
    "codex": ["asks", "says", "calls", "counted", "recorded"] * 4 + ["shorter", "early", "rolled_back"],
    "gemini-cli": ["user", "tells"] * 6 + ["rewritten", "rewound", "replaced", "called_so"],
}  # fmt: skip


class Home:
    """A home, a file in it, and what an import of that knows."""

    def __init__(self, folder: str, program: str) -> None:
        self.env = Env({"CODEH_HOME": folder, "HOME": folder})
        self.program = program
        self.path = Path(folder, "session-x.jsonl")
        self.known: grown.Known | None = None
        self.from_the_end = 0

    def imported(self, lines: list[Any]) -> View:
        """Write these lines, and bring the copy up to date."""
        self.path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        with program_files.opened(str(self.path)) as file:
            found = self.known and grown.bring(self.env, file, self.program, self.known, reach=REACH)
            if found:
                self.from_the_end += 1
                brought, self.known = found
            else:
                (session,) = program_files.sessions_in(file, self.program)
                brought = copy.bring(self.env, session, str(self.path))
                self.known = grown.known(self.env, file, session, brought.id, reach=REACH)
        return fold(parse(lines_of(Path(path_of(self.env, brought.id)).read_bytes())))


@pytest.mark.parametrize("program", STEPS)
@given(st.data())
@settings(max_examples=examples(12))
def test_it_comes_to_what_reading_all_comes_to(program: str, data: st.DataObject) -> None:
    script = Script(program, lambda below: data.draw(st.integers(0, below - 1)))
    for _ in range(12):
        script.step()
    with tempfile.TemporaryDirectory() as folder:
        home = Home(folder, program)
        home.imported(script.file.lines)
        for _ in range(data.draw(st.integers(1, 4))):
            for _ in range(data.draw(st.integers(1, 3))):
                script.step()
            before = home.from_the_end
            view = home.imported(script.file.lines)
            if home.from_the_end > before:
                with program_files.opened(str(home.path)) as file:
                    (session,) = sessions.read(program, file)
                assert changes(session, view).records == []
                assert shown(view) == shown(fold(parse(lines_of(as_lines(session)))))


def as_lines(session: Any) -> bytes:
    return records.lines([records.header(session, "x", "p"), *records.records(session)], "p")


def shown(view: View) -> list[Any]:
    messages = [(m.id, m.kind, m.parts, m.fields) for m in view.messages]
    return [*((s.id, s.text) for s in view.summaries), *messages]


@pytest.mark.parametrize("program", STEPS)
def test_what_stands_before_its_end_is_not_read_again(program: str, tmp_path: Path) -> None:
    turn = {"codex": ["asks", "says", "calls"], "gemini-cli": ["user", "tells"]}.get(program, PLAIN)
    script = Script(program, lambda _: 1)
    home = Home(str(tmp_path), program)
    for count in range(1, 46):
        script.count, script.id = count, f"id{count}"
        script.pick = lambda _, count=count: count  # type: ignore[misc]
        getattr(script, turn[count % len(turn)])()
        if count == 30:
            first = len(home.imported(script.file.lines).messages)
            script.file.lines[9] = {**script.file.lines[9], "type": "x" * len(script.file.lines[9]["type"])}
    assert len(home.imported(script.file.lines).messages) > first + 10
    assert home.from_the_end == 1


def brought(tmp_path: Path, program: str, lines: list[Any], old: int) -> list[tuple[Any, Any]]:
    """What a copy shows, the parts and the model of each message, where these are old and the others come."""
    home = Home(str(tmp_path), program)
    home.imported(lines[:old])
    assert home.known is not None
    view = home.imported(lines)
    (fresh,) = sessions.read(program, lines_held(lines))
    again = fold(parse(lines_of(as_lines(fresh))))
    assert [(m.id, m.parts) for m in view.messages] == [(m.id, m.parts) for m in again.messages]
    return [(message.parts, message.fields.get("model")) for message in view.messages]


def lines_held(lines: list[Any]) -> Held:
    return Held(b"".join(orjson.dumps(line) + b"\n" for line in lines), "session-x")


def test_2026_11_23_what_goes_on_behind_a_prompt_that_was_typed_meanwhile_is_read(tmp_path: Path) -> None:
    """The lines of an answer that came after it were lost where only the end of the file was read."""
    file = Claude()
    for n in range(6):
        file.user(f"u{n}", f"asked {n}")
        file.said(f"a{n}", f"said {n}")
    file.said("b", "one", id="msg-b")
    file.user("q", "meanwhile")
    old = len(file.lines)
    file.said("c", "two", id="msg-b")
    shows = brought(tmp_path, "claude-code", file.lines, old)
    assert [part["text"] for parts, _ in shows for part in parts][-3:] == ["one", "two", "meanwhile"]


def test_2026_11_23_a_model_that_is_named_before_the_end_of_a_file_is_known(tmp_path: Path) -> None:
    """Answers of Codex were without their model, and so without their price."""
    file = Codex()
    file.line("turn_context", {"turn_id": "t", "model": "m", "cwd": "/work"})
    for n in range(6):
        file.user(f"asked {n}")
        file.said(f"said {n}")
    file.user("last")
    old = len(file.lines)
    file.said("answered")
    assert brought(tmp_path, "codex", file.lines, old)[-1][1] == "m"
