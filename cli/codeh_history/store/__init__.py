"""Where sessions are stored, and the only code that writes them."""
