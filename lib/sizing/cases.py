"""A batch of memory questions, one row each, as the shell takes them: words to records, plans to columns."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from lib.catalog import Catalog
from lib.errors import InputError, LibError, UnknownNameError
from lib.records import Architecture, Engine, KvFormat, Layout, WeightFormat
from lib.sizing import architecture as architectures
from lib.sizing import kv_cache, memory, weights
from lib.sizing.cells import cell_of, count_of, number_of, ratio_name, rounded, word_of
from lib.sizing.engines import ENGINES, SAMPLERS, EngineSettings, engine_defaults
from lib.sizing.overhead import FITTED, WorkspaceConstants
from lib.units import GIB

COLUMNS: Final = (
    "model", "accelerator", "device_memory_gib", "engine", "tensor_parallel_size", "pipeline_parallel_size",
    "data_parallel_size", "expert_parallel", "weight_format", "checkpoint_bytes", "kv_format", "max_model_len",
    "gpu_memory_utilization", "max_num_batched_tokens", "max_num_seqs", "sampler", "decode_context_parallel_size",
)  # fmt: skip
"""What a row may say; a blank is the engine's default, every other column passes through."""

ANSWERS: Final = (
    "weights_gib_per_gpu", "overhead_gib_low", "overhead_gib_base", "overhead_gib_high", "kv_cache_gib_per_gpu",
    "kv_cache_tokens", "max_concurrency", "fits", "doubts", "verdict", "reason", "need_gib", "bytes_per_token",
    "kv_cache_gib_low", "kv_cache_gib_high",
)  # fmt: skip

OBSERVED: Final = {
    "observed_weights_gib": "weights_gib_per_gpu",
    "observed_kv_gib": "kv_cache_gib_per_gpu",
    "observed_kv_tokens": "kv_cache_tokens",
    "observed_bytes_per_token": "bytes_per_token",
    "observed_max_concurrency": "max_concurrency",
    "observed_need_gib": "need_gib",
}
"""Logged column and the answer it is held against, as ratio_<quantity> = answer / logged."""

ENGINE_WORDS: Final[dict[str, Engine]] = {"vllm": "vllm-v1", **{engine: engine for engine in ENGINES}}
KV_WORDS: Final[dict[str, KvFormat]] = {"bf16": "bf16", "fp16": "bf16", "auto": "bf16", "fp8": "fp8"}
FLAG_WORDS: Final = {"0": False, "1": True, "no": False, "yes": True, "false": False, "true": True}


NARROWER: Final = 0.9
SAME_SIZE: Final = 0.02
"""A stated size within so much of the 16-bit one is the 16-bit checkpoint."""


@dataclass(frozen=True, slots=True)
class Case:
    """One row read: everything a plan needs."""

    architecture: Architecture
    memory_gib: float | None
    layout: Layout
    settings: EngineSettings
    weight_format: str
    kv_format: KvFormat
    max_model_len: int
    checkpoint_bytes: float | None


LARGEST_MEMORY_GIB: Final = 100_000.0
LARGEST_CHECKPOINT_BYTES: Final = 1e15
"""Beyond these a cell is a slip, and arithmetic would leave the range of numbers."""


def evaluate(rows: Iterable[Mapping[str, str]], catalog: Catalog, folder: Path) -> list[dict[str, Any]]:
    """Each row with its plan's columns added, or with the reason why it has none.

    Parameters
    ----------
    rows : iterable of Mapping[str, str]
        Rows of a CSV file; see COLUMNS.
    catalog : Catalog
        Models, accelerators and formats by their names.
    folder : Path
        Where relative paths of config.json files start.

    Returns
    -------
    list of dict
        In the order of the rows: the row, then ANSWERS, ratio_* of every observed_* column that has an answer, and
        `error`, blank where the row is right.

    Notes
    -----
    A wrong row does not stop the others. `fits` says whether the engine starts with one sequence of full length.
    """
    read = Reader(catalog, folder)
    answered = []
    for row in rows:
        blank: dict[str, Any] = dict.fromkeys(ANSWERS, "")
        ratios = {ratio_name(column): "" for column in row if column in OBSERVED}
        try:
            found = read.answer(row)
            answered.append({**row, **blank, **found, **ratios, **_ratios(row, found), "error": ""})
        except (LibError, OSError) as error:
            answered.append({**row, **blank, **ratios, "error": str(error)})
    return answered


def answer(case: Case, formats: Mapping[str, WeightFormat], constants: WorkspaceConstants = FITTED) -> dict[str, Any]:
    """The answers of one case, as a row of the table shows them.

    Parameters
    ----------
    case : Case
        One row read.
    formats : Mapping[str, WeightFormat]
        Weight formats by their words.
    constants : WorkspaceConstants
        Fitted numbers of the workspace.

    Returns
    -------
    dict
        ANSWERS by name; blank where they need a memory that is not known.
    """
    plan = memory.plan(
        case.architecture, case.memory_gib, case.layout, case.settings, case.weight_format, case.kv_format,
        case.max_model_len, case.layout.data_parallel_size, formats, case.checkpoint_bytes, constants=constants,
    )  # fmt: skip
    size = case.layout.tensor_parallel_size
    whole = kv_cache.bytes_per_sequence(
        case.architecture.groups, case.max_model_len, case.kv_format, size, block_size=1,
        decode_context_parallel_size=case.settings.decode_context_parallel_size,
    )  # fmt: skip
    per_token = float(whole) / case.max_model_len
    found: dict[str, Any] = {
        "weights_gib_per_gpu": plan.weights_bytes / GIB,
        "overhead_gib_low": plan.workspace.low_bytes / GIB,
        "overhead_gib_base": plan.workspace.base_bytes / GIB,
        "overhead_gib_high": plan.workspace.high_bytes / GIB,
        "kv_cache_gib_per_gpu": _gib(plan.cache_bytes),
        "kv_cache_tokens": plan.stated_tokens,
        "max_concurrency": plan.stated_sequences,
        "fits": "" if plan.memory_bytes is None else "yes" if plan.starts else "no",
        "doubts": ";".join(doubt.code for doubt in plan.doubts),
        "verdict": plan.verdict,
        "reason": plan.reason.code,
        "need_gib": (plan.sequence_bytes + plan.step_bytes) / GIB,
        "bytes_per_token": per_token,
        "kv_cache_gib_low": _gib(plan.cache_low_bytes),
        "kv_cache_gib_high": _gib(plan.cache_high_bytes),
    }
    return {name: "" if value is None else rounded(value) for name, value in found.items()}


class Reader:
    """Rows to cases: names looked up once, defaults of the engine where a cell is blank."""

    def __init__(self, catalog: Catalog, folder: Path) -> None:
        self.catalog = catalog
        self.folder = folder
        self._architectures: dict[str, Architecture] = {}
        formats = catalog.weight_formats
        words = {alias: name for name, one in formats.items() for alias in one.aliases}
        self._format_words = {weights.NATIVE: weights.NATIVE, **{name: name for name in formats}, **words}

    def case(self, row: Mapping[str, str]) -> Case:
        """The case that a row describes; LibError says which cell is wrong."""
        name, part = cell_of(row, "model"), cell_of(row, "accelerator")
        if not name:
            raise InputError("model", "", "an id of the models, or the path of a config.json")
        accelerator = self.catalog.accelerator(part) if part else None
        stated = number_of(row, "device_memory_gib", low=0.0, high=LARGEST_MEMORY_GIB)
        if accelerator is None and stated is None:
            raise InputError("accelerator", "", "an id of the accelerators, or a device_memory_gib")
        memory_gib = stated if stated is not None else accelerator.memory_usable_gib if accelerator else None
        layout = Layout(
            count_of(row, "tensor_parallel_size") or 1,
            count_of(row, "pipeline_parallel_size") or 1,
            count_of(row, "data_parallel_size") or 1,
            word_of(row, "expert_parallel", FLAG_WORDS, "0"),
        )
        architecture = self.architecture(name)
        length = count_of(row, "max_model_len") or architecture.max_context
        if not length:
            raise InputError("max_model_len", "", f"a number: the config of {name} states no context")
        engine = word_of(row, "engine", ENGINE_WORDS, "vllm-v1")
        return Case(
            architecture=architecture,
            memory_gib=memory_gib,
            layout=layout,
            settings=_settings(row, engine_defaults(engine, memory_gib, part, length, layout.gpus)),
            weight_format=self._format(cell_of(row, "weight_format") or weights.NATIVE),
            kv_format=word_of(row, "kv_format", KV_WORDS, "bf16"),
            max_model_len=length,
            checkpoint_bytes=number_of(row, "checkpoint_bytes", low=0.0, high=LARGEST_CHECKPOINT_BYTES),
        )

    def loads_at_16_bit(self, case: Case) -> bool:
        """Whether a 16-bit checkpoint is quantised to the format while it loads: its size says nothing then."""
        if case.checkpoint_bytes is None:
            return False
        formats = self.catalog.weight_formats
        narrow = weights.checkpoint_bytes(case.architecture, case.weight_format, formats)
        wide = weights.checkpoint_bytes(case.architecture, "bf16", formats, draft_layers=False)
        return narrow < wide * NARROWER and abs(case.checkpoint_bytes / wide - 1) < SAME_SIZE

    def answer(self, row: Mapping[str, str], constants: WorkspaceConstants = FITTED) -> dict[str, Any]:
        """The answers of a row; LibError says which cell is wrong."""
        case = self.case(row)
        if not self.loads_at_16_bit(case):
            return answer(case, self.catalog.weight_formats, constants)
        found = answer(replace(case, checkpoint_bytes=None), self.catalog.weight_formats, constants)
        found["doubts"] = ";".join(filter(None, (found["doubts"], "quantised-at-load")))
        return found

    def architecture(self, name: str) -> Architecture:
        """The architecture of a model id, of a published name, or of a config.json below the folder."""
        if name not in self._architectures:
            self._architectures[name] = self._read_architecture(name)
        return self._architectures[name]

    def _read_architecture(self, name: str) -> Architecture:
        if name.endswith(".json"):
            path = (self.folder / name.replace("\0", "?")).resolve()  # no file has such a name
            if not path.is_relative_to(self.folder.resolve()) or not path.is_file():
                raise InputError("model", name, "a config.json in the folder of the cases")
            return architectures.from_config(architectures.parse_config(path.read_bytes()), path.stem)
        return architectures.of_model(self.catalog.model(self.catalog.model_aliases.get(name, name)))

    def _format(self, words: str) -> str:
        parts = [self._format_words.get(word) for word in words.split("+")]
        if None in parts or len(parts) > 2:
            raise UnknownNameError("weight format", words, self._format_words)
        return "+".join(part for part in parts if part)


def _settings(row: Mapping[str, str], default: EngineSettings) -> EngineSettings:
    sampler = word_of(row, "sampler", {word: word for word in SAMPLERS}, default.sampler)
    return replace(
        default,
        gpu_memory_utilization=number_of(row, "gpu_memory_utilization", low=0.0, high=1.0)
        or default.gpu_memory_utilization,
        max_num_batched_tokens=count_of(row, "max_num_batched_tokens") or default.max_num_batched_tokens,
        max_num_seqs=count_of(row, "max_num_seqs") or default.max_num_seqs,
        sampler=sampler,
        decode_context_parallel_size=count_of(row, "decode_context_parallel_size") or 1,
    )


def _gib(value: float | None) -> float | None:
    return None if value is None else value / GIB


def _ratios(row: Mapping[str, str], found: Mapping[str, Any]) -> dict[str, Any]:
    """What is predicted over what was logged, for each logged column that can be read and is not nothing."""
    ratios = {}
    for column, answered in OBSERVED.items():
        try:
            logged = float(cell_of(row, column) or "nan")
        except ValueError:
            continue
        if logged and math.isfinite(logged) and found[answered] != "":
            ratios[ratio_name(column)] = round(found[answered] / logged, 4)
    return ratios
