"""Read Roo Code's files: Cline's older form, with the messages that a summary replaced."""

from __future__ import annotations

from . import cline
from .protocol import Head, Place

_MARKS = ("condenseId", "condenseParent", "truncationId", "truncationParent")


def recognises(head: Head) -> bool:
    marked = any(mark in data for data in head.values for mark in _MARKS)
    return marked and cline.recognises(head)


PROGRAM = cline.PROGRAM._replace(
    name="roo-code", title="Roo Code", recognises=recognises, command="",
    places=[Place("", f"{folder}/rooveterinaryinc.roo-cline", cline.TASKS) for folder in cline.VS_CODE],
)  # fmt: skip
