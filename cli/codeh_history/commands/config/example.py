"""`config init`: an example of config.toml with a profile for each provider."""

from __future__ import annotations

import os

from ...base.env import Env
from ...base.errors import BadData
from ...config.layers import path_of
from ...store import new_file

GEMINI = (
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
)
CURL = "curl -sSN --fail-with-body --json @-"
TEXT = f"""\
# Settings of codeh-history, for whatever a command line does not say. `codeh-history config` prints the
# effective ones and where each comes from; `codeh-history config check` tries the profiles without sending.
#
# A profile per provider follows: `codeh-history ask -p anthropic "Why is the sky blue?"`; for a whole shell
# `export CODEH_PROFILE=anthropic`. Keep your key in a file of its own, from which curl reads the header:
#
#   umask 077
#   printf 'x-goog-api-key: %s\\n' "$GEMINI_API_KEY" > ~/.codeh/gem.hdr
#   printf 'authorization: Bearer %s\\n' "$OPENAI_API_KEY" > ~/.codeh/oai.hdr
#   printf 'x-api-key: %s\\nanthropic-version: 2023-06-01\\n' "$ANTHROPIC_API_KEY" > ~/.codeh/ant.hdr
#
# Precedence: a flag, -p NAME, CODEH_TO, CODEH_VIA and CODEH_MODEL, the session (`set`), CODEH_PROFILE, the
# settings above all profiles. `to`, `via` and `model` come together, from the first that has `to` or `via`.
# curl before 7.82 needs `-H content-type:application/json --data-binary @-` for `--json @-`.

# Settings for all profiles; remove a "#" to use one.
#system = "Be brief."                   # or "@system.md", a file beside this one
#tools = "@tools.json"                  # declarations, in any provider's shape
#budget = "100k"                        # tokens of a request: what is older is shortened to fit
#max_tokens = 8192                      # of an answer
#summarize.via = "llm"                  # what `summarize` runs: prompt on stdin, summary on stdout
#compact.via = "llm"                    # the same for `ask` and `chat` above the budget

[profile.gemini]                        # the model is in the URL
to = "gemini"
via = '{CURL} -H @$HOME/.codeh/gem.hdr "{GEMINI}"'

[profile.openai-responses]
to = "openai-responses"
model = "gpt-5.1"
via = '{CURL} -H @$HOME/.codeh/oai.hdr https://api.openai.com/v1/responses'
stream = true

[profile.openai-chat]                   # llama.cpp is at http://localhost:8080, LM Studio at port 1234
to = "openai-chat"
model = "gpt-5.1"
via = '{CURL} -H @$HOME/.codeh/oai.hdr https://api.openai.com/v1/chat/completions'
stream = true

[profile.anthropic]
to = "anthropic"
model = "claude-opus-4-8"
via = '{CURL} -H @$HOME/.codeh/ant.hdr https://api.anthropic.com/v1/messages'
stream = true
#set = {{ temperature = 0.2 }}            # fields of the body, for this provider alone

[profile.ollama]                        # a model on this machine
to = "ollama"
model = "llama3.2"
via = "{CURL} http://localhost:11434/api/chat"
stream = true
#calls.via = "./tool"                   # runs each tool call of `calls -p ollama` and `chat`

[profile.text]                          # any command that takes a prompt and prints an answer
to = "text"
via = "llm"
"""


def write(env: Env) -> str:
    """Write the example where the file is looked for, readable for its owner alone; its path."""
    path = path_of(env)
    if os.path.lexists(path):
        raise BadData(f"{path}: already exists; left unchanged (`codeh-history config check` tries it)")
    new_file.write(path, TEXT.encode(), folders=True)
    return path
