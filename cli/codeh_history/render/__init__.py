"""Format output: plain text for pipes, and colours, tables and a pager for terminals."""
