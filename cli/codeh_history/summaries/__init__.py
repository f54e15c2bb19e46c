"""What makes a summary: the built-in outline, or a command of the user's with a prompt and a gate.

`window` says which exchanges are due, `outline` writes a summary by extraction, `prompt` asks a command for
one and `gate` says what is wrong with its answer.
"""
