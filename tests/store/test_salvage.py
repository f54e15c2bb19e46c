"""A database that was cut off, or in which pages are zeros or nonsense: what can still be read of it is.

Each page in turn, of a database whose pages are small: what is lost is what stood on it.
"""

import os
import random
import sqlite3
import tempfile
import time

import orjson
import pytest

from codeh_history.store.program_files import containers
from in_process import run_in_process, run_ok
from length import by_length, sampled
from opencode_files import SESSION, OpenCode

PAGE = 1024
MESSAGES = 60
TABLE_LEAF, TABLE, INDEX_LEAF, INDEX = 0x0D, 0x05, 0x0A, 0x02  # what a page's first byte says that it holds
ID = f"opencode-{SESSION}"
TABLES = """
PRAGMA page_size=1024;
CREATE TABLE session (
  id text PRIMARY KEY, project_id text, parent_id text, slug text, directory text NOT NULL, title text NOT NULL,
  version text NOT NULL, revert text, time_created integer NOT NULL, time_updated integer
);
CREATE TABLE message (
  id text PRIMARY KEY, session_id text NOT NULL REFERENCES session(id), time_created integer NOT NULL,
  time_updated integer, data text NOT NULL
);
CREATE TABLE part (
  id text PRIMARY KEY, message_id text NOT NULL REFERENCES message(id), session_id text NOT NULL,
  time_created integer, time_updated integer, data text NOT NULL
);
CREATE INDEX of_session ON message (session_id);
CREATE INDEX of_message ON part (message_id);
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A database of one session, as opencode lays its tables out; each text fits on a page."""
    file, chance = OpenCode(), random.Random(1)
    for number in range(0, MESSAGES, 2):
        file.user(text(number, chance))
        file.model(text(number + 1, chance))
    path = tmp_path_factory.mktemp("whole") / "opencode.db"
    connection = sqlite3.connect(path)
    connection.executescript(TABLES)
    file.fill(path, keep=True).close()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    return path.read_bytes()


def text(number, chance):
    words = chance.choices("barn gate red blue oak door tree mill ox hen".split(), k=chance.randint(1, 60))
    return f"{number:03}: {' '.join(words)}"


def rescued(data, folder):
    """The numbers of the messages that are rescued of a database; None where nothing of it can be read."""
    path, out = folder / "opencode.db", folder / "out.json"
    path.write_bytes(data)
    out.unlink(missing_ok=True)
    done = run_in_process("rescue", str(path), "--output", str(out), "--json", home=folder)
    assert path.read_bytes() == data
    assert sorted(file.name for file in folder.glob("opencode.db*")) == ["opencode.db"]
    assert done.code in (0, 65), done
    if done.code:
        assert str(path) in done.err.decode()
        return None
    report = orjson.loads(done.out)
    messages = orjson.loads(out.read_bytes())["messages"]
    assert report["problems"] or len(messages) == MESSAGES
    texts = (part.get("text", "") for message in messages for part in message["parts"])
    return [int(text[:3]) for text in texts if text[:3].isdigit()]


def zeros(data, page):
    return data[: page * PAGE] + bytes(PAGE) + data[(page + 1) * PAGE :]


def nonsense(data, page):
    made = random.Random(page).randbytes(PAGE)
    return data[: page * PAGE] + made + data[(page + 1) * PAGE :]


def test_a_damaged_page_loses_only_its_content(whole, tmp_path):
    seen = set()
    for page in range(1, len(whole) // PAGE):
        damage = nonsense if page % 2 else zeros
        kind = whole[page * PAGE]
        if kind in seen and page % by_length(3, 1, 1):
            continue
        numbers = rescued(damage(whole, page), tmp_path)
        seen.add(kind)
        content = whole[page * PAGE : (page + 1) * PAGE]
        if kind == TABLE or b"CREATE " in content:  # which say where a table's rows are
            continue
        assert numbers is not None
        assert numbers == sorted(set(numbers))
        if kind == TABLE_LEAF:
            assert MESSAGES - len(numbers) <= content.count(b'"type"') + content.count(b'"role"'), page
        else:
            assert len(numbers) == MESSAGES, (page, kind)
    assert seen == {TABLE_LEAF, TABLE, INDEX_LEAF, INDEX}


def test_a_truncated_database_is_read_to_its_end(whole, tmp_path):
    counts = []
    for size in sampled(range(0, len(whole), len(whole) // 40)):
        numbers = rescued(whole[:size], tmp_path)
        counts.append(len(numbers or ()))
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert len(set(counts)) > 5


def test_a_session_whose_row_is_lost_is_rescued(whole, tmp_path):
    page = next(at for at in range(0, len(whole), PAGE) if b"A title" in whole[at : at + PAGE])
    assert rescued(zeros(whole, page // PAGE), tmp_path) == list(range(MESSAGES))


def test_what_a_damaged_database_lost_stays_in_the_copy(whole, tmp_path):
    path = tmp_path / "opencode.db"
    path.write_bytes(whole)
    run_in_process("import", str(path), home=tmp_path)
    before = (tmp_path / "sessions" / f"{ID}.jsonl").read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    done = run_in_process("import", str(path), home=tmp_path)
    assert (done.code, (tmp_path / "sessions" / f"{ID}.jsonl").read_bytes()) == (0, before)


def test_2026_11_23_what_a_sub_agent_lost_stays_in_its_copy(whole, tmp_path):
    """Only sessions without a parent were known to be read from a damaged database."""
    path = tmp_path / "opencode.db"
    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        row = "SELECT 'ses_parent', project_id, NULL, slug, directory, title, version, NULL, 1, 1 FROM session"
        connection.execute(f"INSERT INTO session {row}")
        row = "SELECT 'msg_parent', 'ses_parent', 1, 1, data FROM message LIMIT 1"
        connection.execute(f"INSERT INTO message {row}")
        row = "SELECT 'prt_parent', 'msg_parent', 'ses_parent', 1, 1, data FROM part LIMIT 1"
        connection.execute(f"INSERT INTO part {row}")
        connection.execute("UPDATE session SET parent_id = 'ses_parent' WHERE id = ?", [SESSION])
    connection.close()
    run_ok("import", "--branches", str(path), home=tmp_path)
    copy = tmp_path / "sessions" / f"{ID}.jsonl"
    before, data = copy.read_bytes(), path.read_bytes()
    assert before.count(b'"type":"message"') == MESSAGES
    path.write_bytes(data[: len(data) * 2 // 3])
    done = run_in_process("import", "--branches", str(path), home=tmp_path)
    assert (done.code, copy.read_bytes()) == (0, before)


def test_2026_11_23_a_table_without_numbers_of_rows_is_not_looked_through():
    """That of a full text index has none: each number was asked for in vain, for seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.db")
        damaged = sqlite3.connect(path)
        damaged.execute("CREATE TABLE one (id PRIMARY KEY) WITHOUT ROWID")
        damaged.execute("CREATE TABLE two (id PRIMARY KEY)")
        damaged.execute("INSERT INTO two VALUES (7)")
        damaged.commit()
        damaged.close()
        begun = time.monotonic()
        made = containers.salvaged(path, os.path.join(folder, "b.db"))
        assert tuple(made.execute("SELECT id FROM two").fetchone()) == (7,)
        assert time.monotonic() - begun < 0.5
        made.close()


def test_a_damaged_database_is_named_where_it_is_imported(whole, tmp_path):
    path = tmp_path / "opencode.db"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    done = run_ok("import", str(path), home=tmp_path)
    assert b"the database is damaged: database disk image is malformed" in done.err
    assert run_in_process("verify", str(path), home=tmp_path).code == 1
