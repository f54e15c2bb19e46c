"""What is done to a view on its way out: the curation passes, limits, compaction. Each returns ops."""
