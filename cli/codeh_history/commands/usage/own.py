"""`--prices FILE`: what models cost that the table does not know, or that cost one something else."""

from __future__ import annotations

import orjson

from ...base.errors import BadData, InputOutput, NotFound
from ...base.words import did_you_mean
from ...tokens.prices import UNITS, Table


def prices(path: str, table: Table) -> Table:
    """The table with the prices of a file; BadData where they are none."""
    try:
        with open(path, "rb") as file:
            found = orjson.loads(file.read())
    except FileNotFoundError:
        raise NotFound(f"--prices {path}: no such file") from None
    except OSError as error:
        raise InputOutput(f"--prices {path}: {error.strerror}") from None
    except ValueError as error:
        raise BadData(f"--prices {path}: {error}") from None
    if not isinstance(found, dict):
        raise BadData(f'--prices {path}: {{"MODEL": {{"input": 0.5, "output": 2}}}} expected')
    for model, known in found.items():
        _check(f"--prices {path}: {model}", known)
    return table.and_own(found)


def _check(where: str, known: object) -> None:
    if not isinstance(known, dict) or not known:
        raise BadData(f'{where}: {{"input": 0.5, "output": 2}} expected, in dollars for a million tokens')
    for name, price in known.items():
        if name not in UNITS:
            raise BadData(f"{where}: {name}: one of {', '.join(UNITS)}{did_you_mean(name, UNITS)}")
        if isinstance(price, bool) or not isinstance(price, (int, float)) or not 0 <= price < float("inf"):
            raise BadData(f"{where}: {name}: a price in dollars expected")
