"""Sessions that implement other packages' interfaces, one module per package."""
