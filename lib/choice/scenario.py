"""The one record everything hangs on: what is run, on what, for what money, seen in which language.

A scenario is frozen, versioned and whole: every field is written into its link, so that a link keeps its meaning when
a default changes.
"""

import functools
from typing import Annotated, Any, Final, Literal, Self, TypeVar, get_args

from annotated_types import Ge, Gt, Le, MaxLen
from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from lib.choice.page_choices import Record, Text, View
from lib.choice.preference import Preference
from lib.choice.quotes import MOST_QUOTES, Quote
from lib.cost.draft import CATALOGUE, OWN
from lib.errors import InputError
from lib.records import Engine, KvFormat, Sampler
from lib.sizing.training_activations import Recompute
from lib.sizing.training_setup import Optimizer
from lib.sizing.training_shape import LoraTargets
from lib.sizing.training_states import Accounting, Offload

VERSION: Final = 1
CUSTOM_MODEL: Final = "custom"
NAME_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,59}$"

Language = Literal["en", "zh"]
Task = Literal["serve", "train", "finetune", "image", "token-price"]
Acquisition = Literal["buy", "rent", "commit-1y", "commit-3y"]
Bridge = Literal["none", "rent", "old-fleet"]
Currency = Literal["USD", "CNY", "EUR"]
Site = Literal["colocation", "own"]
Grid = Literal["us", "cn", "world"]
TrainingMethod = Literal["full", "lora", "qlora"]
PriceSource = Literal["catalogue", "article-a0", "article-a1", "article-a2", "article-a3", "article-a4", "own"]
WeightFormatWord = Literal[
    "native", "bf16", "fp16", "fp8-tensor", "fp8-channel", "fp8-block128", "int8", "int4-g32", "int4-g128",
    "mxfp8", "mxfp4", "nvfp4", "nf4",
]  # fmt: skip

OWN_NAME_PATTERN: Final = r"^[A-Za-z0-9\u4e00-\u9fff][A-Za-z0-9\u4e00-\u9fff .+-]{0,29}$"
"""Letters and digits alone, so that a name is a name wherever it is shown."""

MOST_OWN_PARTS: Final = 2
MOST_OPTIONS: Final = 8

PART_TWICE: Final = "a part stands twice with one way of having it, one source of its price and one order month"
NO_CONFIG: Final = "a custom model needs its config"

Name = Annotated[str, Field(pattern=NAME_PATTERN)]
Path = tuple[str | int, ...]
AnyScenario = TypeVar("AnyScenario", bound="Scenario")


class Training(Record):
    """How a model is trained: what is sharded, kept, computed again or put away; read for training workloads alone."""

    zero_stage: Annotated[int, Field(ge=0, le=3)] = 3
    accounting: Accounting = "zero-paper"
    tensor_parallel_size: Annotated[int, Field(ge=1, le=64)] = 1
    pipeline_parallel_size: Annotated[int, Field(ge=1, le=128)] = 1
    expert_parallel_size: Annotated[int, Field(ge=1, le=512)] = 1
    sequence_parallel: bool = False
    recompute: Recompute = "selective"
    offload: Offload = "none"
    optimizer: Optimizer = "adam"
    micro_batch: Annotated[int, Field(ge=1, le=4096)] = 1
    lora_rank: Annotated[int, Field(ge=1, le=1024)] = 16
    lora_targets: LoraTargets = "all-linear"
    double_quantisation: bool = True


class Workload(Record):
    """One thing that is run: a model, its formats, and how much of it."""

    name: Text = ""
    task: Task = "serve"
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    model: Name = "llama-3.3-70b"
    config: Annotated[str, Field(max_length=4000)] = ""
    weight_format: WeightFormatWord = "native"
    kv_format: KvFormat = "bf16"
    input_tokens: Annotated[int, Field(ge=1, le=2_000_000)] = 4096
    output_tokens: Annotated[int, Field(ge=1, le=2_000_000)] = 512
    concurrency: Annotated[int, Field(ge=1, le=100_000)] = 64
    shared_prefix_tokens: Annotated[int, Field(ge=0, le=2_000_000)] = 0
    draft_layers: bool = False
    max_model_len: Annotated[int, Field(ge=1, le=20_000_000)] | None = None
    request_rate_per_s: Annotated[float, Field(gt=0, le=1e6)] | None = None
    peak_factor: Annotated[float, Field(ge=1, le=20)] = 1.0
    spare_replicas: Annotated[int, Field(ge=0, le=100)] = 0
    ttft_limit_ms: Annotated[float, Field(gt=0, le=600_000)] | None = None
    tpot_limit_ms: Annotated[float, Field(gt=0, le=60_000)] | None = None
    training_method: TrainingMethod = "full"
    training_gpus: Annotated[int, Field(ge=1, le=100_000)] | None = None
    training: Training | None = None
    stated_output_tokens_per_hour: Annotated[float, Field(gt=0, le=1e12)] | None = None
    output_weight: Annotated[float, Field(gt=0, le=1000)] | None = None
    users_per_sequence: Annotated[float, Field(gt=0, le=100_000)] | None = None
    training_gpu_hours: Annotated[float, Field(gt=0, le=1e10)] | None = None

    @property
    def setup(self) -> Training:
        """How the model is trained: as stated, else the defaults, which a link need not carry."""
        return self.training or Training()

    @property
    def context_tokens(self) -> int:
        """Tokens that one sequence holds at its end: the prompt and the whole answer."""
        return self.input_tokens + self.output_tokens


class Candidate(Record):
    """One part considered, how and when it would be had, and prices that override the catalogue's.

    Months are counted from the decision. A lead time of None is one that nobody stated: no month is counted for it.
    """

    accelerator: Name
    gpus: Annotated[int, Field(ge=1, le=100_000)] | None = None
    acquisition: Acquisition = "buy"
    price_source: PriceSource = "catalogue"
    gpu_price_usd: Annotated[float, Field(ge=0, le=1e7)] | None = None
    server_price_usd: Annotated[float, Field(ge=0, le=1e8)] | None = None
    rent_usd_per_gpu_hour: Annotated[float, Field(ge=0, le=1000)] | None = None
    rent_usd_per_gpu_month: Annotated[float, Field(ge=0, le=1e6)] | None = None
    throughput_factor: Annotated[float, Field(ge=0.05, le=20)] | None = None
    prepaid_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    minimum_months: Annotated[int, Field(ge=0, le=60)] = 0
    order_month: Annotated[int, Field(ge=0, le=48)] = 0
    delivery_months: Annotated[int, Field(ge=0, le=48)] | None = None
    acceptance_months: Annotated[int, Field(ge=0, le=24)] = 0
    deposit_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    bridge: Bridge = "none"
    bridge_part: Name | None = None
    bridge_gpus: Annotated[int, Field(ge=1, le=100_000)] | None = None
    bridge_usd_per_gpu_hour: Annotated[float, Field(ge=0, le=1000)] | None = None
    bridge_usd_per_month: Annotated[float, Field(ge=0, le=1e10)] | None = None

    @property
    def price_basis(self) -> str:
        """Whose prices it stands among: the reader's own stand beside the catalogue's, an article's apart."""
        return CATALOGUE if self.price_source == OWN else self.price_source


class OwnPart(Record):
    """A part that the catalogue does not have, as the buyer states it; None is unknown, and stays so."""

    name: Annotated[str, Field(pattern=OWN_NAME_PATTERN)]
    vendor: Literal["AMD", "NVIDIA", "Intel", "other"] = "other"
    memory_gib: Annotated[float, Field(gt=0, le=10_000)]
    memory_bandwidth_tbs: Annotated[float, Field(gt=0, le=1000)] | None = None
    fp16_bf16_dense_tflops: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    fp8_dense_tflops: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    fp4_dense_tflops: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    interconnect_gbs: Annotated[float, Field(gt=0, le=100_000)] | None = None
    tdp_w: Annotated[float, Field(gt=0, le=100_000)] | None = None
    gpus_per_node: Annotated[int, Field(ge=1, le=128)] = 8
    server_power_kw: Annotated[float, Field(gt=0, le=1000)] | None = None

    @model_serializer(mode="wrap")
    def _with_power_if_any(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if (name, value) != ("server_power_kw", None)}


class EngineChoice(Record):
    """The serving engine and its scheduler; None is the engine's own default."""

    engine: Engine = "vllm-v1"
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1)] | None = None
    max_num_batched_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    max_num_seqs: Annotated[int, Field(ge=1, le=100_000)] | None = None
    sampler: Sampler | None = None
    decode_context_parallel_size: Annotated[int, Field(ge=1, le=64)] = 1
    online_quantization: bool = False


class Money(Record):
    """What money and running cost, in US dollars, filled from the edition's assumptions; None is such an assumption.

    The currency is the one that results are shown in.
    """

    horizon_years: Annotated[int, Field(ge=1, le=5)]
    discount_rate: Annotated[float, Field(ge=0, le=0.5)]
    utilisation: Annotated[float, Field(ge=0.01, le=1)]
    electricity_usd_per_kwh: Annotated[float, Field(ge=0, le=2)]
    power_usage_effectiveness: Annotated[float, Field(ge=1, le=3)]
    colocation_usd_per_kw_month: Annotated[float, Field(ge=0, le=2000)]
    hardware_support_fraction: Annotated[float, Field(ge=0, le=0.5)]
    residual_scale: Annotated[float, Field(ge=0, le=2)]
    staff_fte_per_server: Annotated[float, Field(ge=0, le=10)]
    staff_usd_per_fte_year: Annotated[float, Field(ge=0, le=2_000_000)]
    migration_engineer_weeks: Annotated[float, Field(ge=0, le=1000)]
    network_usd_per_gpu: Annotated[float, Field(ge=0, le=100_000)]
    spares_fraction: Annotated[float, Field(ge=0, le=1)]
    rent_change_per_year: Annotated[float, Field(ge=-0.5, le=0.5)]
    rent_support_fraction: Annotated[float, Field(ge=0, le=0.5)]
    licence_usd_per_gpu_year: Annotated[float, Field(ge=0, le=50_000)]
    electricity_change_per_year: Annotated[float, Field(ge=-0.5, le=0.5)] = 0.0
    site: Site = "colocation"
    fit_out_usd_per_kw: Annotated[float, Field(ge=0, le=100_000)] | None = None
    storage_tb: Annotated[float, Field(ge=0, le=1_000_000)] = 0.0
    storage_usd_per_tb_month: Annotated[float, Field(ge=0, le=10_000)] | None = None
    egress_tb_per_month: Annotated[float, Field(ge=0, le=1_000_000)] = 0.0
    egress_usd_per_tb: Annotated[float, Field(ge=0, le=10_000)] | None = None
    currency: Currency = "USD"
    currency_per_usd: Annotated[float, Field(ge=0.01, le=10_000)] | None = None
    grid: Grid = "us"
    grid_kg_per_kwh: Annotated[float, Field(ge=0, le=3)] | None = None


class Constraints(Record):
    """What an answer must not break; None and empty are no constraint. Budgets are US dollars, years count from 1."""

    software: Annotated[tuple[Text, ...], MaxLen(20)] = ()
    power_kw: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    budget_usd: Annotated[float, Field(gt=0, le=1e12)] | None = None
    budget_by_year: Annotated[tuple[Annotated[float, Field(ge=0, le=1e12)] | None, ...], MaxLen(5)] = ()
    contingency_fraction: Annotated[float, Field(ge=0, le=0.9)] = 0.0
    gpus: Annotated[int, Field(ge=1, le=100_000)] | None = None
    deadline: Annotated[str, Field(pattern=r"^(\d{4}-(0[1-9]|1[0-2]))?$")] = ""


class Scenario(Record):
    """A whole question: the state of every page and of the link."""

    version: Literal[1] = VERSION
    edition: Annotated[str, Field(pattern=r"^[0-9a-f-]{0,24}$")] = ""
    preset: Annotated[str, Field(pattern=r"^[a-z0-9-]{0,40}$")] = ""
    language: Language = "en"
    title: Text = ""
    workloads: Annotated[tuple[Workload, ...], Field(min_length=1, max_length=3)]
    candidates: Annotated[tuple[Candidate, ...], Field(min_length=1, max_length=MOST_OPTIONS)]
    own_parts: Annotated[tuple[OwnPart, ...], Field(max_length=MOST_OWN_PARTS)] = ()
    quotes: Annotated[tuple[Quote, ...], Field(max_length=MOST_QUOTES)] = ()
    engine: EngineChoice = EngineChoice()
    money: Money
    constraints: Constraints = Constraints()
    preference: Preference | None = None
    view: View = View()

    @model_validator(mode="after")
    def _parts_once(self) -> Self:
        seen = [(one.accelerator, one.acquisition, one.price_source, one.order_month) for one in self.candidates]
        if len(set(seen)) < len(seen):
            raise ValueError(PART_TWICE)
        if any(one.model == CUSTOM_MODEL and not one.config for one in self.workloads):
            raise ValueError(NO_CONFIG)
        return self

    @model_serializer(mode="wrap")
    def _with_offers_if_any(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        if not self.quotes:
            del written["quotes"]
        return written

    @property
    def prefers(self) -> Preference:
        """What the buyer prefers: as stated, else the defaults, which a link need not carry."""
        return self.preference or Preference()

    @property
    def priced_index(self) -> int:
        """Index of the candidate whose price is being edited; the last one where the view points past the end."""
        return min(self.view.priced, len(self.candidates) - 1)

    @property
    def quote(self) -> Quote | None:
        """The offer in view; None where the view points past the last one, for one that is still to be stated."""
        return self.quotes[self.view.quote] if self.view.quote < len(self.quotes) else None

    @property
    def workload_index(self) -> int:
        """Index of the workload in view; the last one where the view points past the end."""
        return min(self.view.workload, len(self.workloads) - 1)

    @property
    def workload(self) -> Workload:
        """The workload in view."""
        return self.workloads[self.workload_index]


def at(scenario: Scenario, path: Path) -> Any:
    """The value at a path.

    Parameters
    ----------
    scenario : Scenario
        Any scenario.
    path : tuple of str or int
        For example ``("workloads", 0, "concurrency")``.

    Returns
    -------
    Any
        The value as the record holds it.
    """
    value: Any = scenario
    for step in path:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    return value


def changed(scenario: AnyScenario, path: Path, value: Any) -> AnyScenario:
    """A copy of the scenario with the value at the path replaced, validated as a whole.

    Parameters
    ----------
    scenario : Scenario
        The scenario to start from.
    path : tuple of str or int
        Where the value stands, for example ``("money", "discount_rate")``.
    value : Any
        The new value, in the type of the field.

    Returns
    -------
    Scenario
        A new frozen record of the same kind.

    Raises
    ------
    pydantic.ValidationError
        If the value is outside its range.
    """
    data = scenario.model_dump()
    target: Any = data
    for step in path[:-1]:
        if isinstance(target[step], tuple):
            target[step] = list(target[step])
        target = target[step]
    target[path[-1]] = value
    return type(scenario).model_validate(_tuples(data))


def _tuples(value: Any) -> Any:
    """Lists back to tuples: the record is strict about its own types."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_tuples(item) for item in value)
    return value


@functools.lru_cache(maxsize=256)
def bounds(path: Path) -> tuple[float | None, float | None]:
    """The smallest and largest allowed number at a path, as the record declares them; None where there is no limit.

    Parameters
    ----------
    path : tuple of str or int
        Where the value stands; indices do not matter.

    Returns
    -------
    tuple of float or None
        Lowest and highest allowed value.

    Raises
    ------
    InputError
        If there is no such field.
    """
    low: float | None = None
    high: float | None = None
    for mark in _marks(path):
        match mark:
            case Ge(ge=value) | Gt(gt=value):
                low = float(value)  # type: ignore[arg-type]
            case Le(le=value):
                high = float(value)  # type: ignore[arg-type]
    return low, high


def excludes_least(path: Path) -> bool:
    """Whether the number at a path must be above the smallest of `bounds`, and not at it.

    Parameters
    ----------
    path : tuple of str or int
        Where the value stands; indices do not matter.

    Returns
    -------
    bool
        False also for what is no number.

    Raises
    ------
    InputError
        If there is no such field.
    """
    return any(isinstance(mark, Gt) for mark in _marks(path))


def choices(path: Path) -> tuple[str, ...]:
    """The words allowed at a path whose field is a closed list.

    Parameters
    ----------
    path : tuple of str or int
        Where the value stands.

    Returns
    -------
    tuple of str
        Empty for any other field.
    """
    return tuple(word for word in _words(_field(path).annotation) if isinstance(word, str))


def _field(path: Path) -> Any:
    """The pydantic field at a path of names and indices."""
    owner: Any = Scenario
    found: Any = None
    for step in path:
        if isinstance(step, int):
            continue
        if not (isinstance(owner, type) and issubclass(owner, BaseModel)) or step not in owner.model_fields:
            raise InputError("path", ".".join(map(str, path)), "a field of the scenario")
        found = owner.model_fields[step]
        owner = next(
            (one for one in _types(found.annotation) if isinstance(one, type) and issubclass(one, BaseModel)), None
        )
    return found


def _types(annotation: Any) -> list[Any]:
    inner = get_args(annotation)
    return [annotation, *(one for part in inner for one in _types(part))]


def _words(annotation: Any) -> list[Any]:
    return [value for one in _types(annotation) for value in get_args(one) if not isinstance(value, type)]


def _marks(path: Path) -> list[Any]:
    found = _field(path)
    marks: list[Any] = []
    for part in [
        *found.metadata,
        *(one for kind in _types(found.annotation) for one in getattr(kind, "__metadata__", ())),
    ]:
        marks.extend(getattr(part, "metadata", None) or [part])
    return marks
