"""`summarize --all`: summarise every session of the home; a line for each that acted or failed."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ..base.env import Env
from ..base.errors import HistoryError, NotASession
from ..session.exchanges import exchanges
from ..session.model import Json
from ..store import read
from ..store.awaiting import awaiting, is_awaiting
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
        busy = read.being_written(target.path) or is_awaiting(env.home, target.id)
        if busy or not _may_be_due(env, target, settings):
            return None
        with awaiting(env, target.path):  # another run skips it; the log's own lock protects what is stored
            return store.run(env, target, settings)
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
