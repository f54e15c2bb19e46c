"""Sessions as other packages want them, a file each; no package is needed but by its own file."""
