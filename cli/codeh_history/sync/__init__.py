"""Two stores made equal: what each should hold is found from both, and written to each."""
