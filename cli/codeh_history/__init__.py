"""codeh-history: the Unix tool that keeps LLM conversations.

The names in `__all__` are the public API (docs/library.md), under semantic versioning. All other modules of
this package are private.
"""

from .base import VERSION

__version__ = VERSION

_HOMES = {
    "Session": "library.session",
    **dict.fromkeys(("Stream", "Answer", "Filtered"), "library.stream"),
    **dict.fromkeys(
        ("HistoryError", "NegativeAnswer", "Usage", "NotFound", "ProviderRefused", "BudgetUnreachable",
         "SummarizerFailed", "BadData", "InputOutput", "TryAgain"), "base.errors"),
}  # fmt: skip
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    """Import a public name on first use; the command needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .base.lazy import module

    value = getattr(module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
