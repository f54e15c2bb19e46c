"""What every room stands on: the outside world, errors, times, names, texts.

Here are the types too that annotations name where `typing` and `collections.abc` are not to be loaded: they
take milliseconds, of the few that a short command has.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO, Any, Self
else:  # which nothing asks when it runs
    IO = Any = Callable = Iterable = Iterator = Self = Sequence = object

__all__ = ["IO", "Any", "Callable", "Iterable", "Iterator", "Self", "Sequence"]
