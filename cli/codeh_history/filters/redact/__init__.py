"""Secrets in text: found by how they begin, by their form, by the name beside them; best effort.

They become `[redacted:kind]`. Signatures and base64 media are left alone: they are long random text that
would match by chance, and a changed signature is refused by its provider.
"""

from __future__ import annotations

from .disguises import text_in
from .redactor import Redactor, runs
from .spans import Span, merged, without

__all__ = ["Redactor", "Span", "merged", "runs", "text_in", "without"]
