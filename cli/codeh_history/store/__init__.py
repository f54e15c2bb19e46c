"""Where sessions live, and the only code that writes to one."""
