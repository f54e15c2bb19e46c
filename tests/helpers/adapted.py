"""Items of each package that the adapters store, and concurrent processes."""

import os
import subprocess
import sys
from pathlib import Path

ITEMS = [
    {"role": "user", "content": "What is in here?"},
    {"role": "user", "content": [{"type": "input_text", "text": "And here?", "odd": [1, 2.5, None]}], "metadata": {"a": 1}},
    {"role": "developer", "content": "Be brief."},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "I look."}], "encrypted_content": "gAAA"},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "ls", "arguments": '{"path":  "."}', "status": "completed"},
    {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
    {
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "A file.", "annotations": [], "logprobs": []}],
    },
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "tea"}},
    {"type": "something_new", "value": {"deep": [{}]}},
    {"role": "nobody", "content": 7},
]  # fmt: skip


def together(script, home, count=2):
    """Run a script in this many processes at once; each gets the home and its number."""
    argv = [[sys.executable, "-c", script, str(home), str(number)] for number in range(count)]
    running = [subprocess.Popen(one, env={**os.environ, "CODEH_HOME": str(home)}) for one in argv]
    assert [process.wait(120) for process in running] == [0] * count


CASES = Path(__file__).parent.parent / "programs" / "agents" / "cases" / "claude-code"
