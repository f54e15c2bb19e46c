"""What makes a summary: the built-in outline, or a command of the user's with a prompt and a gate.

`window` says which exchanges are due, `writer` has `compact` extract a summary, `prompt` asks a command for
one and `gate` says what is wrong with its answer.
"""
