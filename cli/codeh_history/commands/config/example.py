"""`config init`: an example of config.toml, in which nothing holds yet."""

from __future__ import annotations

import os

from ...base.env import Env
from ...base.errors import BadData
from ...config.layers import EXAMPLE, path_of
from ...store import new_file

TEXT = f"""\
# What holds for codeh-history where a command line does not say it. A line that begins with "#" and no
# blank is a setting: it holds once that "#" is gone. `codeh-history config` prints what holds and who says
# it, `codeh-history config check` tries it without sending anything.
#
# The strongest first: a flag, -p NAME, CODEH_TO and CODEH_VIA, the session (`set`), CODEH_PROFILE, the
# lines above all [profile…]. `to`, `via`, `model` come together, from the first that names `to` or `via`.
#
# A key does not belong here: it stands in a file that curl reads, as
#   umask 077; printf 'x-goog-api-key: %s\\n' "$GEMINI_API_KEY" > ~/.codeh/gem.hdr

#to = "gemini"
#via = '{EXAMPLE}'
#system = "Be brief."                   # or "@system.md", beside this file
#tools = "@tools.json"                  # declarations, in any provider's shape
#budget = "100k"                        # tokens of a request: what is older is shortened to fit
#max_tokens = 8192                      # of an answer

#[summarize]
#via = "llm -m MODEL"                   # what `summarize` runs: prompt on stdin, summary on stdout

#[profile.claude]                       # codeh-history ask -p claude, chat -p claude
#to = "anthropic"
#model = "claude-opus-4-8"
#via = 'curl -sSN --fail-with-body --json @- -H @$HOME/.codeh/ant.hdr https://api.anthropic.com/v1/messages'
#stream = true
#set = {{ temperature = 0.2 }}            # fields of the body, for this provider alone

#[profile.local]                        # Ollama; llama.cpp's server and LM Studio take openai-chat
#to = "ollama"
#model = "llama3.2"
#via = "curl -sSN --fail-with-body --json @- http://localhost:11434/api/chat"
#stream = true
#calls.via = "./tool"                   # `calls -p local`, and in `chat`: runs each call (CODEH_CALL_NAME)
"""


def write(env: Env) -> str:
    """Write the example where the file is looked for, for its owner alone; its path."""
    path = path_of(env)
    if os.path.lexists(path):
        raise BadData(f"{path}: it is there, and stays as it is (`codeh-history config check` tries it)")
    new_file.write(path, TEXT.encode(), folders=True)
    return path
