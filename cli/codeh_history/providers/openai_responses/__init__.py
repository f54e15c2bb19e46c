"""The `openai-responses` format."""
