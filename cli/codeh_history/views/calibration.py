"""The factor of `--calibrated`: compare the token counts that a provider reported with ours."""

from __future__ import annotations

from contextlib import suppress

from ..base.env import Env
from ..base.errors import HistoryError, Usage
from ..base.escape import quote
from ..base.shared_options import system_and_tools
from ..session.fold import fold
from ..session.model import Json
from ..session.sources import rendered
from ..session.view import View
from ..store import read
from ..store.read import stamps_of
from ..store.resolve import ids
from ..tokens.counter import APPROX, VOCABULARIES, Counter, open_counter
from ..tokens.formula import history_tokens, message_tokens

SESSIONS = 200  # the newest sessions that are read
QUANTILE = 0.95


def calibrated(
    env: Env, view: View, counter: Counter, name: str | None, *, must_calibrate: bool = True
) -> Counter:
    """Return the counter times the factor for the requested model.

    Raise Usage as `for_model` does, or with `must_calibrate=False` return the counter unchanged.
    """
    try:
        return counter.calibrated(for_model(env, view, counter, name)["factor"])
    except Usage:
        if must_calibrate:
            raise
        return counter


def for_model(env: Env, view: View, counter: Counter, name: str | None) -> Json:
    """Return how usage compares with our count: `model, counter, ratios, factor, median, least, most`.

    The model is `name`, else the session's newest. Raise Usage if this home has recorded no usage of it.
    """
    model = name if name not in (None, APPROX, *VOCABULARIES) else None
    model = model or next((m.model for m in reversed(view.messages) if m.model), None)
    if model is None:
        raise Usage("--calibrated: the session names no model; pass --counter MODEL")
    plain = open_counter(counter.vocabulary, model=model, cache=counter.cache)
    paths = [path for _, path in ids(env)]
    times = {path: stamp.changed if stamp is not None else 0 for path, stamp in stamps_of(paths).items()}
    shares: list[float] = []
    for path in sorted(times, key=lambda path: (times[path], path), reverse=True)[:SESSIONS]:
        with suppress(HistoryError):  # skip unreadable sessions
            data = read.read_bytes(path, skip=True)
            if quote(model).encode() in data:
                shares += ratios(fold(read.read_log(data)), plain, model)
    shares.sort()
    if not shares:
        raise Usage(f"--calibrated: no usage of {model} is recorded in this home; leave it out")
    return {
        "model": model, "counter": plain.name, "ratios": len(shares), "factor": quantile(shares, QUANTILE),
        "median": quantile(shares, 0.5), "least": shares[0], "most": shares[-1],
    }  # fmt: skip


def quantile(values: list[float], share: float) -> float:
    """Return the smallest of sorted values that at least this share of them do not exceed."""
    position = max(0, -int(-len(values) * share // 1) - 1)
    return values[position]


def ratios(view: View, counter: Counter, model: str) -> list[float]:
    """Return, for each response of the model, the reported input divided by our count of the history.

    Compacted or summarised sessions have none, because their view is no longer what was sent.
    """
    if view.summaries or view.applied:
        return []
    view = rendered(view)
    system, tools = system_and_tools(view.meta)
    total = history_tokens(counter, (), system=system, tools=tools)
    measured: list[float] = []
    for message, cost in zip(view.messages, message_tokens(counter, view.messages), strict=True):
        usage = message.fields.get("usage")
        input_tokens = usage.get("input") if isinstance(usage, dict) and message.model == model else None
        if type(input_tokens) is int and input_tokens > 0:
            measured.append(input_tokens / total)
        total += cost
    return measured
