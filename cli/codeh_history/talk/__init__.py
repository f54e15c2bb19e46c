"""Talking to a model: text → messages, session → request, response → messages."""
