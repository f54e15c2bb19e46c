"""A session → a request."""
