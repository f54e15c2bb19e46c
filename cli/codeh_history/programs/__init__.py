"""What is no session of ours, as the records of one: other programs' files, a package each, and `forms`."""
