"""Defaults for what a command line does not specify, and their sources: profiles, environment, file."""
