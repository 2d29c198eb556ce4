"""Which inputs of two scenarios differ, in groups that belong together, and each scenario with one group of the other's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lib.choice.own_parts import named_alike
from lib.choice.scenario import Candidate, EngineChoice, Scenario, Training

_OF_WORKLOAD: Final[Mapping[str, tuple[str, ...]]] = {
    "model": ("model", "config"),
    "formats": ("weight_format", "kv_format", "draft_layers"),
    "task": ("task", "training_method", "training"),
    "latency": ("ttft_limit_ms", "tpot_limit_ms"),
}
_OF_MONEY: Final[Mapping[str, tuple[str, ...]]] = {
    "site": ("site", "fit_out_usd_per_kw"),
    "storage": ("storage_tb", "storage_usd_per_tb_month"),
    "egress": ("egress_tb_per_month", "egress_usd_per_tb"),
    "shown": ("currency", "currency_per_usd", "grid", "grid_kg_per_kwh"),
}
_OF_CONSTRAINTS: Final[Mapping[str, tuple[str, ...]]] = {
    "budget": ("budget_usd", "budget_by_year", "contingency_fraction")
}
_OF_CANDIDATE: Final[Mapping[str, tuple[str, ...]]] = {
    "price": (
        "price_source", "gpu_price_usd", "server_price_usd", "rent_usd_per_gpu_hour", "rent_usd_per_gpu_month",
        "prepaid_fraction", "minimum_months",
    ),
    "gpus": ("gpus",),
    "speed": ("throughput_factor",),
    "time": (
        "order_month", "delivery_months", "acceptance_months", "deposit_fraction", "bridge", "bridge_part",
        "bridge_gpus", "bridge_usd_per_gpu_hour", "bridge_usd_per_month",
    ),
}  # fmt: skip
_OF_PREFERENCE: Final = ("metric", "target_load", "software_weight", "evidence_weight")
_NO_INPUT: Final = ("name", "share")
"""What a workload is called, and its share of a mix, move nothing of its own answer."""

SHOWN_ONLY: Final = "money.shown"
"""Currency and grid: they change what is shown beside the cost in US dollars, and not the cost."""

OPTIONS: Final = "options"


@dataclass(frozen=True, slots=True)
class Input:
    """One value that differs; a candidate where it is one of its fields. Of options the values say who has them.

    A candidate of the other scenario alone names its part as `named_alike` does.
    """

    field: str
    yours: Any
    other: Any
    candidate: Candidate | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs that are changed together, because one means nothing without the others."""

    key: str
    inputs: tuple[Input, ...]


def in_view(scenario: Scenario) -> Scenario:
    """The scenario with the workload in view alone: the answer is one workload's.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    Scenario
        With one workload.
    """
    view = scenario.view.model_copy(update={"workload": 0})
    return scenario.model_copy(update={"workloads": (scenario.workload,), "view": view})


def differing(yours: Scenario, other: Scenario) -> tuple[Group, ...]:
    """The groups of inputs in which two scenarios differ, for the workload in view of each.

    Parameters
    ----------
    yours, other : Scenario
        The two.

    Returns
    -------
    tuple of Group
        In the order in which a buyer thinks: what is run, on what, for what money, within which limits.
    """
    return tuple(_groups(*named_alike(in_view(yours), in_view(other))))


def suggested(scenario: Scenario, presets: Mapping[str, Scenario]) -> str:
    """What to compare a scenario with while nobody has chosen: its own preset, or where it is that, one of the same task.

    Parameters
    ----------
    scenario : Scenario
        The reader's.
    presets : mapping of str to Scenario
        All presets, in their order.

    Returns
    -------
    str
        A preset's name.
    """
    own = presets.get(scenario.preset)
    if own is not None and differing(scenario, own):
        return scenario.preset
    rest = {name: one for name, one in presets.items() if name != scenario.preset}
    alike = (name for name, one in rest.items() if one.workload.task == scenario.workload.task)
    return next(alike, next(iter(rest), scenario.preset))


def _groups(yours: Scenario, other: Scenario) -> Iterator[Group]:
    yield from _of_record("workload", yours.workload, other.workload, _OF_WORKLOAD, _NO_INPUT)
    engine = tuple(_inputs(yours.engine, other.engine, EngineChoice.model_fields))
    if engine:
        yield Group("engine", engine)
    options = tuple(_options(yours, other))
    if options:
        yield Group(OPTIONS, options)
    for mine, theirs in pairs(yours, other):
        for name, fields in _OF_CANDIDATE.items():
            one, two = yours.candidates[mine], other.candidates[theirs]
            found = tuple(_inputs(one, two, fields, one))
            if found:
                yield Group(f"candidate.{name}.{mine}.{theirs}", found)
    yield from _of_record("money", yours.money, other.money, _OF_MONEY)
    yield from _of_record("constraints", yours.constraints, other.constraints, _OF_CONSTRAINTS)
    for name in _OF_PREFERENCE:
        found = tuple(_inputs(yours.prefers, other.prefers, (name,)))
        if found:
            yield Group(f"preference.{name}", found)


def _of_record(
    room: str, yours: Any, other: Any, together: Mapping[str, tuple[str, ...]], left_out: Sequence[str] = ()
) -> Iterator[Group]:
    """Groups of a record: those named together, every other field by itself."""
    of = {field: name for name, fields in together.items() for field in fields}
    of |= dict.fromkeys(Training.model_fields, of.get("training", ""))
    grouped: dict[str, list[Input]] = {}
    for one in _inputs(yours, other, type(yours).model_fields):
        if one.field not in left_out:
            grouped.setdefault(of.get(one.field, one.field), []).append(one)
    for name, found in grouped.items():
        yield Group(f"{room}.{name}", tuple(found))


def _inputs(
    yours: Any, other: Any, fields: Sequence[str] | Mapping[str, Any], candidate: Candidate | None = None
) -> Iterator[Input]:
    for name in fields:
        mine, theirs = getattr(yours, name), getattr(other, name)
        if name == "training":
            # left out means the defaults, so that only what differs from them counts
            yield from _inputs(mine or Training(), theirs or Training(), Training.model_fields)
        elif mine != theirs:
            yield Input(name, mine, theirs, candidate)


def _options(yours: Scenario, other: Scenario) -> Iterator[Input]:
    """Options that only one has; an own part that is stated differently is another part."""
    both = pairs(yours, other)
    for place, one in enumerate(yours.candidates):
        if place not in {mine for mine, _ in both}:
            yield Input("option", True, False, one)
    for place, one in enumerate(other.candidates):
        if place not in {theirs for _, theirs in both}:
            yield Input("option", False, True, one)


def pairs(yours: Scenario, other: Scenario) -> tuple[tuple[int, int], ...]:
    """Places of the options that both scenarios have: the same part had in the same way, most alike first (exact).

    Parameters
    ----------
    yours, other : Scenario
        With own parts named alike: equal ids are equal parts.

    Returns
    -------
    tuple of tuple of int
        Place in yours and in the other, each at most once, in the order of yours. Of several options of one part and way
        those with the same source of the price and month of the order go together before those without.
    """
    left = list(range(len(other.candidates)))
    found: dict[int, int] = {}
    for is_like in (_same_key, _same_way):
        for place, one in enumerate(yours.candidates):
            match = next((at for at in left if place not in found and is_like(one, other.candidates[at])), None)
            if match is not None:
                found[place] = match
                left.remove(match)
    return tuple(sorted(found.items()))


def _same_way(one: Candidate, other: Candidate) -> bool:
    return (one.accelerator, one.acquisition) == (other.accelerator, other.acquisition)


def _same_key(one: Candidate, other: Candidate) -> bool:
    return _same_way(one, other) and (one.price_source, one.order_month) == (other.price_source, other.order_month)


def with_groups(scenario: Scenario, giver: Scenario, groups: Sequence[Group], *, is_yours: bool) -> Scenario:
    """A scenario with some groups of inputs as another has them.

    Parameters
    ----------
    scenario : Scenario
        The one that takes them, with one workload.
    giver : Scenario
        The one that they are taken from, with one workload, its own parts named alike.
    groups : sequence of Group
        Of `differing`.
    is_yours : bool
        Whether `scenario` is the first of the two that were compared.

    Returns
    -------
    Scenario
        Not validated again: each value comes from a valid record.
    """
    step = 1 if is_yours else -1
    paired = [both[::step] for both in (pairs(scenario, giver) if is_yours else pairs(giver, scenario))]
    result = scenario
    for group in groups:
        room, _, name = group.key.partition(".")
        match room:
            case "workload":
                fields = _OF_WORKLOAD.get(name, (name,))
                result = result.model_copy(update={"workloads": (_taken(result.workload, giver.workload, fields),)})
            case "money":
                fields = _OF_MONEY.get(name, (name,))
                result = result.model_copy(update={"money": _taken(result.money, giver.money, fields)})
            case "constraints":
                fields = _OF_CONSTRAINTS.get(name, (name,))
                limits = _taken(result.constraints, giver.constraints, fields)
                result = result.model_copy(update={"constraints": limits})
            case "engine":
                result = result.model_copy(update={"engine": giver.engine})
            case "preference":
                wanted = result.prefers.model_copy(update={name: getattr(giver.prefers, name)})
                result = result.model_copy(update={"preference": wanted})
            case "candidate":
                kind, *both = name.split(".")
                mine, theirs = (int(place) for place in both[::step])
                stated = list(result.candidates)
                stated[mine] = _taken(stated[mine], giver.candidates[theirs], _OF_CANDIDATE[kind])
                result = result.model_copy(update={"candidates": tuple(stated)})
    if any(group.key == OPTIONS for group in groups):  # last, for it moves the places of the others
        kept = {theirs: result.candidates[mine] for mine, theirs in paired}
        chosen = tuple(kept.get(place, one) for place, one in enumerate(giver.candidates))
        result = result.model_copy(update={"candidates": chosen, "own_parts": giver.own_parts})
    return result


def _taken(record: Any, giver: Any, fields: Sequence[str]) -> Any:
    return record.model_copy(update={name: getattr(giver, name) for name in fields})
