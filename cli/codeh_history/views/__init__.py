"""Views of sessions: reading all or part of a session, and rewriting its lines."""
