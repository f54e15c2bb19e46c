"""Store the response of a provider or a tool as messages."""
