"""Defaults for command lines, and their sources: profiles, environment, file."""
