"""Packages that the adapters are for."""

from importlib import metadata

PACKAGES = ("openai-agents", "claude-agent-sdk", "langchain-core", "google-adk")


def installed(package):
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False
