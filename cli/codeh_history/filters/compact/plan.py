"""The settings of a compaction, and its result: a plan of ops with reasons and gains."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ...base.errors import BadData
from ...session.model import Json
from ...session.ops import NEXT, Op
from ...session.records import block_of
from ...session.view import View
from .summary import is_line

HIGH = 0.85  # with `-i` compaction starts above this share of the budget
LOW = 0.60  # and reduces to this one, to postpone the next


class Settings(NamedTuple):
    """The limits of a compaction, and how to meet them.

    `budget` is for the whole request, with `system` and `tools` (None: the session's). With `hysteresis`
    compaction starts above 0.85 of the budget and reduces to 0.60. The newest `keep_last` exchanges stay
    unchanged. `capped`: the share of uploads applies even if everything fits. `exact`: count tokens even if
    the byte count proves that it fits. `model` selects the counter (default: the session's newest);
    `must_calibrate`: raise Usage if `calibrated` but no usage is recorded.
    """

    budget: int = 0
    policy: str = "tiered"
    system: str | None = None
    tools: Sequence[Json] | None = None
    hysteresis: bool = False
    keep_last: int = 0
    upload_share: float = 0.6
    history_share: float = 0.2
    capped: bool = False
    exact: bool = False
    characters: int = 0
    items: int = 0
    counter: str | None = None
    calibrated: bool = False
    must_calibrate: bool = True
    model: str | None = None

    @property
    def limiting(self) -> bool:
        """Whether any limit is set."""
        return bool(self.budget or self.characters or self.items or self.keep_last)


class Step(NamedTuple):
    """An op with its stage and reason, and its tokens before and after if they were counted."""

    op: Op
    stage: str
    why: str
    before: int | None = None
    after: int | None = None


class Plan(NamedTuple):
    """A compaction that is not applied yet.

    `before`, `after` and `floor` are totals by `counter`; `before` is None if the byte count proved that
    the view fits. `largest` lists the largest units that must stay; it and `floor` need `Settings.exact`.
    """

    policy: str
    counter: str | None = None
    budget: int | None = None
    before: int | None = None
    after: int | None = None
    floor: int | None = None
    steps: Sequence[Step] = ()
    largest: Sequence[Json] = ()

    @property
    def ops(self) -> list[Op]:
        return [step.op for step in self.steps]

    @property
    def stages(self) -> list[str]:
        """The stages that acted, in order."""
        return list(dict.fromkeys(step.stage for step in self.steps))

    def fields(self) -> Json:
        """The fields of the compaction record besides its ops."""
        fields: Json = {
            "policy": self.policy, "counter": self.counter, "budget": self.budget,
            "before": self.before, "after": self.after,
        }  # fmt: skip
        return {name: value for name, value in fields.items() if value is not None}

    def report(self) -> list[Json]:
        """The lines of `--report`: one for each message or part that an op changes."""
        lines: list[Json] = []
        for step in self.steps:
            ids = step.op["ids"] if "ids" in step.op else [step.op["id"]]
            part = {"part": step.op["part"]} if "part" in step.op else {}
            counted = len(ids) == 1 and step.before is not None
            gain = {"tokens_before": step.before, "tokens_after": step.after} if counted else {}
            lines += (
                {"stage": step.stage, "op": step.op["op"], "id": id, **part, "why": step.why, **gain}
                for id in ids
            )
        return lines

    def to_json(self) -> Json:
        """The plan as printed by `--plan` and read by `--apply`."""
        return {
            **self.fields(), "floor": self.floor, "stages": self.stages, "largest": list(self.largest),
            "ops": [
                {**s.op, "stage": s.stage, "why": s.why, "tokens_before": s.before, "tokens_after": s.after}
                for s in self.steps
            ],
        }  # fmt: skip

    def then(self, other: Plan) -> Plan:
        """Append a plan made for the result of this one, without summaries that the other absorbs."""
        by_id = {f"{NEXT}.{number}": step for number, step in enumerate(self.steps)}
        absorbed = {id for op in other.ops if op["op"] == "summarize" for id in op["ids"] if id in by_id}
        steps = [_covering(step, by_id) for step in other.steps]
        others = [step for id, step in by_id.items() if id not in absorbed]
        return other._replace(steps=[*others, *steps])


def _covering(step: Step, by_id: Mapping[str, Step]) -> Step:
    """Replace ids of summaries made by the same plan by what they cover."""
    if step.op["op"] != "summarize":
        return step
    ids = [id for old in step.op["ids"] for id in (by_id[old].op["ids"] if old in by_id else [old])]
    return step._replace(op={**step.op, "ids": ids})


_OPS: dict[str, dict[str, type]] = {
    "drop": {"ids": list}, "replace": {"id": str, "part": int, "block": str},
    "summarize": {"ids": list, "summary": str},
}  # fmt: skip
_NUMBERS = ("budget", "before", "after", "floor")


def read(data: Any, view: View) -> Plan:
    """Parse a plan; raise BadData if it is not a plan, or the session has changed since."""
    if not isinstance(data, dict) or not isinstance(data.get("ops"), list):
        raise BadData("not a plan: expected an object with `ops` (compact --plan prints one)")
    wrong = next((name for name in _NUMBERS if type(data.get(name)) not in (int, type(None))), None)
    if wrong:
        raise BadData(f"the plan's `{wrong}` is not a number")
    present = {message.id for message in view.messages} | {summary.id for summary in view.summaries}
    counter, largest = data.get("counter"), data.get("largest")
    return Plan(
        policy=str(data.get("policy", "plan")), counter=counter if isinstance(counter, str) else None,
        steps=[_step(item, number, view, present) for number, item in enumerate(data["ops"])],
        largest=largest if isinstance(largest, list) else [], **{name: data.get(name) for name in _NUMBERS},
    )  # fmt: skip


def _step(item: Any, number: int, view: View, present: Collection[str]) -> Step:
    where = f"the plan's op {number}"
    required = _OPS.get(str(item.get("op"))) if isinstance(item, dict) else None
    if required is None or any(type(item.get(name)) is not kind for name, kind in required.items()):
        raise BadData(f"{where}: not a drop, replace or summarize op")
    missing = [id for id in item.get("ids", [item.get("id")]) if type(id) is not str or id not in present]
    if missing:
        raise BadData(f"{where}: {missing[0]!r} is no longer in the session; make the plan again")
    if item["op"] == "replace" and not _still_applies(item, view):
        raise BadData(f"{where}: part {item['part']} of {item['id']} has changed; make the plan again")
    lines = item.get("lines", [])
    if not isinstance(lines, list) or not all(map(is_line, lines)):
        raise BadData(f"{where}: `lines` are not lists of kind, text and message id")
    extra = {"stage", "tokens_before", "tokens_after", "why" if item["op"] == "summarize" else ""}
    op: Any = {key: value for key, value in item.items() if key not in extra}
    sizes = (item.get(name) for name in ("tokens_before", "tokens_after"))
    before, after = (size if type(size) is int else None for size in sizes)
    return Step(op, str(item.get("stage", "plan")), str(item.get("why", "")), before, after)


def _still_applies(item: Json, view: View) -> bool:
    """Whether the part of a `replace` op is unchanged, and the op would change it."""
    from ...session.records import check_message

    message = next((m for m in view.messages if m.id == item["id"]), None)
    parts, number, new = (message.own or []) if message else [], item["part"], item.get("with")
    if message is None or not 0 <= number < len(parts):
        return False
    if new is not None and check_message({"id": "", "kind": "user", "parts": [new]}) is not None:
        return False
    replaced = message.replaced or {}
    block = message.blocks[number] if message.blocks is not None else block_of(parts[number])
    return block == item["block"] and not (number in replaced and replaced[number] == new)
