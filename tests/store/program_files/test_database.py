"""Databases of other programs: what is committed is read, theirs is neither locked nor written, nor is anything made beside it."""

import sqlite3
from contextlib import closing, contextmanager

import pytest

from codeh_history.base.errors import TryAgain
from codeh_history.programs.protocol import Unreadable
from codeh_history.store.program_files import containers
from codeh_history.store.program_files.containers import Database


@pytest.fixture(params=["delete", "wal"])
def path(request, tmp_path):
    """A database that its program has open; in WAL mode what is committed stands beside the file."""
    file = tmp_path / "theirs.db"
    with closing(sqlite3.connect(file)) as theirs:
        theirs.execute(f"pragma journal_mode={request.param}")
        theirs.executescript(
            "create table a(id integer primary key, text); create table b(x, y); insert into a values (1, 'one'), (2, 'zwö')"
        )
        theirs.commit()
        yield file


@contextmanager
def opened(path):
    with open(path, "rb") as file:
        yield Database(file.fileno(), str(path))


def test_committed_rows_are_read_and_the_database_is_untouched(path):
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    with opened(path) as database:
        assert database.tables() == {"a": {"id", "text"}, "b": {"x", "y"}}
        rows = [{"id": 1, "text": "one"}, {"id": 2, "text": "zwö"}]
        assert list(database.rows("select * from a order by id")) == rows
        assert list(database.rows("select text from a where id = ?", 2)) == [{"text": "zwö"}]
        assert database.damage is None
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


def test_uncommitted_rows_are_not_read_and_do_not_block(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as theirs:
        theirs.execute("begin immediate")
        theirs.execute("insert into a values (3, 'three')")
        with opened(path) as database:
            assert len(list(database.rows("select * from a"))) == 2
        theirs.execute("commit")
    with opened(path) as database:
        assert len(list(database.rows("select * from a"))) == 3


def test_an_open_database_is_a_snapshot(path):
    with opened(path) as database:
        with closing(sqlite3.connect(path, isolation_level=None)) as theirs:
            theirs.execute("delete from a")
        assert len(list(database.rows("select * from a"))) == 2


def test_an_invalid_query_is_refused_and_not_damage(path):
    with opened(path) as database:
        for query in (["select nothing from a"], ["no sql"], ["select * from a where id = ?", 2**70]):
            with pytest.raises(Unreadable, match=r"the database cannot be read"):
                list(database.rows(*query))
        assert database.damage is None


def test_invalid_text_is_still_read(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as theirs:
        theirs.execute("insert into a values (4, cast(x'66ff' as text))")
    with opened(path) as database:
        assert list(database.rows("select text from a where id = 4")) == [{"text": "f\ufffd"}]


def test_a_constantly_written_database_is_retried_later(path, monkeypatch):
    copy, times = containers._copy, 0

    def busy(fd, theirs, to):
        nonlocal times
        times += 1
        if times <= stop:
            with closing(sqlite3.connect(path, isolation_level=None)) as theirs_:
                theirs_.execute("insert into b values (1, ?)", ["x" * 5000 * times])
                theirs_.execute("pragma wal_checkpoint(truncate)")
        copy(fd, theirs, to)

    monkeypatch.setattr(containers, "_copy", busy)
    stop = 2
    with opened(path) as database:
        assert len(list(database.rows("select * from b"))) == 2
    stop, times = 99, 0
    with pytest.raises(TryAgain, match=r"its program is writing to it; try again"), opened(path):
        pass


def test_an_invalid_database_has_no_tables(tmp_path):
    (tmp_path / "f").write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    with opened(tmp_path / "f") as database:
        assert database.tables() == {}
