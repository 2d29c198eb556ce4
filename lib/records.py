"""Typed, frozen values that travel between the rooms. Every suffix is a unit; no suffix is a count or a ratio."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

KvFormat = Literal["bf16", "fp8"]
Engine = Literal["vllm-v1", "vllm-v0", "sglang", "tensorrt-llm"]
Sampler = Literal["sort", "flashinfer", "none"]
Sharding = Literal["tensor", "expert", "replicated"]

COMPONENTS: Final = (
    "attention", "dense_mlp", "shared_experts", "routed_experts", "router", "norms", "embedding", "lm_head", "vision",
    "other",
)  # fmt: skip
"""Words for the parts of a model; weight formats say with them, and mtp, what they leave at 16 bit."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where facts come from: one row of sources.csv."""

    source_id: str
    title: str
    publisher: str
    kind: str
    location: str
    date: str
    note: str


@dataclass(frozen=True, slots=True)
class Column:
    """One column of one table: its vocabulary, its validation rule and its help text."""

    table: str
    column: str
    type: str
    unit: str
    key: bool
    required: bool
    minimum: float | None
    maximum: float | None
    allowed: str
    label_en: str
    label_zh: str
    help_en: str
    help_zh: str


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One part as its sources describe it; None where no source was found. Peaks are dense unless named sparse."""

    accelerator_id: str
    vendor: str
    name: str
    short_name: str
    architecture: str
    form_factor: str
    launch: str
    status: str
    memory_gb: float | None
    memory_unit_note: str
    memory_driver_gib: float | None
    memory_runtime_gib: float | None
    memory_type: str
    memory_bandwidth_tbs: float | None
    fp64_tflops: float | None
    fp64_matrix_tflops: float | None
    fp32_tflops: float | None
    tf32_dense_tflops: float | None
    fp16_bf16_dense_tflops: float | None
    fp16_bf16_sparse_tflops: float | None
    fp8_dense_tflops: float | None
    fp8_sparse_tflops: float | None
    fp6_dense_tflops: float | None
    fp4_dense_tflops: float | None
    int8_dense_tops: float | None
    interconnect_name: str
    interconnect_gbs: float | None
    pcie: str
    tdp_w: float | None
    gpus_per_node: int | None
    max_scale_up_gpus: int | None
    compute_units: str
    chiplets: str
    process_nm: float | None
    transistors_b: float | None
    notes: str

    @property
    def memory_usable_gib(self) -> float | None:
        """Memory that fit is computed with [GiB]: as the runtime reports it, else the driver; never the label."""
        return self.memory_runtime_gib if self.memory_runtime_gib is not None else self.memory_driver_gib


@dataclass(frozen=True, slots=True)
class SpecCell:
    """One sourced statement about one field of one accelerator."""

    accelerator_id: str
    field: str
    value: str
    unit: str
    source_id: str
    locator: str
    seen: str
    agreement: str


@dataclass(frozen=True, slots=True)
class LayerGroup:
    """Layers of one kind: their cache is layers x (bytes_per_token x T(n) + state) / shards."""

    layers: int
    kind: str
    bytes_per_token_bf16: float
    bytes_per_token_fp8: float
    window: int | None
    state_bytes_per_sequence: float
    max_tp_shards: int


@dataclass(frozen=True, slots=True)
class ParameterBlock:
    """Parameters of one kind and how an engine shares them out.

    The name is a component (attention, dense_mlp, shared_experts, routed_experts, router, norms, embedding, lm_head,
    vision, other), with a suffix where a part of it is shared out or stored differently (attention_kv,
    attention_replicated, attention_bias ...) and the prefix mtp_ in draft layers.
    """

    name: str
    parameters: int
    sharding: Sharding
    quantisable: bool = True
    """False for biases, convolutions, sinks and the like, which every format leaves at 16 bit."""
    max_shards: int | None = None
    """Parts at most that tensor parallelism cuts this into (key and value heads are copied beyond it)."""
    by_layer: tuple[int, ...] = ()
    """Parameters in each layer; empty for what stands outside the layers."""

    @property
    def is_draft(self) -> bool:
        """Whether the block belongs to multi-token-prediction layers, which serve as a draft model or not at all."""
        return self.name.startswith("mtp_")

    @property
    def component(self) -> str:
        """The block's component, without prefix and suffix: the word that weight formats use."""
        bare = self.name.removeprefix("mtp_")
        return next((word for word in COMPONENTS if bare == word or bare.startswith(word + "_")), "other")


@dataclass(frozen=True, slots=True)
class Architecture:
    """What sizing needs to know of a model, from its table rows or from a config.json."""

    model_id: str
    name: str
    layers: int
    hidden_size: int
    intermediate_size: int
    n_heads: int
    n_kv_heads: int
    vocab: int
    n_experts: int
    experts_per_token: int
    n_shared_experts: int
    moe_intermediate_size: int
    max_context: int
    native_format: str
    groups: tuple[LayerGroup, ...]
    blocks: tuple[ParameterBlock, ...]
    total_parameters: int
    active_parameters: int
    vision_parameters: int = 0
    mtp_parameters: int = 0
    """Parameters of the draft layers, their copies of embedding and head left out; not in the total."""
    tied_embeddings: bool = False
    expert_hidden_size: int = 0
    """Width that routed experts read and write: the hidden size, or a latent width; 0 where there are none."""
    drafts_loaded: bool = False
    """Whether the engine loads the draft layers, for speculative decoding with them."""

    def __hash__(self) -> int:
        """A cheap hash, so that results can be cached by model; equality still compares everything."""
        return hash((self.model_id, self.total_parameters, self.native_format))


@dataclass(frozen=True, slots=True)
class Model:
    """One row of models.csv, with its layer groups."""

    model_id: str
    name: str
    hf_id: str
    family: str
    architecture: str
    attention: str
    max_context: int | None
    native_format: str
    total_params: int
    active_params: int | None
    vision_params: int | None
    routed_expert_params: int | None
    embedding_params: int | None
    lm_head_params: int | None
    mtp_params: int | None
    source_id: str
    locator: str
    groups: tuple[LayerGroup, ...]
    config: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Bytes of one checkpoint of one model: computed, and published where seen."""

    model_id: str
    weight_format: str
    layout: str
    is_native: bool
    computed_bytes: int | None
    published_bytes: int | None
    published_format: str
    comparable: bool
    source_id: str
    locator: str
    note: str


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """Bits per quantised weight, scales included, and what the format leaves at 16 bit."""

    weight_format: str
    bits_per_weight: float
    leaves_at_16_bit: tuple[str, ...]
    aliases: tuple[str, ...]
    source_id: str
    locator: str
    note: str


@dataclass(frozen=True, slots=True)
class Price:
    """One dated price statement; low equals high where a single figure was stated."""

    price_id: str
    accelerator_id: str
    kind: str
    term_months: int | None
    low: float
    high: float
    currency: str
    basis: str
    provider: str
    region: str
    as_of: str
    quality: str
    source_id: str
    locator: str
    note: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """One default with its range; None where the field has a gap."""

    assumption_id: str
    group: str
    name_en: str
    name_zh: str
    low: float | None
    base: float | None
    high: float | None
    unit: str
    applies_to: tuple[str, ...]
    kind: str
    as_of: str
    source_id: str
    locator: str
    note: str


@dataclass(frozen=True, slots=True)
class SoftwareFact:
    """One statement about one framework on one platform."""

    framework: str
    platform: str
    status: str
    verdict: str
    version: str
    date: str
    kind: str
    source_id: str
    locator: str
    note: str


@dataclass(frozen=True, slots=True)
class FormatFact:
    """One statement about one numerical format on one generation of parts under one engine."""

    engine: str
    architecture: str
    use: str
    format: str
    support: str
    version: str
    date: str
    basis: str
    source_id: str
    locator: str
    note: str


@dataclass(frozen=True, slots=True)
class RoadmapFact:
    """One statement about when a part can be had, and who makes it."""

    roadmap_id: str
    vendor: str
    product: str
    accelerator_id: str
    status: str
    window_start: str
    window_end: str
    as_of: str
    kind: str
    statement_en: str
    statement_zh: str
    source_id: str
    locator: str
    note: str


@dataclass(frozen=True, slots=True)
class Edition:
    """The state of data/: a date and a hash of its files."""

    date: str
    hash: str
    summary: str

    @property
    def label(self) -> str:
        """Short name shown in the footer and written into links and files."""
        return f"{self.date}-{self.hash[:8]}"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the GPUs of one replica share a model."""

    tensor_parallel_size: int = 1
    pipeline_parallel_size: int = 1
    data_parallel_size: int = 1
    expert_parallel: bool = False

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tensor_parallel_size * self.pipeline_parallel_size * self.data_parallel_size


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reservation about a result: a code for programs, values for the sentence that the words room makes of it."""

    code: str
    values: Mapping[str, Any]
