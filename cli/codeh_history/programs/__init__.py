"""Read and write other programs' sessions, one module or package each; `forms` reads bare messages."""
