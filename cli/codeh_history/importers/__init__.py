"""Other forms of a session, as records."""
