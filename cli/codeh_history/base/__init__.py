"""What every room stands on: the outside world, errors, times, names, texts."""
