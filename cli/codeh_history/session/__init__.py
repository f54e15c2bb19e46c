"""What a log means, pure: records, fold, view, ops, exchanges."""
