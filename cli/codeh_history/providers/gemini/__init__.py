"""The `gemini` format."""
