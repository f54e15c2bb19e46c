"""What was attached to a prompt or to results, as Claude Code tells its model of it whenever it resumes.

Files, directories, selections and agents that the user named, files that were changed meanwhile, memory,
plans, skills in use, diagnostics and output of hooks. What else it attaches it adds of itself: lists of
agents, skills and tools, modes, reminders.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from ...base.words import some
from ...providers.parts import listed, name_of, object_of, objects, text_of
from ...session.model import Json, Part
from ...session.records import dumps

_MOST = 2000  # characters of a selection that are sent
_DIAGNOSED = 4000  # characters of diagnostics that are sent
_TRUNCATED = (
    "Note: The file {} was too large and has been truncated to the first 2000 lines. Don't tell the"
    " user about this truncation. Use Read to read more of the file if you need."
)
_EDITED = (
    "Note: {} was modified, either by the user or by a linter. This change was intentional, so make"
    " sure to take it into account as you proceed (ie. don't revert it unless the user asks you to)."
    " Don't tell the user this, since they are already aware. "
)
_CHANGES = "Here are the relevant changes (shown with line numbers):\n"
_OMITTED = (
    "The diff was omitted because other modified files in this turn already exceeded the snippet"
    " budget; use the Read tool if you need the current content."
)
_RELATED = "This may or may not be related to the current task."
_SKILLS = """\
The following skills were invoked EARLIER in this session (before the conversation was compacted), not on \
the current turn. They are shown here for context only so you remain aware of their guidelines.

IMPORTANT: Do NOT re-execute these skills or perform their one-time setup actions (e.g., scheduling, \
creating files) again. The "## Input" sections below reflect the original arguments from when each skill \
was first invoked \u2014 they are NOT the user's current message. Only continue to apply ongoing \
behavioral guidelines from these skills where still relevant.

"""
_RESOURCE = """\
Full contents of resource:
{}
Do NOT read this resource again unless you think it may have changed, since you already have the full \
contents."""
_TEMPLATES = {  # by the kind of attachment, with its fields in braces: `None` where one is missing
    "selected_lines_in_ide": (
        "The user selected the lines {lineStart} to {lineEnd} from {filename}:\n{selection}\n\n" + _RELATED
    ),
    "selected_lines_in_diff": (
        "The user selected the following {lines} from the diff view:\n{selection}\n\n" + _RELATED
    ),
    "opened_file_in_ide": "The user opened the file {filename} in the IDE. " + _RELATED,
    "plan_file_reference": (
        "A plan file exists from plan mode at: {planFilePath}\n\nPlan contents:\n\n{plan}\n\nIf this plan"
        " is relevant to the current work and not already complete, continue working on it."
    ),
    "compact_file_reference": (
        "Note: {filename} was read before the last conversation was summarized, but the contents are too"
        " large to include. Use Read tool if you need to access it."
    ),
    "agent_mention": (
        'The user has expressed a desire to invoke the agent "{agentType}". Please invoke the agent'
        " appropriately, passing in the required context to it. "
    ),
    "hook_stopped_continuation": "{hookName} hook stopped continuation: {message}",
    "hook_blocking_error": '{hookName} hook blocking error from command: "{command}": {error}',
}
_CUT = "\u2026[truncated]"
_MARKS = {"Error": "\u2718", "Warning": "\u26a0", "Info": "\u2139", "Hint": "\u2605"}
_LINE = re.compile(r"\r?\n")
_EVENTS = ("SessionStart", "UserPromptSubmit", "UserPromptExpansion")  # whose hooks' output is sent

QUEUED = "queued_command"  # what waited while the model worked: the user's prompts, and what others sent
_NOTIFIED = """\
[SYSTEM NOTIFICATION - NOT USER INPUT]
This is an automated background-task event, NOT a message from the user.
Do NOT interpret this as user acknowledgement, confirmation, or response to any pending question.

"""
_OTHERS = {
    "task-notification": _NOTIFIED,
    "coordinator": "The coordinator sent a message while you were working:\n",
    "peer": "Another Claude session sent a message while you were working:\n",
    "channel": "A message arrived from {} while you were working:\n",
}
_NOT_USERS = "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n"


def queued(attachment: Json) -> Any:
    """The content of what waited in the queue; what is not the user's begins with whose it is."""
    content, mode = attachment.get("prompt"), text_of(attachment.get("commandMode"))
    origin = object_of(attachment.get("origin"))
    default = _NOT_USERS if attachment.get("isMeta") is True else ""
    head = _OTHERS.get(text_of(origin.get("kind")) or mode, default).format(text_of(origin.get("server")))
    if not head:
        return content
    if isinstance(content, str):
        return head + content
    return [{"type": "text", "text": head}, *listed(content)]


def parts(attachment: Any) -> list[Part]:
    """What the model is sent of an attachment; nothing of one of an unknown kind, or without content."""
    held = object_of(attachment)
    kind, content = text_of(held.get("type")), object_of(held.get("content"))
    file = object_of(content.get("file"))
    if kind == "file" and name_of(file.get("base64")) and name_of(file.get("type")):
        return _image(held, file)
    if kind in _TEMPLATES:
        text = _TEMPLATES[kind].format_map(_fields(held))
    else:
        text = _TEXTS[kind](held) if kind in _TEXTS else ""
    return [{"text": text}] if text else []


def is_sent(attachment: object) -> bool:
    """Whether it is of a kind that the model is sent."""
    kind = text_of(object_of(attachment).get("type"))
    return kind in _TEXTS or kind in _TEMPLATES


def _fields(held: Json) -> Mapping[str, Any]:
    """The fields of an attachment for a template; None for one that is missing."""
    error = object_of(held.get("blockingError"))
    text = text_of(held.get("content"))
    return defaultdict(lambda: None, held) | {
        "selection": text if len(text) <= _MOST else f"{text[:_MOST]}\n... (truncated)",
        "lines": some(_number(held.get("lineCount")), "line"), "plan": text_of(held.get("planContent")),
        "command": error.get("command"), "error": error.get("blockingError"),
    }  # fmt: skip


def _image(held: Json, file: Json) -> list[Part]:
    call = _called("Read", {"file_path": held.get("filename")})
    return [{"text": call}, {"inlineData": {"mimeType": file["type"], "data": file["base64"]}}]


def _called(tool: str, arguments: Json, result: str | None = None) -> str:
    text = dumps(arguments).decode("utf-8", "replace")
    called = f"Called the {tool} tool with the following input: {text}"
    return called if result is None else f"{called}\nResult of calling the {tool} tool:\n{result}"


def _file(held: Json) -> str:
    file = object_of(object_of(held.get("content")).get("file"))
    path, text, start = held.get("filename"), name_of(file.get("content")), file.get("startLine")
    if text is None:
        return ""
    lines = enumerate(_LINE.split(text), start if isinstance(start, int) else 1)
    shown = [f"{number}\t{line}" for number, line in lines]
    shown += [_TRUNCATED.format(path)] if held.get("truncated") is True else []
    return _called("Read", {"file_path": path}, "\n".join(shown))


def _directory(held: Json) -> str:
    path = text_of(held.get("path"))
    arguments = {"command": f"ls {shlex.quote(path)}", "description": f"Lists files in {path}"}
    return _called("Bash", arguments, text_of(held.get("content")))


def _edited(held: Json) -> str:
    snippet = text_of(held.get("snippet"))
    return _EDITED.format(held.get("filename")) + (f"{_CHANGES}{snippet}" if snippet else _OMITTED)


def _memory(held: Json) -> str:
    content = object_of(held.get("content"))
    text = name_of(content.get("content"))
    return f"Contents of {content.get('path')}:\n\n{text}" if text else ""


def _resource(held: Json) -> str:
    contents = objects(object_of(held.get("content")).get("contents"))
    return "\n".join(
        _RESOURCE.format(text) for content in contents if (text := name_of(content.get("text")))
    )


def _skills(held: Json) -> str:
    skills = [
        f"### Skill: {skill.get('name')}\nPath: {skill.get('path')}\n\n{text_of(skill.get('content'))}"
        for skill in objects(held.get("skills"))
    ]
    return _SKILLS + "\n\n---\n\n".join(skills) if skills else ""


def _diagnostics(held: Json) -> str:
    files = []
    for file in objects(held.get("files")):
        name = text_of(file.get("uri")).rsplit("/", 1)[-1]
        files.append("\n".join([f"{name}:", *map(_diagnostic, objects(file.get("diagnostics")))]))
    text = "\n\n".join(files)
    text = text if len(text) <= _DIAGNOSED else text[: _DIAGNOSED - len(_CUT)] + _CUT
    head = "<new-diagnostics>The following new diagnostic issues were detected:"
    return f"{head}\n\n{text}</new-diagnostics>" if text else ""


def _diagnostic(diagnostic: Json) -> str:
    start = object_of(object_of(diagnostic.get("range")).get("start"))
    line, column = _number(start.get("line")) + 1, _number(start.get("character")) + 1
    code, source = name_of(diagnostic.get("code")), name_of(diagnostic.get("source"))
    beside = (f" [{code}]" if code else "") + (f" ({source})" if source else "")
    mark = _MARKS.get(text_of(diagnostic.get("severity")), "\u25cf")
    return f"  {mark} [Line {line}:{column}] {text_of(diagnostic.get('message'))}{beside}"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _hook_later(held: Json) -> str:
    response = object_of(held.get("response"))
    more = object_of(response.get("hookSpecificOutput")).get("additionalContext")
    return "\n".join(filter(None, map(text_of, (response.get("systemMessage"), more))))


def _hook(held: Json) -> str:
    text = "\n".join(map(text_of, listed(held.get("content"))))
    return f"{held.get('hookName')} hook additional context: {text}" if text else ""


def _hook_output(held: Json) -> str:
    text = name_of(held.get("content")) if held.get("hookEvent") in _EVENTS else None
    return f"{held.get('hookName')} hook success: {text}" if text else ""


_TEXTS: dict[str, Callable[[Json], str]] = {
    "file": _file, "directory": _directory, "edited_text_file": _edited, "nested_memory": _memory,
    "mcp_resource": _resource, "invoked_skills": _skills, "diagnostics": _diagnostics,
    "hook_additional_context": _hook, "hook_success": _hook_output, "async_hook_response": _hook_later,
}  # fmt: skip
