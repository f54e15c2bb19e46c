"""What is invalid or unwanted, left out: passes over a view."""
