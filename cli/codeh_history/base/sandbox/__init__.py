"""Run users' patterns and templates in a child process, with limits on time and memory.

A search that backtracks for ever can only be stopped by ending its process. Patterns that cannot backtrack
run in this process, because starting Python takes longer.
"""

from __future__ import annotations

from .child import MOST
from .patterns import SECONDS, Exceeded, Pattern, Sandbox, TooMuch, compiled, time_limit

__all__ = ["MOST", "SECONDS", "Exceeded", "Pattern", "Sandbox", "TooMuch", "compiled", "time_limit"]
