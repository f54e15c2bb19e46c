"""Append user input and program output to a session as messages."""
