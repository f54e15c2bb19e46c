"""The `anthropic` format."""
