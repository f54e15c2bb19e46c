"""Stores of sessions and blocks: the only code that writes sessions."""
