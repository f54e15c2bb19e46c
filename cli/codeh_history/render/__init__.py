"""What people and programs see: JSON, plain text for pipes, rich text for terminals."""
