"""What is written for a program is read back as it was, and there is nothing wrong with it."""

import json
import os
import re
import tempfile
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings

import histories
import sent
import strategies
from codeh_history import BadData, providers
from codeh_history.programs import registry, writing
from codeh_history.programs.claude_code import folder
from codeh_history.programs.protocol import SessionInfo
from codeh_history.providers.media import media
from codeh_history.providers.openai import IMAGES
from codeh_history.providers.parts import answer
from codeh_history.providers.request import Options
from codeh_history.providers.turns import CONTINUATION, EMPTY_MESSAGE
from codeh_history.session import sources
from codeh_history.session.fold import fold
from codeh_history.session.model import Part
from codeh_history.session.records import parse
from codeh_history.store import program_files
from codeh_history.store.program_files import File, translated
from coding_agents import AGENTS
from length import examples
from written_cases import spoken

CASES = Path(__file__).parent / "agents" / "cases"
PROGRAMS = pytest.mark.parametrize("program", registry.WRITTEN)
ABOUT = SessionInfo(writing.uuid("a test"), "/home/dev/project", "A title", "2026-01-02T03:04:05.000Z")


def read_back(program, written):
    """The session that our own reader finds in the file, under its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(written.name))
        with open(path, "wb") as file:
            file.write(written.data)
        with open(path, "rb") as file:
            opened = File(file.fileno(), path)
            assert registry.detect_program(opened.head) == program
            (session,) = registry.read(program, opened)
            return session


@PROGRAMS
def test_a_fork_of_a_program_is_read_and_written_with_its_own_name(program):
    """Kilo is a fork of opencode, Qwen Code one of Gemini CLI: other fields make their readers and writers."""
    own = registry.program(program)
    places = [place._replace(patterns=[f".fork/{name}" for name in place.patterns]) for place in own.places]
    fork = own._replace(name="fork", title="The Fork", command="fork", places=places)
    texts = []
    for path in sorted((CASES / program).glob("*/*.json*")):
        with program_files.opened(str(path)) as file:
            if registry.detect_program(file.head) == program:
                for session in fork.read(file, fork):
                    assert session.program == "fork"
                    texts += [problem.reason for problem in session.problems]
                    written = writing.write(fork, view_of(session), ABOUT)
                    assert written.resume[0] == "fork"
                    texts += written.notes
    assert texts
    assert not [text for text in texts if own.title in text.replace(str(CASES), "")]


def view_of(session):
    return fold(parse(translated.lines(session, "p")))


def turns(program, view):
    """What the program's provider is sent of a view: texts, calls, results, media."""
    speaks = "anthropic" if program in ("opencode", "kilo") else AGENTS[program].speaks  # it speaks to all
    prepared, _ = writing.prepare(view, "")
    messages = [*prepared.messages, histories.session([histories.user({"text": "next"})]).messages[0]]
    summaries = [summary.text for summary in view.summaries]
    options = Options(model=None if speaks == "gemini" else "m")
    body = providers.Format(speaks).request(messages, options, summaries).body
    merged = []
    for turn in sent.turns(speaks, body):
        parts = [part for part in turn["parts"] if says(part)]
        if parts and merged and merged[-1]["role"] == turn["role"]:
            merged[-1]["parts"] += parts
        elif parts and parts != [{"text": CONTINUATION}]:
            merged.append({**turn, "parts": parts})
    return sent.numbered(merged)


def says(part):
    """Whether a part is more than nothing, what one provider alone knows, or words in the place of a file."""
    if next(iter(part)) != "text":
        return "native" not in part
    text = part["text"].strip()
    return text not in ("", EMPTY_MESSAGE) and not text.endswith("takes no such file]")


def understood(value):
    """A message without what some program has no place for.

    These are files but pictures, pictures of calls that failed, roles but a user's.
    """
    if isinstance(value, list):
        return [understood(item) for item in value if not is_file(item)]
    if not isinstance(value, dict):
        return value
    kept = {key: understood(item) for key, item in value.items()}
    if kept.get("item", {}).get("role") in ("system", "developer"):
        del kept["item"]
    if isinstance(kept.get("response"), dict) and "error" in kept["response"]:
        kept.pop("parts", None)
    return kept


def is_file(part):
    if not isinstance(part, dict):
        return False
    content = media(cast("Part", part))
    value = part.get("native", {}).get("value")
    kind = value.get("type") if isinstance(value, dict) else None
    by_id = kind == "input_file" or (kind == "input_image" and "image_url" not in value)
    return by_id or (content is not None and content.mime not in IMAGES)


@PROGRAMS
@given(histories.conversations())
@settings(max_examples=examples(20))
def test_any_history_is_read_back_equal(program, messages):
    view = histories.sendable([understood(message) for message in messages])
    written = registry.write(program, view, ABOUT)
    session = read_back(program, written)
    assert session.problems == []
    assert turns(program, view_of(session)) == turns(program, view)
    if view_of(session).messages:  # where Claude Code keeps its directory
        assert session.cwd == ABOUT.cwd
    assert session.settings["title"] == ABOUT.title


def test_ids_are_of_the_kind_that_programs_make():
    import uuid

    assert uuid.UUID(writing.uuid("one")).version == 4
    assert writing.uuid("one") != writing.uuid("two")


THINKING = [{"text": "hm", "thought": True, "thoughtSignature": "c2ln"}, {"text": "Red."}]
SUMMARY = {"type": "summary", "id": "s1", "createdAt": "2026-01-02T03:04:05.000Z", "summary": "The barn was red.",
           "covers": ["m0"], "conversationCount": 1}  # fmt: skip


def log_of(*messages, origin=None):
    """A session with these messages, perhaps a copy of a program's."""
    head = {"type": "session", "version": 1, "id": "s", "created": ABOUT.time}
    if origin is not None:
        head["imported"] = {"from": origin, "id": "x", "path": "p"}
    common = {"type": "message", "ts": ABOUT.time}
    return [head, *({**common, "id": f"m{n}", **message} for n, message in enumerate(messages))]


def thoughtful(origin, **fields):
    """A session, perhaps a copy of a program's, in which a model thought."""
    answer = histories.message("codeh", *THINKING, provider="anthropic", model="claude-opus-4-8", **fields)
    prompt, more = (histories.user({"text": text}) for text in ("Which colour?", "And the gate?"))
    return strategies.view_of(log_of(prompt, answer, more, origin=origin))


@pytest.mark.parametrize(
    ("view", "kept"),
    [
        pytest.param(thoughtful("claude-code", imported=[2]), True, id="its own"),
        pytest.param(thoughtful("claude-code"), False, id="appended to a copy"),
        pytest.param(thoughtful("pi", imported=[2]), False, id="another program's"),
        pytest.param(thoughtful(None), False, id="ours"),
    ],
)
def test_thinking_goes_back_only_to_the_program_whose_it_was(view, kept):
    written = registry.write("claude-code", view, ABOUT)
    assert (b"c2ln" in written.data) is kept
    assert +written.left_out == ({} if kept else {"thought": 1})


@pytest.mark.parametrize("text", [None, [{"type": "reasoning_text", "text": "hm"}]], ids=["sealed", "open"])
def test_2026_11_23_what_is_held_of_reasoning_is_what_is_written(text):
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "content": text, "encrypted_content": "c2ln"}
    answer = histories.message(
        "codeh", {"native": {"provider": "openai-responses", "value": item}}, {"text": "Red.", "item": {"id": "msg_1"}},
        provider="openai-responses", imported=[2],
    )  # fmt: skip
    view = strategies.view_of(log_of(histories.user({"text": "Which colour?"}), answer, origin="codex"))
    assert b"c2ln" in registry.write("codex", view, ABOUT).data
    assert writing.as_written(registry.program("codex"), view).messages[1].parts == view.messages[1].parts


@PROGRAMS
@pytest.mark.parametrize("covers", [["m0", "m1"], ["m0"]], ids=["a user goes on", "a model goes on"])
@pytest.mark.parametrize("by", ["outline", "own"])
def test_a_summary_is_read_back_as_one(program, by, covers):
    summary = {**SUMMARY, "by": program if by == "own" else by, "covers": covers}
    prompt, more = (histories.user({"text": text}) for text in ("Which colour?", "And the gate?"))
    view = strategies.view_of([*log_of(prompt, histories.model({"text": "Red."}), more), summary])
    again = view_of(read_back(program, registry.write(program, view, ABOUT)))
    assert [item.text for item in again.summaries] == ["The barn was red."]
    texts = [part["text"] for message in again.messages for part in message.parts]
    assert texts == ["Red.", "And the gate?"][len(covers) - 1 :]


@PROGRAMS
def test_2026_11_23_a_list_of_attached_files_is_written_with_them(program):
    """It is no part of the message's own: `export` ended with a bug where there was one."""
    view = thoughtful(None)
    prompt, answer, more = view.messages
    prompt.fields["attached"] = [{"name": "a.txt", "mimeType": "text/plain", "bytes": 5, "part": 0}]
    answer.fields["attached"] = prompt.fields["attached"]
    written = registry.write(program, view.with_messages(sources.listed([prompt, answer, more])), ABOUT)
    assert written.data.count(b"- a.txt (text/plain, 5 bytes)") >= 2
    assert b"Red." in written.data
    assert +written.left_out == {"thought": 1}


@PROGRAMS
def test_2026_11_23_half_calls_in_native_parts_are_not_calls(program):
    """`export --to gemini-cli` ended with a bug where a result answered nothing, or a call was none."""
    names = ("functionCall", "functionResponse")
    halves = [{half: value} for half in names for value in (5, {"name": "f"}, {"id": "z", "response": 3})]
    parts = [{"native": {"provider": "gemini", "value": value}} for value in halves]
    kinds = [("user", "user", [{"text": "Which?"}]), ("codeh", "model", parts), ("tool", "user", parts)]
    log = log_of(*({"kind": kind, "role": role, "parts": parts} for kind, role, parts in kinds))
    written = registry.write(program, strategies.view_of(log), ABOUT)
    assert b"Which?" in written.data


def test_2026_11_23_a_message_that_says_nothing_is_none_of_codex():
    """Its provider refuses some that are empty."""
    view = strategies.view_of(log_of({"kind": "user", "role": "user", "parts": [{"text": ""}]}))
    assert b"message" not in registry.write("codex", view, ABOUT).data


def test_2026_11_26_an_item_with_a_role_and_no_content_goes_to_codex_unchanged():
    item = {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "f"}]}
    native = {"native": {"provider": "openai-responses", "value": item}}
    view = histories.session([histories.user({"text": "hi"}), histories.user(native)])
    written = map(json.loads, registry.write("codex", view, ABOUT).data.splitlines())
    assert item in [line["payload"] for line in written]


def test_unexportable_records_are_counted():
    view = thoughtful(None)
    view.meta = {"system": "Be brief.", "tools": [{"name": "read"}, {"name": "save"}]}
    left = registry.write("codex", view, ABOUT).left_out
    assert +left == {"thought": 1, "system prompt": 1, "tool declaration": 2}
    assert writing.format_counts(left) == "2 tool declarations, 1 system prompt, 1 thought"


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        pytest.param("/home/dev/My project.py", "-home-dev-My-project-py", id="plain"),
        pytest.param("/é/\U0001f600", "-----", id="two units for one beyond the first plane"),
    ],
)
def test_the_folder_of_a_directory_has_the_name_that_claude_code_gives_it(cwd, name):
    assert folder(cwd) == name
    with pytest.raises(BadData, match="too long"):
        folder(cwd + "a" * 200)


def test_a_file_goes_to_codex_as_its_text_or_as_one_about_it():
    files = [
        {"inlineData": {"mimeType": "text/markdown", "data": "SGk=", "displayName": "a.md"}},
        {"inlineData": {"mimeType": "application/pdf", "data": "SGk=", "displayName": "a.pdf"}},
    ]
    written = registry.write("codex", histories.sendable([histories.user(*files)]), ABOUT)
    (message,) = read_back("codex", written).items
    assert [part["text"] for part in message.parts] == [  # type: ignore[union-attr]
        "[a.md]\nHi", "[application/pdf a.pdf, 2 bytes: Codex takes no files]",
    ]  # fmt: skip


def contents_of(view):
    """What both sides said and what tools answered, whatever the ids."""
    contents = []
    for message in view.messages:
        for part in message.parts:
            if "functionCall" in part:
                contents.append(("call", part["functionCall"]["name"], part["functionCall"].get("args")))
            elif "functionResponse" in part:
                contents.append(("result", *answer(part["functionResponse"]["response"])))
            elif "inlineData" in part:
                contents.append(("media", part["inlineData"]["data"]))
            else:
                contents.append((message.role, part["text"]))
    return contents


@PROGRAMS
def test_a_round_of_all_programs_ends_with_the_same(program):
    picture = {"inlineData": {"mimeType": "image/png", "data": histories.PNG}}
    read = {"functionCall": {"name": "read", "args": {"path": "a"}, "id": "call/ü"}}
    failed = {"error": "Tool call read failed with error: no such file"}
    before = histories.sendable([
        histories.user({"text": "Compare."}, picture),
        histories.model({"text": "Reading both."}, read, histories.call("grep", None, {"x": [1, {"y": None}]})),
        histories.tool(histories.result("read", "call/ü", failed), histories.result("grep", None, {"hits": 2})),
        histories.model({"text": "One is missing."}),
        histories.user({"text": "Again."}),
        histories.model(histories.call("read", "call/ü", {"path": "b"})),
        histories.tool(histories.result("read", "call/ü", {"output": "oats\n"})),
        histories.model({"text": "Oats."}),
    ])  # fmt: skip
    view, first = before, registry.WRITTEN.index(program)
    for other in [*registry.WRITTEN[first:], *registry.WRITTEN[: first + 1]]:
        view = view_of(read_back(other, registry.write(other, view, ABOUT)))
    assert contents_of(view) == contents_of(before)


@given(histories.conversations())
@settings(max_examples=examples(10))
def test_any_history_is_the_same_after_a_round_of_all_programs(messages):
    """The texts, calls, results and pictures that each of them has a place for."""
    before = view = histories.sendable([small(understood(message)) for message in messages])
    for program in registry.WRITTEN:
        view = view_of(read_back(program, registry.write(program, view, ABOUT)))
    assert spoken(turns("claude-code", view)) == spoken(turns("claude-code", before))


def small(value):
    """A message with pictures that every provider takes, names that none has to change, and calls last."""
    if isinstance(value, list):
        return [small(item) for item in value if not is_odd(item)]
    if not isinstance(value, dict):
        return value
    kept = {key: item if key in ("args", "response") else small(item) for key, item in value.items()}
    if "name" in kept and not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,39}", str(kept["name"])):
        kept["name"] = "tool"
    if "parts" in kept:  # Copilot CLI has one text, before the calls
        kept["parts"] = sorted(kept["parts"], key=lambda part: "functionCall" in (part or ()))
    return kept


def is_odd(part):
    if not isinstance(part, dict):
        return False
    blob = part.get("inlineData")
    return (
        "fileData" in part
        or "native" in part
        or ("inlineData" in part and not (isinstance(blob, dict) and blob.get("mimeType") == "image/png"))
    )
