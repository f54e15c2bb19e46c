"""Summaries of the oldest exchanges, written by the built-in outline or by a command.

`window` selects what is due, `request` makes the prompt and gets an answer by `command`, `gate` checks it,
and `store` appends the record. `calls` says what tool calls did.
"""
