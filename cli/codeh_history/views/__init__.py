"""Which bytes of a session are read or rewritten, and how."""
