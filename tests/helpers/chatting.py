"""A home for `chat`, with profiles of two providers."""


def configure(home, url):
    """A home whose profiles ask a server there."""
    home.mkdir(mode=0o700)
    curl = "curl -sSN --fail-with-body --json @-"
    (home / "config.toml").write_text(
        f'[profile.local]\nto = "ollama"\nmodel = "llama3.2"\nvia = "{curl} {url}/api/chat"\n'
        f'[profile.claude]\nto = "anthropic"\nmodel = "claude-opus-4-8"\nvia = "{curl} {url}/v1/messages"\n'
    )
    (home / "config.toml").chmod(0o600)
    return home
