"""codeh-history: the Unix tool that keeps LLM conversations."""

__version__ = "0.1.0"
