"""A session that is read again and again: whatever became of its file, the view is that of the file now."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeh_history.access.seen import Seen
from codeh_history.base.errors import NotFound
from codeh_history.session import growth
from codeh_history.session.fold import View, fold
from codeh_history.session.records import Log
from codeh_history.store import read
from inside import inside, lay
from support import append_text, session_path

BEFORE = b'{"type":"session","version":1,"id":"s"}\n{"type":"message","id":"a","kind":"user","parts":[{"text":"one"}]}\n'


def said(view: View) -> list[tuple[str, object]]:
    return [(message.id, message.parts) for message in view.messages]


class Folds:
    """How often a whole log was folded."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        patch.setattr(growth, "fold", self.fold)

    def fold(self, log: Log) -> View:
        self.count += 1
        return fold(log)


def test_what_others_append_is_all_that_is_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lay(home, BEFORE)
    seen, folds = Seen(str(path)), Folds(monkeypatch)
    for number in range(5):
        before = seen.view()
        assert seen.view() is before
        append_text(path, f"more {number}")
        assert said(seen.view()) == said(fresh(path))
        assert len(before.messages) == 1 + number
    assert folds.count == 1


def fresh(path: Path) -> View:
    return fold(read.read_log(read.read_bytes(str(path))))


@pytest.mark.parametrize("torn", [False, True])
def test_what_may_come_is_foreseen_and_changes_nothing(home: Path, *, torn: bool) -> None:
    path = lay(home, BEFORE + b'{"type":"message","id":"b","ki' * torn)
    seen = Seen(str(path))
    for id, text in (("c", "two"), ("d", "three"), ("a", "as one that is there")):
        new = b'{"type":"message","id":"%s","kind":"user","parts":[{"text":"%s"}]}\n' % (
            id.encode(),
            text.encode(),
        )
        before = said(seen.view())
        foreseen = said(seen.view_with(new))
        assert said(seen.view()) == before == said(fresh(path))
        with path.open("ab") as file:
            file.write(b"\n" * torn + new)
        assert said(seen.view()) == foreseen == said(fresh(path))
        torn = False


@pytest.mark.parametrize(
    "what", ["redact", "persist", "cut", "other", "torn", "then whole", "later undone"]
)
def test_a_file_that_is_not_as_it_was_is_read_anew(home: Path, what: str) -> None:
    path = lay(home, BEFORE, "s")
    append_text(path, "mail me at someone@example.org " + "x" * 5000)
    seen = Seen(str(path))
    seen.view()
    if what in ("redact", "persist"):
        assert inside(what, "s", "-i", "-q", *(["--yes"] if what == "redact" else []), home=home).code == 0
        append_text(path, "and " + "more " * 3000)  # longer than it was
    elif what == "cut":
        path.write_bytes(BEFORE)
    elif what == "other":
        path.write_bytes(BEFORE.replace(b"one", b"two") + path.read_bytes()[len(BEFORE) :] + BEFORE)
    elif what == "later undone":
        inside("undo", "-s", "s", home=home)
    else:
        with path.open("ab") as file:
            file.write(b'{"type":"message","id":"b","kind":"user","par')
        assert said(seen.view()) == said(fresh(path))
        if what == "then whole":
            with path.open("ab") as file:
                file.write(b'ts":[{"text":"b"}]}\n')
    assert said(seen.view()) == said(fresh(path))
    append_text(path, "last")
    assert said(seen.view()) == said(fresh(path))


def test_a_session_that_is_gone_is_not_found(home: Path) -> None:
    seen = Seen(str(lay(home, BEFORE)))
    seen.view()
    session_path(home, "s").unlink()
    with pytest.raises(NotFound):
        seen.view()


def test_what_is_let_go_is_read_again(home: Path) -> None:
    seen = Seen(str(lay(home, BEFORE)))
    before = seen.view()
    seen.close()
    assert said(seen.view()) == said(before)
