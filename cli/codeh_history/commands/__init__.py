"""The verbs: one file each, with what Typer needs to know and what the verb does.

No module here has `from __future__ import annotations`: Typer would evaluate every annotation again.
"""
