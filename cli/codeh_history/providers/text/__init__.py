"""Plain text: for commands that take a prompt and print an answer. No protocol, so never detected."""
