"""Curation: passes over a view that drop invalid and unwanted content."""
