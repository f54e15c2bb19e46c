"""Words of the user and of programs → messages in the log."""
