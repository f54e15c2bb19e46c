"""Read and write other programs' sessions, a module or package each; `forms` imports other messages."""
