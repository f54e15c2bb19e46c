"""The public Python library: a session as an object whose methods correspond to the verbs."""
