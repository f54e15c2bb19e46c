"""Make a request body, or another program's file, from a session."""
