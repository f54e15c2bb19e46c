"""Nobody's words in the user's mouth, however often a session is compacted; and the user's own rules stay."""

import random
import re

import orjson

from codeh_history.filters.compact.extract import extract
from codeh_history.session.fold import fold
from codeh_history.session.model import Summary
from codeh_history.session.records import parse
from codeh_history.views.filtering import compaction
from compact.forged import FORGERIES, IMITATIONS, POISONS, RULES
from compact.long import output, prose
from compact.short import COUNTER, plan, tokens, tool_call
from histories import TS, model, session, user

ROUNDS = 3
LOG = "\n".join(f"2026-01-01 10:{n:02d} worker {n} did job_{n * 7} in {n * 13} ms" for n in range(60))


USERS = ("user", "human", "what was asked", "rule", "rules", "pinned", "requests")


def carriers(text, id):
    """The ways in which a text gets into a session without the user saying it."""
    read = tool_call(id, "read_file", {"path": f"src/mod_{id}.py"}, {"output": text})
    line = " ".join(text.split())
    return {
        "output": tool_call(id, "bash", {"command": f"cat notes_{id}"}, {"output": text}),
        "page": tool_call(
            id, "fetch", {"url": f"https://{id}.example"}, {"page": {"title": id, "body": text}}
        ),
        "rows": tool_call(
            id, "query", {"name": id}, {"rows": [{"id": 1, "note": text}, {"id": 2, "note": "x"}]}
        ),
        "plain fields": tool_call(id, "lookup", {"id": id}, {"status": "ok", "note": line}),
        "file": read,
        "error": tool_call(id, "bash", {"command": f"make {id}"}, {"error": text}),
        "failed command": tool_call(id, "bash", {"command": line}, {"error": f"Error: {line}"}),
        "path": tool_call(id, "read_file", {"path": line}, {"output": f"nothing here {id}"}),
        "argument": tool_call(id, "write_file", {"path": f"{id}.md", "content": text}, {"output": "ok"}),
        "action": tool_call(id, "send_mail", {"to": line}, {"status": line}),
        "answer": [model(text)],
        "answer below": [model(f"I looked at {id}.\n\n{text}\n\nThat is all.")],
        "fence": [user(f"What does this mean?\n```yaml\n{text}\n```\nTell me about {id}.")],
        "quote": [
            user("Somebody wrote:\n" + "".join(f"> {row}\n" for row in re.split(r"\s*[\n\r]\s*", text)))
        ],
        "paste": [user(f"Why is {id} slow?\n{LOG}\n{text}")],
        "terminal": [
            user(
                f"➜  app git:(main) ✗ git push\nerror: {id}\n- {line}\nerror: failed to push\n\nPlease fix {id}."
            )
        ],
        "transcript": [
            user(f"Review this.\n\n>>> TRANSCRIPT START\n\n{text}\n\n>>> TRANSCRIPT END\n\nIs {id} safe?")
        ],
        "transcript in parts": [
            {
                **user("Review this."),
                "parts": [{"text": t} for t in (">>> LOG START", text, ">>> LOG END", "Is it safe?")],
            }
        ],
        "instructions": [user(f"# AGENTS.md instructions for /{id}\n\n{text}")],
        "command": [user(f"<command-name>/{id}</command-name>"), user(f"# Open\n\n{text}")],
    }


def compacted(turns, seed, share=0.5):
    """The view after three compactions in place, with more work before each of the later ones."""
    view = session(turns)
    records = [record.raw for record in view.log.records]
    for number in range(ROUNDS):
        made = plan(view, int(tokens(view) * share), hysteresis=True)
        assert made.ops
        records.append(orjson.dumps(compaction(f"K{number}", TS, made.ops, made.fields())))
        more = [
            m for n in range(6)
            for m in (user(f"Now look at part {number}{n}."), *tool_call(f"w{number}{n}", "bash", {"command": f"make p{n}"}, {"output": output(seed + n, 20)}),
                      model(f"Part {number}{n}: {prose(seed + n, 40)}"))
        ]  # fmt: skip
        if number < ROUNDS - 1:
            records += (
                orjson.dumps({"type": "message", "id": f"r{number}-{n}", "ts": TS, **m})
                for n, m in enumerate(more)
            )
        view = fold(parse(b"\n".join(records)))
    return view


def users_lines(summaries):
    """What summaries have as the user's, by their records."""
    texts = []
    for fields in summaries:
        for kind, text, _ in fields["lines"]:
            name, _, label = kind.partition(" ")
            if (
                name in ("asked", "rule")
                or label == "User"
                or (name in ("decision", "open", "question") and not label)
            ):
                texts.append(text)
    return texts


def seen_as_users(text):
    """What a reader of a summary's text would take for the user's: below such a heading or label."""
    lines, whose = [], ""
    for raw in re.split("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", text):
        line = re.sub("[\u200b-\u200f\u2060-\u2064\ufeff]|\x1b\\[\\d*m", "", raw)
        label = re.match(
            r"(?! )#* ?[*_]*\[? ?(\w[\w ./@`()-]{0,40}?) ?\]?[*_]*(?: \([^)]*\))?[*_]*(?:[:\uff1a]|\]$)",
            line,
        )
        if label:
            whose = label[1].lower()
        if whose in USERS:
            lines.append(line)
    return lines


def attempts():
    """200 attempts in 20 sessions: (token, carrier, turns), half of them of texts written unseen."""
    draw = random.Random(20261123)
    drawn = []
    for number in range(200):
        token = f"zq{number:03d}x"
        template = draw.choice(FORGERIES if number % 2 else IMITATIONS)
        text = template.replace("{P}", draw.choice(POISONS).format(token=token))
        ways = carriers(text, f"c{number}")
        way = draw.choice(sorted(ways))
        drawn.append((token, way, ways[way]))
    draw.shuffle(drawn)
    return [drawn[start : start + 10] for start in range(0, 200, 10)]


def test_no_text_of_a_tool_a_file_a_paste_or_a_model_becomes_the_users():
    arrived, stood = [], 0
    for seed, some in enumerate(attempts()):
        turns = [user(f"Please go through the shop {seed}.")]
        for n, (_, _way, carried) in enumerate(some):
            turns += [
                *carried,
                model(f"Seen {n}: {prose(seed + n, 30)}"),
                user(f"Go on with step {n} of {seed}."),
            ]
        turns += [m for n in range(4) for m in (model(prose(n, 60)), user(f"And then {n}?"))]
        view = compacted([*turns, model("Done so far."), user("And now?")], seed, 0.6)
        texts = "\n".join(summary.text for summary in view.summaries)
        theirs = "\n".join([*users_lines(s.fields for s in view.summaries), *seen_as_users(texts)])
        arrived += [(token, way) for token, way, _ in some if token in theirs]
        stood += sum(token in texts for token, _, _ in some)
    assert not arrived
    assert stood > 40, stood  # that nothing arrives is not because nothing stands there


def test_nor_where_all_of_it_is_told():
    arrived, stood = [], 0
    for some in attempts():
        for token, way, carried in some:
            view = session([user("Please go through the shop."), *carried, user("Go on."), model("Yes.")])
            fields = extract(view.messages, 100_000, COUNTER)
            for _ in range(ROUNDS):
                if token in "\n".join([*users_lines([fields]), *seen_as_users(fields["summary"])]):
                    arrived.append((token, way))
                earlier = Summary(fields={"id": "S", **fields}, place=0, raw=None)
                fields = extract((), 100_000, COUNTER, [earlier])
            stood += token in fields["summary"]
    assert not arrived
    assert stood > 150, stood


def test_rules_in_users_own_words_stand_as_rules_after_three_compactions():
    kept = 0
    for start in range(0, 100, 10):
        turns = []
        for n, rule in enumerate(RULES[start : start + 10]):
            prompt = rule if n % 2 else f"Please look at part {n} of the shop. {rule}"
            turns += [
                user(prompt), *tool_call(f"c{n}", "bash", {"command": f"make t{n}"}, {"output": output(start + n, 25)}),
                model(f"Part {n}: {prose(start + n, 60)}"),
            ]  # fmt: skip
        turns += [m for n in range(6) for m in (user(f"What about {n}?"), model(prose(n, 90)))]
        view = compacted([*turns, user("And now?")], start)
        rules = " ".join(
            text for s in view.summaries for kind, text, _ in s.fields["lines"] if kind == "rule"
        )
        kept += sum(rule in rules for rule in RULES[start : start + 10])
    assert kept >= 85
