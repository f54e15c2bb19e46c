"""Connect to Postgres by URL, and translate its errors.

psycopg supports everything that libpq does: `PGPASSFILE`, service files, `PG*` variables, TLS options.
Error messages never contain the URL or libpq's description of a malformed one, because either may contain a
password.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .errors import BadData, HistoryError, InputOutput, TryAgain, Usage, one_line

if TYPE_CHECKING:
    import psycopg

SCHEMES = ("postgres://", "postgresql://")
LOCK_SECONDS = 10
_CONNECT_SECONDS = 10
_SILENT_SECONDS = 30  # after which unacknowledged data is an error
_FULL = ("53100", "53200", "54")  # disk, memory or a limit: retrying does not help
_SETTINGS = f"SET lock_timeout = '{LOCK_SECONDS}s'; SET default_transaction_isolation = 'read committed'"
_DURABLE = """SELECT set_config('synchronous_commit', 'on', false)
 WHERE current_setting('synchronous_commit') = 'off'"""
Check = Callable[["psycopg.Connection[Any]"], None]


class Unreachable(TryAgain):
    """The server is unreachable or hung up; `unknown`: whether a commit's success is unknown."""

    unknown = False


class Server:
    """A database, with one lazily opened connection per thread."""

    def __init__(self, url: str, variable: str, check: Check | None = None) -> None:
        """`variable` names the source of the URL; `check` is called with each new connection."""
        self._check = check
        try:
            from psycopg import ProgrammingError
            from psycopg.conninfo import conninfo_to_dict
        except ImportError:
            package = "pip install 'codeh-history[postgres]'"
            raise Usage(f"{variable}: postgres:// needs the psycopg package: {package}") from None
        try:
            self._options: dict[str, Any] = dict(conninfo_to_dict(url))
        except ProgrammingError:  # the message may contain the password
            raise Usage(f"{variable}: expected postgres://[USER@]HOST[:PORT]/DATABASE[?OPTIONS]") from None
        self.name = _name(self._options)
        self._local = threading.local()

    def connection(self, *, second: bool = False) -> psycopg.Connection[Any]:
        """Return this thread's connection; `second` is for reading while the first is in use.

        A forked child keeps its parent's connections, because closing them would end them for both.
        """
        held, key = vars(self._local), f"{os.getpid()} {second}"
        if key not in held or held[key].closed or (not second and _is_lost(held[key])):
            held[key] = self._connect()
        connection: psycopg.Connection[Any] = held[key]
        return connection

    def close(self) -> None:
        """Close this thread's connections."""
        for second in (False, True):
            connection = vars(self._local).pop(f"{os.getpid()} {second}", None)
            if connection is not None:
                connection.close()

    def _connect(self) -> psycopg.Connection[Any]:
        import logging

        import psycopg

        logging.getLogger("psycopg").addHandler(logging.NullHandler())  # errors are reported here
        with self.failing():
            connection = psycopg.connect(
                **{"connect_timeout": _CONNECT_SECONDS, "tcp_user_timeout": _SILENT_SECONDS * 1000,
                   "application_name": "codeh-history", **self._options},
                autocommit=True,
            )  # fmt: skip
            connection.execute(_SETTINGS)
            connection.execute(_DURABLE)
            if self._check is not None:
                self._check(connection)
        return connection

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with self.failing():
            return self.connection().execute(query, values, binary=True).fetchall()

    @contextmanager
    def failing(self, what: str = "") -> Iterator[None]:
        """Translate the server's errors, naming the server and appending `what`."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise self.error(error, what) from None
        except BadData as error:
            raise BadData(f"{self.name}: {error}") from None

    def error(self, error: psycopg.Error, what: str = "") -> HistoryError:
        """Translate an error of the server or of the connection into one line."""
        import psycopg

        text = f"{self.name}: {one_line(error)}"
        if isinstance(error, psycopg.errors.LockNotAvailable):
            return TryAgain(f"{self.name}: locked by another process; try again")
        if isinstance(error, psycopg.errors.UndefinedTable):
            return InputOutput(f"{self.name}: no session tables; run `codeh-history store init`")
        if (error.sqlstate or "").startswith(_FULL) or not isinstance(error, psycopg.OperationalError):
            return InputOutput(text + what)
        if error.sqlstate and error.sqlstate.startswith("40"):
            return TryAgain(f"{text}{what}; try again")
        return Unreachable(text + what)


def _is_lost(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the server is known to have hung up, without sending anything."""
    import psycopg

    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    try:
        while poll.poll(0):
            connection.pgconn.consume_input()
    except psycopg.Error:
        connection.close()
    return connection.closed


def _name(options: dict[str, Any]) -> str:
    """Return the server's name for messages: the hosts, port and database that are set."""
    where = str(options.get("host") or options.get("hostaddr") or "").replace("/", "%2F")
    where += f":{options['port']}" if options.get("port") else ""
    where += f"/{options['dbname']}" if options.get("dbname") else ""
    return f"postgres://{where or options.get('service', 'default')}"
