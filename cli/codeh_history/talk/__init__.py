"""What the talking commands share: composing, storing, asking and receiving."""
