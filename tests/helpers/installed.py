"""Packages that the adapters are for."""

from __future__ import annotations

from importlib import metadata

PACKAGES = ("openai-agents", "claude-agent-sdk", "langchain-core", "google-adk")


def installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False
