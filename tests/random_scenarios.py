"""Scenarios drawn at random over every field that the record declares, so that a new field is tried without a new line here."""

import functools
import json
import random
import re
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel, ValidationError

from lib.choice.scenario import CUSTOM_MODEL, Scenario

TEXTS: Final = (
    "", "mi300x", "h100-sxm", "llama-3.3-70b", "v5.1", "2048x128", "2026-09-01", "2026-09", "fp8", "a_b.c", "A0-001",
    "serve-70b", "2026-11-30-3a74bae9", "Acme 4 + B.", "Größe: 70 % «x»", "四个方案的比较", "🙂 \\ \" ' & < = ;", "x" * 60,
    "text", "MI450X", "0123456789abcdef",
)  # fmt: skip
"""What text fields are drawn from: those that a field's pattern and length allow."""

Draw = Callable[[random.Random], Any]


def random_scenario(chance: random.Random) -> Scenario:
    """A valid scenario; drawn again where two fields do not go together."""
    while True:
        try:
            return Scenario.model_validate_json(json.dumps(_sound(_drawer(Scenario)(chance))))
        except ValidationError:
            continue


def _sound(data: dict[str, Any]) -> dict[str, Any]:
    """What rules across fields ask for: a custom model has its config, and no option stands twice."""
    for workload in data["workloads"]:
        if workload["model"] == CUSTOM_MODEL:
            workload["config"] = '{"model_type":"llama"}'
    keys = ("accelerator", "acquisition", "price_source", "order_month")
    single = {tuple(one[key] for key in keys): one for one in data["candidates"]}
    return {**data, "version": 1, "candidates": list(single.values())}


@functools.lru_cache(maxsize=64)
def _drawer(kind: type[BaseModel]) -> Draw:
    """A record with every field drawn, some two thirds at their defaults."""
    fields = {name: (_of(one.annotation, tuple(one.metadata)), one) for name, one in kind.model_fields.items()}

    def draw(chance: random.Random) -> dict[str, Any]:
        return {
            name: made(chance)
            for name, (made, field) in fields.items()
            if field.is_required() or chance.random() > 0.65
            or name in ("accelerator", "acquisition", "price_source", "order_month", "model", "config")
        }  # fmt: skip

    return draw


def _of(kind: Any, marks: tuple[Any, ...]) -> Draw:
    """What draws a value of an annotation within its limits."""
    if hasattr(kind, "__metadata__"):
        return _of(kind.__origin__, (*kind.__metadata__, *marks))
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return lambda chance: chance.choice(inner)
    if origin in (Union, UnionType):
        kinds = [_of(one, marks) for one in inner if one is not NoneType]
        none = NoneType in inner
        return lambda chance: None if none and chance.random() < 0.4 else chance.choice(kinds)(chance)
    flat = [one for mark in marks for one in (getattr(mark, "metadata", None) or [mark])]
    if origin is tuple:
        least = next((mark.min_length for mark in flat if isinstance(mark, MinLen)), 0)
        most = min(next((mark.max_length for mark in flat if isinstance(mark, MaxLen)), 4), 4)
        each = _of(inner[0], ())
        return lambda chance: [each(chance) for _ in range(chance.randint(least, most))]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return lambda chance: _drawer(kind)(chance)
    if kind is bool:
        return lambda chance: chance.random() < 0.5
    if kind in (int, float):
        return _number(kind, flat)
    assert kind is str, kind
    pattern = next((str(mark.pattern) for mark in flat if getattr(mark, "pattern", None)), "")
    longest = next((mark.max_length for mark in flat if isinstance(mark, MaxLen)), 10**6)
    fitting = [one for one in TEXTS if len(one) <= longest and (not pattern or re.search(pattern, one))]
    assert fitting, f"no text fits {pattern}: add one"
    return lambda chance: chance.choice(fitting)


def _number(kind: type, flat: list[Any]) -> Draw:
    low: Any = next((mark.ge if isinstance(mark, Ge) else mark.gt for mark in flat if isinstance(mark, Ge | Gt)), 0)
    high: Any = next(
        (mark.le if isinstance(mark, Le) else mark.lt for mark in flat if isinstance(mark, Le | Lt)), 10**6
    )
    open_below = any(isinstance(mark, Gt) for mark in flat)

    def draw(chance: random.Random) -> Any:
        at_end = chance.random()
        if at_end < 0.1:
            return kind(high)
        if at_end < 0.2 and not open_below:
            return kind(low)
        if kind is int:
            return chance.randint(int(low), int(high))
        value = chance.uniform(float(low), float(high))
        return value if chance.random() < 0.5 or round(value, 3) <= low else min(round(value, 3), float(high))

    return draw
