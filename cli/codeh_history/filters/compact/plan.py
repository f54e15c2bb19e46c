"""The settings of a compaction, and its result: a plan of ops with reasons and gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...base.errors import BadData
from ...session.model import Json, Message
from ...session.ops import NEXT, Effects, Op
from ...session.records import check
from ...session.view import View

HIGH = 0.85  # with `-i` compaction starts above this share of the budget
LOW = 0.60  # and reduces to this one, to postpone the next
# of a record, and a plan
FIELDS = {"policy": str, "counter": str, "budget": int, "before": int, "after": int}


class Settings(NamedTuple):
    """The limits of a compaction, and how to meet them.

    `budget` is for the whole request, with `system` and `tools`; with `hysteresis` HIGH and LOW hold. The
    newest `keep_last` exchanges stay unchanged. `capped`: the share of uploads applies even if everything
    fits. `exact`: count tokens even if the byte count proves that it fits. `model` selects the counter
    (default: the session's newest); `must_calibrate`: raise Usage if `calibrated` but no usage is recorded.
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
        fields = self._asdict()
        return {name: fields[name] for name in FIELDS if fields[name] is not None}

    def report(self) -> list[Json]:
        """The lines of `--report`: one for each message or part that an op changes."""
        lines: list[Json] = []
        for op, stage, why, before, after in self.steps:
            ids = op["ids"] if "ids" in op else [op["id"]]
            part = {"part": op["part"]} if "part" in op else {}
            counted = len(ids) == 1 and before is not None
            gain = {"tokens_before": before, "tokens_after": after} if counted else {}
            lines += ({"stage": stage, "op": op["op"], "id": id, **part, "why": why, **gain} for id in ids)
        return lines

    def to_json(self) -> Json:
        """The plan as printed by `--plan` and read by `--apply`."""
        ops = [
            {**op, "stage": stage, "why": why, "tokens_before": before, "tokens_after": after}
            for op, stage, why, before, after in self.steps
        ]
        more = {"floor": self.floor, "stages": self.stages, "largest": self.largest}
        return {**self.fields(), **more, "ops": ops}

    def then(self, other: Plan) -> Plan:
        """Append a plan made for the result of this one, without summaries that the other absorbs."""
        steps = {f"{NEXT}.{number}": step for number, step in enumerate(self.steps)}
        for number, step in enumerate(other.steps):
            op = step.op
            if op["op"] == "summarize":
                absorbed = {id: steps.pop(id).op["ids"] for id in op["ids"] if id in steps}
                ids = [covered for id in op["ids"] for covered in absorbed.get(id, [id])]
                step = step._replace(op={**op, "ids": ids})
            steps[f"then {number}"] = step
        return other._replace(steps=[*steps.values()])


def read(data: Any, view: View, name: str = "the plan") -> Plan:
    """Parse a plan; raise BadData, with its name, if it is none, or the session has changed since."""
    reason = check({**data, "type": "compaction", "id": ""}) if isinstance(data, dict) else "not an object"
    if reason is not None:
        raise BadData(f"{name}: not a plan: {reason} (compact --plan prints one)")
    fields = {name: data[name] for name in FIELDS if data.get(name) is not None}
    wrong = [name for name, value in fields.items() if type(value) is not FIELDS[name]]
    if wrong:
        raise BadData(f"{name}: not a plan: invalid `{wrong[0]}`")
    items: Sequence[Any] = [*view.messages, *view.summaries]
    shown = {item.id: item for item in items}
    steps = [_step(item, f"{name}: op {number}", shown) for number, item in enumerate(data["ops"])]
    return Plan(**{"policy": "plan", **fields}, steps=steps)


def _step(item: Any, where: str, shown: Mapping[str, Any]) -> Step:
    match item:
        case {"op": "drop", "ids": [*ids]} | {"op": "summarize", "ids": [*ids], "summary": str()}:
            pass
        case {"op": "replace", "id": id, "part": int(), "block": str()}:
            ids = [id]
        case _:
            raise BadData(f"{where}: not a drop, replace or summarize op")
    missing = [id for id in ids if id not in shown]
    if missing:
        raise BadData(f"{where}: {missing[0]!r} is no longer in the session; make the plan again")
    if item["op"] == "replace" and not _still_applies(item, shown[item["id"]]):
        raise BadData(f"{where}: part {item['part']} of {item['id']} has changed; make the plan again")
    others = {"stage", "tokens_before", "tokens_after", "message"}
    if item["op"] == "summarize":
        others.add("why")
    op: Any = {key: value for key, value in item.items() if key not in others}
    stage, why = str(item.get("stage", "plan")), str(item.get("why", ""))
    return Step(op, stage, why, item.get("tokens_before"), item.get("tokens_after"))


def _still_applies(op: Any, message: Any) -> bool:
    """Whether the part of a `replace` op is unchanged, and the op would change it."""
    if not isinstance(message, Message) or not Effects({}).holds(message, op):
        return False
    replaced = message.replaced or {}
    return not (op["part"] in replaced and replaced[op["part"]] == op.get("with"))
