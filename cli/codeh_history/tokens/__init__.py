"""Token counts: exact offline for o200k_base and cl100k_base, approximate on request, cached."""
