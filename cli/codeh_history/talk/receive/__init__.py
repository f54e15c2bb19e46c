"""A provider's or a tool's response → messages in the log."""
