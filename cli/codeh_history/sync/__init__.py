"""Make two stores equal: compute from both what each should hold, and write it to each."""
