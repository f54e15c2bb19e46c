"""Conversation with a model: text → messages, session → request, response → messages."""
