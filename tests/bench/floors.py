"""What the program is measured against: the least that a Python program could do for the same result."""

EMPTY = """
import typer
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
@app.command()
def one(name: str = "x") -> None: pass
@app.command()
def two(name: str = "x") -> None: pass
app()
"""
PAYLOAD = """
import sys
import typer, orjson
contents = []
for line in open(sys.argv[1], "rb"):
    record = orjson.loads(line)
    if record["type"] == "message":
        contents.append({"role": record["role"], "parts": record["parts"]})
sys.stdout.buffer.write(orjson.dumps({"contents": contents}))
"""
COUNT = """
import sys
import orjson, tiktoken
encode = tiktoken.get_encoding("o200k_base").encode
total = 0
for line in open(sys.argv[1], "rb"):
    for part in orjson.loads(line).get("parts", ()):
        total += len(encode(part["text"], disallowed_special=()))
print(total)
"""
REDUMP = """
import sys
import orjson
write = sys.stdout.buffer.write
for line in sys.stdin.buffer:
    write(orjson.dumps(orjson.loads(line)) + b"\\n")
"""
READ = """
import os, sys
total = 0
for entry in os.scandir(sys.argv[1]):
    with open(entry.path, "rb") as file:
        total += len(file.read())
print(total)
"""
REDUMP_ALL = """
import os, sys
import orjson
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            for line in file:
                sys.stdout.buffer.write(orjson.dumps(orjson.loads(line)) + b"\\n")
"""
WALK = """
import os, sys
print(sum(os.stat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(sys.argv[1]) for name in names))
"""

LIBRARY = """
import sys
from codeh_history import Session
session = Session.open(sys.argv[1])
for _ in range(int(sys.argv[2])):
    session.append("hi")
"""
