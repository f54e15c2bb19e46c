"""The program inside another one: a session as an object, its methods what the verbs do."""
