"""The meaning of a log, without side effects: records, fold, view, ops, exchanges."""
