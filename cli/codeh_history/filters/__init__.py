"""Curation, compaction and redaction of sessions; the first two return ops."""
