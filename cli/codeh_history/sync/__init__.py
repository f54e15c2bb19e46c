"""Make two stores equal: compute the sessions that each should have, and write them."""
