"""ATIF: Harbor's trajectories of agents, a JSON object each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol import Head

NAME = "atif"


def recognises(head: Head) -> bool:
    return any(str(value.get("schema_version")).startswith("ATIF-") for value in head.values)
