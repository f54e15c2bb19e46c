"""Damage files of programs' sessions: lose, tear, duplicate, move or cut off lines.

A kind of damage is a function from the lines of a good file (for opencode, its messages) to those of a damaged one,
or to None if the file has nothing to damage in this way.
"""

import json

Lines = list[bytes]

NOWHERE = "00000000-dead-4000-8000-000000000000"
RESULTS = (
    b'"tool_result"',
    b'_call_output"',
    b'"functionResponse"',
    b'"toolResult"',
    b'"tool.execution_complete"',
)
CALLS = (b'"tool_use"', b'_call"', b'"functionCall"', b'"toolCall"', b'"toolCalls"', b'"toolRequests":[{')


def _object(line):
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _place(random, lines, *, first=1):
    return random.randrange(first, len(lines)) if len(lines) > first else None


def _of(random, lines, marks, but=()):
    """The index of a line with one of these marks."""
    candidates = [
        place for place, line in enumerate(lines)
        if any(mark in line for mark in marks) and not any(mark in line for mark in but)
    ]  # fmt: skip
    return random.choice(candidates) if candidates else None


def line_lost(random, lines):
    at = _place(random, lines)
    return None if at is None else [*lines[:at], *lines[at + 1 :]]


def lines_lost(random, lines):
    at = _place(random, lines)
    return None if at is None else [*lines[:at], *lines[at + random.randint(2, 4) :]]


def line_torn(random, lines):
    at = _place(random, lines)
    if at is None:
        return None
    return [*lines[:at], lines[at][: random.randrange(len(lines[at]))] + b"\n", *lines[at + 1 :]]


def lines_joined(random, lines):
    """A torn line, with the next one appended to it."""
    at = _place(random, lines[:-1])
    if at is None:
        return None
    return [*lines[:at], lines[at][: random.randrange(len(lines[at]))] + lines[at + 1], *lines[at + 2 :]]


def end_torn(random, lines):
    if len(lines) < 2 or len(lines[-1]) < 2:
        return None
    return [*lines[:-1], lines[-1][: random.randrange(1, len(lines[-1]))]]


def line_doubled(random, lines):
    at = _place(random, lines)
    if at is None:
        return None
    again = random.randrange(at + 1, len(lines) + 1)
    return [*lines[:again], lines[at], *lines[again:]]


def lines_swapped(random, lines):
    one, other = _place(random, lines), _place(random, lines)
    if one is None or other is None or one == other:
        return None
    made = list(lines)
    made[one], made[other] = made[other], made[one]
    return made


def parent_cut(random, lines):
    """A line whose parent is missing or not named."""
    at = _of(random, lines, (b'"parentUuid":"', b'"parentId":"', b'"parentUuid": "', b'"parentId": "'))
    data = _object(lines[at]) if at is not None else None
    if at is None or data is None:
        return None
    key = "parentUuid" if "parentUuid" in data else "parentId"
    data[key] = random.choice((NOWHERE, NOWHERE, None))
    return [*lines[:at], json.dumps(data).encode() + b"\n", *lines[at + 1 :]]


def header_lost(random, lines):
    return lines[1:] if len(lines) > 1 else None


def header_torn(random, lines):
    return [lines[0][: random.randrange(len(lines[0]))] + b"\n", *lines[1:]] if len(lines) > 1 else None


def not_json(random, lines):
    at = random.randrange(len(lines) + 1)
    return [*lines[:at], random.choice((b"{oops\n", b"null\n", b"[1]\n", b"\xff\xfe\n")), *lines[at:]]


def zeroed(random, lines):
    at = _place(random, lines)
    return None if at is None else [*lines[:at], b"\0" * len(lines[at]), *lines[at + 1 :]]


def result_lost(random, lines):
    at = _of(random, lines, RESULTS, CALLS)
    return None if at is None else [*lines[:at], *lines[at + 1 :]]


def cut_at_a_call(random, lines):
    at = _of(random, lines, CALLS, RESULTS)
    return None if at is None else lines[: at + 1]


def call_lost(random, lines):
    at = _of(random, lines, CALLS, RESULTS)
    return None if at is None else [*lines[:at], *lines[at + 1 :]]


def result_doubled(random, lines):
    """The same result again, on a line with another id."""
    at = _of(random, lines, RESULTS, CALLS)
    data = _object(lines[at]) if at is not None else None
    if at is None or data is None:
        return None
    for key in ("uuid", "id"):
        if key in data:
            data[key] = f"{NOWHERE[:-4]}{random.randrange(1 << 16):04x}"
    return [*lines[: at + 1], json.dumps(data).encode() + b"\n", *lines[at + 1 :]]


def result_first(random, lines):
    at = _of(random, lines, RESULTS, CALLS)
    if at is None or at < 2:
        return None
    return [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]]


def result_unwritten(random, lines):
    """A call without its result, as if the program had died while the tool ran; both are on one line."""
    at = _of(random, lines, (b'"toolCalls"', b'"callID"'))
    data = _object(lines[at]) if at is not None else None
    if at is None or data is None:
        return None
    for call in data.get("toolCalls", ()):
        call.pop("result", None)
    for part in data.get("parts", ()):
        if part.get("type") == "tool":
            part["state"] = {
                "status": "running",
                "input": part["state"].get("input", {}),
                "time": {"start": 1},
            }
    return [*lines[:at], json.dumps(data).encode() + b"\n", *lines[at + 1 :]]


KINDS = {
    kind.__name__.replace("_", "-"): kind
    for kind in (
        result_lost, result_unwritten, call_lost, cut_at_a_call, result_doubled, result_first, line_lost, parent_cut,
        line_torn, header_lost, lines_lost, lines_joined, end_torn, header_torn, line_doubled, lines_swapped, not_json,
        zeroed,
    )
}  # fmt: skip


def damaged(random, data, kinds):
    """The file with these kinds of damage, and those that could be applied."""
    lines, done = lines_of(data), []
    for kind in kinds:
        made = KINDS[kind](random, lines) if lines else None
        if made:
            lines = made
            done.append(kind)
    return (file_of(lines, data) if done else data), done


# -- sessions that are one value ---------------------------------------------------------------------------


def lines_of(data):
    """A file's lines; for an export of opencode, its head and each message."""
    if not data.startswith(b"{\n") and data.count(b"\n") > 1:
        return data.splitlines(keepends=True)
    value = json.loads(data)
    if "info" not in value:
        return data.splitlines(keepends=True)
    head = {key: held for key, held in value.items() if key != "messages"}
    return [json.dumps(one).encode() + b"\n" for one in (head, *value["messages"])]


def file_of(lines, data):
    """The file with these lines; for a single value, those that are objects, cut like the last one."""
    if lines_of(data) == data.splitlines(keepends=True):
        return b"".join(lines)
    head = {key: held for key, held in json.loads(data).items() if key != "messages"}
    objects = [one for line in lines if (one := _object(line)) is not None]
    messages = [one for one in objects if "role" in one.get("info", {})]
    whole = json.dumps({**head, "messages": messages}, indent=2).encode()
    return whole if not lines or lines[-1].endswith(b"\n") else whole[: -40 - len(lines[-1])]
