"""Users' patterns and templates at work in a child process, under a limit of time and one of memory.

Neither an alarm nor a thread can end a search that backtracks for ever, in a thread least of all; a
process can be ended. Patterns that search in no such way work right here: starting Python takes longer.
"""

from __future__ import annotations

from .child import MOST
from .patterns import SECONDS, Exceeded, Pattern, Sandbox, TooMuch, allowed, compiled

__all__ = ["MOST", "SECONDS", "Exceeded", "Pattern", "Sandbox", "TooMuch", "allowed", "compiled"]
