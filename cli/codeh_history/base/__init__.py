"""The foundation of every other package: the environment, errors, times, names, texts.

The types for annotations are here too, because importing `typing` and `collections.abc` takes milliseconds
that a short command does not have.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO, Any, Self
else:  # annotations are not evaluated at run time
    IO = Any = Callable = Iterable = Iterator = Self = Sequence = object

VERSION = "1.0.0"
__all__ = ["IO", "VERSION", "Any", "Callable", "Iterable", "Iterator", "Self", "Sequence"]
