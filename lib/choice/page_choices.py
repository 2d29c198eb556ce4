"""What a reader has chosen on single pages, and the view they make together, so that a colleague sees the same."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

TEXT_PATTERN: Final = r"^[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]*$"

Text = Annotated[str, Field(max_length=80, pattern=TEXT_PATTERN)]
RunsToday = Literal["cuda", "rocm", "none"]
End = Literal["low", "base", "high"]
CostSection = Literal[
    "", "difference", "map", "months", "years", "reach", "units", "offers", "assumptions", "articles", "method"
]

RecommendSection = Literal[
    "",
    "checks",
    "costs",
    "sure",
    "map",
    "front",
    "deployments",
    "evidence",
    "tender",
    "questions",
    "articles",
    "method",
]


class Record(BaseModel):
    """A part of a scenario: frozen, exact in its types, without fields that it does not declare."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Sparse(Record):
    """A record of which only what differs from the defaults is written: most links are about something else."""

    @model_serializer(mode="wrap")
    def _as_stated(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        defaults = {name: field.default for name, field in type(self).model_fields.items()}
        return {
            name: value
            for name, value in written.items()
            if value != defaults[name] and not (value == [] and defaults[name] == ())
        }


class StackChoices(Record):
    """What runs today and what of it is the reader's own: it decides what a move costs."""

    runs_today: RunsToday = "cuda"
    kernel_libraries: Annotated[int, Field(ge=0, le=50)] = 1
    kernel_lines: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    effort: End = "base"


class TimingChoices(Record):
    """Which part is bought or rented when, and what is waited for; None is the scenario's own."""

    part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{0,60}$")] = ""
    gpus: Annotated[int, Field(ge=1, le=100_000)] | None = None
    rent_first_months: Annotated[int, Field(ge=1, le=48)] = 6
    lead_months: Annotated[int, Field(ge=0, le=36)] | None = None
    prices_follow: bool = True
    wait_for: Annotated[str, Field(pattern=r"^[A-Za-z0-9 .(),+-]{0,60}$")] = ""


class ClaimsChoices(Sparse):
    """Which claims are looked at, and the claim of the reader's own; its model and load are the scenario's."""

    section: Literal["claims", "contrasts", "questions", "own"] = "claims"
    article: Literal["", "article-a0", "article-a1", "article-a2", "article-a3", "article-a4"] = ""
    verdict: Literal["", "holds", "holds-with-condition", "contradicted", "uncheckable"] = ""
    topic: Annotated[str, Field(pattern=r"^[a-z]{0,20}$")] = ""
    part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{0,60}$")] = ""
    search: Annotated[str, Field(max_length=60, pattern=TEXT_PATTERN)] = ""
    page: Annotated[int, Field(ge=1, le=60)] = 1
    claim: Annotated[str, Field(pattern=r"^(A[0-4]-\d{3})?$")] = ""
    own: Literal["sizing", "price", "per-dollar"] = "sizing"
    own_part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{0,60}$")] = ""
    own_other: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{0,60}$")] = ""
    own_gpus: Annotated[int, Field(ge=1, le=1024)] = 1
    own_ratio: Annotated[float, Field(ge=0.01, le=100)] = 1.0
    own_price: Literal["on-demand", "purchase"] = "on-demand"


class InsideChoices(Sparse):
    """Which view of the chips is looked at, and of which parts; none chosen is the scenario's own."""

    view: Literal["chiplets", "memory", "compute", "fabric", "roofline"] = "chiplets"
    parts: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,59}$")], ...], Field(max_length=4)
    ] = ()


class View(Record):
    """What the reader is looking at, so that a colleague sees the same."""

    workload: Annotated[int, Field(ge=0, le=2)] = 0
    mlperf_round: Annotated[str, Field(pattern=r"^(v\d{1,2}\.\d)?$")] = ""
    mlperf_model: Annotated[str, Field(pattern=r"^[a-z0-9.-]{0,40}$")] = ""
    mlperf_scenario: Literal["", "Offline", "Server", "Interactive"] = ""
    serving_model: Annotated[str, Field(pattern=r"^[a-z0-9.-]{0,60}$")] = ""
    serving_shape: Annotated[str, Field(pattern=r"^(\d{1,7}x\d{1,7})?$")] = ""
    publishers: Literal["all", "independent"] = "all"
    section: Literal["", "pairs", "load", "training", "micro", "accuracy", "kit"] = ""
    since: Annotated[str, Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$")] = ""
    serving_engine: Annotated[str, Field(pattern=r"^[a-z0-9.-]{0,20}$")] = ""
    queue_limited: Literal["shown", "hidden"] = "shown"
    training_benchmark: Annotated[str, Field(pattern=r"^[a-z0-9._-]{0,40}$")] = ""
    training_round: Annotated[str, Field(pattern=r"^(v\d{1,2}\.\d)?$")] = ""
    training_format: Annotated[str, Field(pattern=r"^[a-z0-9 -]{0,20}$")] = ""
    micro: Literal["bandwidth", "gemm", "all_reduce", "power"] = "bandwidth"
    micro_format: Annotated[str, Field(pattern=r"^[a-z0-9_]{0,20}$")] = ""
    kit_part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{0,40}$")] = ""
    kit_engine: Literal["", "vllm", "sglang"] = ""
    base: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{0,40}$")] = ""
    memory_section: Literal["models", "parts", "map", "rules", "method", "logs", "sources", "own-model", "own-part"] = (
        "models"
    )
    memory_part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{0,40}$")] = ""
    recommend_section: RecommendSection = ""
    priced: Annotated[int, Field(ge=0, le=7)] = 0
    cost_section: CostSection = ""
    cost_group: Literal["buy", "run", "money", "future"] = "buy"
    cost_first: Annotated[int, Field(ge=0, le=7)] | None = None
    cost_second: Annotated[int, Field(ge=0, le=7)] | None = None
    typed: bool = False
    map_x: Annotated[str, Field(pattern=r"^[a-z_.]{0,60}$")] = ""
    map_y: Annotated[str, Field(pattern=r"^[a-z_.]{0,60}$")] = ""
    reach_limit: Literal["npv", "nominal", "capital", "dearest-year", "level-year", "power"] = "npv"
    reach_usd: Annotated[float, Field(gt=0, le=1e12)] | None = None
    reach_kw: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    table: Annotated[str, Field(pattern=r"^[a-z_]{0,40}$")] = ""
    table_part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:+-]{0,60}$")] = ""
    table_source: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{0,80}$")] = ""
    table_search: Text = ""
    stack: StackChoices | None = None
    timing: TimingChoices | None = None
    claims: ClaimsChoices = ClaimsChoices()
    inside: InsideChoices = InsideChoices()
    quote: Annotated[int, Field(ge=0, le=8)] = 0

    @model_serializer(mode="wrap")
    def _with_offer_if_chosen(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        if not self.quote:
            del written["quote"]
        return written
