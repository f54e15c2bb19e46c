"""`make bench-peers`: the same jobs by what people would use instead, in one run.

`llm` answers by its plugin `llm-echo`, here `cat` is the model: what is measured is the tool, not a model. Trimmers get
the session's messages as their own packages want them and count with tiktoken's o200k_base.
"""

import os
import shutil
import statistics
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import coding
import data
from measure import Run
from run import vocabulary

ROUNDS = 5
BIN = Path(sys.executable).parent
OURS, LLM = str(BIN / "codeh-history"), str(BIN / "llm")
JQ = """{"messages": [inputs | select(.type == "message") | {role: (if .role == "model" then "assistant" else .role end),
 content: [.parts[] | .text // empty] | join("\\n")}]}"""
TRIM = """
import os, sys
import orjson, tiktoken
encode = tiktoken.get_encoding("o200k_base").encode
chat = []
for line in open(sys.argv[1], "rb"):
    record = orjson.loads(line)
    if record["type"] == "message":
        text = "".join(part["text"] for part in record["parts"])
        chat.append({"role": "assistant" if record["role"] == "model" else "user", "content": text})
def count(messages):
    return sum(4 + len(encode(str(getattr(m, "content", m)), disallowed_special=())) for m in messages)
"""
TRIMMERS = {
    "langchain-core `trim_messages`": """
from langchain_core.messages import convert_to_messages, trim_messages
print(len(trim_messages(convert_to_messages(chat), max_tokens=100_000, token_counter=count, strategy="last")))
""",
    "litellm `trim_messages`": """
import litellm
print(len(litellm.utils.trim_messages(chat, model="gpt-4o", max_tokens=100_000)))
""",
    "agent-framework `TruncationStrategy`": """
import asyncio
import agent_framework as library
class Tokens:
    def count_tokens(self, text):
        return len(encode(text, disallowed_special=()))
messages = [library.Message(role=m["role"], contents=[library.Content.from_text(m["content"])]) for m in chat]
strategy = library.TruncationStrategy(max_n=100_000, compact_to=100_000, tokenizer=Tokens())
print(len(asyncio.run(library.apply_compaction(messages, strategy=strategy, tokenizer=Tokens()))))
""",
}


def jobs(root):
    """Each job: its name, and what does it by whom; ours first."""
    env = {"CODEH_HOME": str(root / "home"), "LLM_USER_PATH": str(root / "llm"), "HOME": str(root)}
    sessions = root / "home" / "sessions"
    few = data.session(sessions / "few.jsonl", 9, 300)
    calls = coding.session(sessions / "calls.jsonl", 3_500_000)
    text = data.session(sessions / "text.jsonl", 3316, 1500)
    cache = root / "home" / "cache"
    tokens = {"TIKTOKEN_CACHE_DIR": str(root / "tiktoken"), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    vocabulary(root / "tiktoken")

    def run(*argv, before=None):
        return Run(argv, before=before, env=env)

    def script(name, source):
        path = root / f"{name}.py"
        path.write_text(TRIM + source)
        return Run([sys.executable, str(path), str(text)], env={**env, **tokens})

    yield "store a message", {"codeh-history append": run(OURS, "append", "-s", few.stem, "-m", "hi")}
    ask = run(OURS, "ask", "-s", "one", "--no-stdin", "--to", "text", "--via", "cat", "hi")
    ways = {"codeh-history ask": ask, "llm": run(LLM, "-m", "echo", "hi")}
    yield "one question, answered at once", ways
    yield (
        "continue the conversation",
        {"codeh-history ask": ask, "llm -c": run(LLM, "-c", "-m", "echo", "hi")},
    )
    payload = run(OURS, "payload", calls.stem, "--to", "openai-chat", "--model", "m")
    ways = {"codeh-history payload": payload, "jq, texts alone": run("jq", "-nc", JQ, str(calls))}
    yield "a request of a coding session, 3.5 MB", ways
    argv = OURS, "compact", text.stem, "--budget", "100k"
    again, first = run(*argv), run(*argv, before=lambda: shutil.rmtree(cache, ignore_errors=True))
    yield "5 MB of text into 100,000 tokens", {
        "codeh-history compact, the first time": first, "codeh-history compact, again": again,
        **{name: script(f"trim{number}", source) for number, (name, source) in enumerate(TRIMMERS.items())},
    }  # fmt: skip


def main():
    packages = ("llm", "langchain-core", "litellm", "agent-framework-core")
    cores = f"{len(os.sched_getaffinity(0))} cores"
    print(*(f"{name} {version(name)}" for name in packages), cores, sep="; ")
    print("\n| job | by | seconds | × ours |\n|---|---|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="codeh-peers-") as root:
        for job, ways in jobs(Path(root)):
            times = {way: [] for way in ways}
            for number in range(ROUNDS + 1):  # the first is to warm up
                for way, run in ways.items():
                    seconds = run.once()
                    if number:
                        times[way].append(seconds)
            ours = statistics.median(next(iter(times.values())))
            for way, measured in times.items():
                seconds = statistics.median(measured)
                print(f"| {job} | {way} | {seconds:.2f} | {seconds / ours:.1f} |", flush=True)


if __name__ == "__main__":
    main()
