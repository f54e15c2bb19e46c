"""The `openai-chat` format."""
