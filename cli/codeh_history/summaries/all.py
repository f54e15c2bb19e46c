"""`summarize --all`: summarise every session of the home; a line for each that acted or failed."""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from ..base import locks
from ..base.env import Env
from ..base.errors import HistoryError, NotASession
from ..base.folders import ensure_dir, remove
from ..session.exchanges import exchanges
from ..session.model import Json
from ..store import read
from ..store.resolve import Target, ids
from ..views.view import view_of
from . import store, window
from .command import result_of
from .store import Settings


def run(
    env: Env, settings: Settings, *, jobs: int, done: Callable[[int, int], None]
) -> Generator[Json, None, None]:
    """Yield a line for each session that acted or failed, in order; call `done` after each session.

    Sessions that are locked, streaming or being summarised by another run are skipped. Closing the
    generator ends the running commands.
    """
    gc.enable()
    targets = [Target(path, "--all") for _, path in ids(env) if not path.endswith(".json")]
    pool = ThreadPoolExecutor(jobs)
    try:
        futures = [pool.submit(summarized, env, target, settings) for target in targets]
        for number, future in enumerate(futures, 1):
            line = result_of(future)
            done(number, len(targets))
            if line is not None:
                yield line
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        settings.stop()
        pool.shutdown()


def summarized(env: Env, target: Target, settings: Settings) -> Json | None:
    """Summarise one session; return its line, also after a failure, or None if nothing is due."""
    try:
        if read.being_written(target.path) or not _may_be_due(env, target, settings):
            return None
        with _claimed(env, target.path) as free:
            return store.run(env, target, settings) if free else None
    except NotASession:
        return None
    except HistoryError as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001 - a bug met in one session costs that session
        reason = f"bug: {type(error).__name__}: {error}"
    count = size = 0
    with suppress(HistoryError):  # it may be unreadable, as the reason says
        view = view_of(env, target)
        count, size = len(exchanges(view.messages)), store.tokens(view, settings.counter)
    return {
        "session": target.id, "action": "failed", "exchanges": count, "covered": 0, "before": size,
        "after": size, "reason": reason,
    }  # fmt: skip


def _may_be_due(env: Env, target: Target, settings: Settings) -> bool:
    """Whether anything may be due, without reading blocks; False while an answer arrives."""
    view = view_of(env, target, hydrate=False)
    last = view.messages[-1] if view.messages else None
    if last and last.is_streaming and not last.committed:
        return False
    if settings.over is not None or window.foldable(view.summaries):
        return True
    return len(exchanges(view.messages)) > settings.most


@contextmanager
def _claimed(env: Env, path: str) -> Iterator[bool]:
    """Claim a session for this run; yield False if another run has it.

    This only saves a second request: the session's own lock protects what is stored.
    """
    digest = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()
    name = os.path.join(env.home, "cache", "summarizing", digest[:16])
    try:
        ensure_dir(os.path.dirname(name))
        fd = os.open(name, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        yield True
        return
    try:
        locks.lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
        remove(name)
    finally:
        locks.close(fd)
