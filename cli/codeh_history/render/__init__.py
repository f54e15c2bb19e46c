"""Output: JSON, plain text for pipes, formatted text for terminals."""
