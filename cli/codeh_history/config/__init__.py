"""What holds where a command line does not say it, and who says it: profiles, environment, file."""
