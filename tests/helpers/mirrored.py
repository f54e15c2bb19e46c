"""A home whose `sessions` folder mirrors a database, so that tests of files also test Postgres.

Before a run, changes in the folder are copied to the database; after it, the database's changes to the folder.
Concurrent runs do not revert each other: only files changed since the last run are copied.
"""

import hashlib
import os
from pathlib import Path

VARIABLE = "CODEH_TEST_MIRROR"
_TABLE = "CREATE TABLE IF NOT EXISTS mirrored (home text, id text, hash text, PRIMARY KEY (home, id))"


def into_the_database(environ):
    """Copy the folder's changes since the last run to the database."""
    import psycopg

    store, folder = place(environ)
    with psycopg.connect(environ["CODEH_STORE"]) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(1)")
        connection.execute(_TABLE)
        hashes = dict(
            connection.execute("SELECT id, hash FROM mirrored WHERE home = %s", [str(folder)]).fetchall()
        )
        others = connection.execute("DELETE FROM mirrored WHERE home <> %s", [str(folder)]).rowcount
        local = {path.stem: path.read_bytes() for path in files(folder)}
        for id in store.stamps():
            if others or (id in hashes and id not in local):
                remove(store, id)
                hashes.pop(id, None)
        connection.execute("DELETE FROM mirrored WHERE NOT id = ANY(%s)", [list(local)])
        for id, data in local.items():
            if hashes.get(id) != digest(data):
                if id in store.stamps():
                    remove(store, id)
                store.create(id, data)
                note(connection, folder, id, data)


def remove(store, id):
    with store.locked(id) as row:
        row.remove()


def out_of_the_database(environ):
    """Copy the database's sessions to the folder."""
    import psycopg

    store, folder = place(environ)
    with psycopg.connect(environ["CODEH_STORE"]) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(1)")
        ids = store.stamps()
        for path in files(folder):
            if path.stem not in ids:
                path.unlink()
                connection.execute("DELETE FROM mirrored WHERE id = %s", [path.stem])
        for id in ids:
            data = store.read(id)
            path = folder / f"{id}.jsonl"
            if not path.exists() or path.read_bytes() != data:
                folder.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            note(connection, folder, id, data)


def place(environ):
    from codeh_history.base.env import Env
    from codeh_history.store import stores

    env = Env(environ)
    return stores.chosen(env), Path(env.home).resolve() / "sessions"


def files(folder):
    from codeh_history.base.words import is_id

    if not folder.is_dir():
        return []
    sessions = (path for path in folder.iterdir() if path.suffix == ".jsonl" and is_id(path.stem))
    return sorted(
        path for path in sessions if path.is_file() and os.access(path, os.R_OK) and path.stat().st_size
    )


def note(connection, folder, id, data):
    connection.execute(
        "INSERT INTO mirrored VALUES (%s, %s, %s) ON CONFLICT (home, id) DO UPDATE SET hash = excluded.hash",
        [str(folder), id, digest(data)],
    )


def digest(data):
    return hashlib.sha256(data).hexdigest()
