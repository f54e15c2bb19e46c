"""Summaries of the oldest exchanges, written by the built-in outline or by a command.

`window` selects what is due, `request` makes the prompt, `ask` and `command` get an answer, `gate` checks
it, and `store` appends the record.
"""
