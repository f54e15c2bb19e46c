"""Find secrets in text by their prefix, their form or an adjacent name, on a best-effort basis.

They are replaced by `[redacted:kind]`. Signatures and base64 media are skipped: long random text matches by
chance, and a provider refuses a changed signature.
"""
