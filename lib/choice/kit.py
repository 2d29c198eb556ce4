"""The benchmark kit: the exact commands that measure a scenario's load on a part, and the CSV to fill in.

Flags come from benchmark_flags.csv, where each is named with the documentation it was read in. No image tag is proposed:
whoever measures states the one that was tested, and the script stops without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import pandas as pd

from lib.catalog import Catalog
from lib.choice.nearest import PUBLISHED_FORMATS
from lib.choice.own_rows import template_columns
from lib.choice.scenario import CUSTOM_MODEL, EngineChoice, Workload
from lib.choice.sized import SERVING_TASKS, sized
from lib.records import Accelerator

KitEngine = Literal["vllm", "sglang"]
ENGINES: Final[tuple[KitEngine, ...]] = ("vllm", "sglang")
STEPS: Final = ("container", "record", "serve", "ready", "load", "stop")

PROMPTS_PER_SEQUENCE: Final = 10
FEWEST_PROMPTS: Final = 20
"""Requests of a run: ten waves of the load, so that ramp-up and tail weigh little, and never fewer than twenty."""

MARGIN_TOKENS: Final = 256
"""Room above prompt and answer where the reader states no context: tokenizers give a few tokens back more than asked."""

_LOAD_STEP: Final = 4
_CONTAINER: Final = "accelerator-benchmark"
_PORTS: Final[Mapping[KitEngine, int]] = {"vllm": 8000, "sglang": 30000}
_ONLINE: Final = {"fp8-tensor": "fp8"}
"""Formats into which both engines turn a 16-bit checkpoint while they load it."""

_SIXTEEN_BIT: Final = {"bf16": "bfloat16", "fp16": "float16"}
_FP8_CACHE: Final[Mapping[KitEngine, str]] = {"vllm": "fp8", "sglang": "fp8_e4m3"}
_DATASET: Final[Mapping[KitEngine, str]] = {"vllm": "random", "sglang": "random-ids"}
"""Random token ids in both: SGLang's own "random" samples another data set that it downloads."""

_EXACT_LENGTHS: Final[Mapping[KitEngine, str]] = {"vllm": "0", "sglang": "1"}
"""The two engines count the range of lengths from opposite ends."""

_METRICS: Final = (
    ("output_tokens_per_s", "", "tokens/s"),
    ("total_tokens_per_s", "", "tokens/s"),
    ("ttft_ms", "median", "ms"),
    ("ttft_ms", "p99", "ms"),
    ("tpot_ms", "median", "ms"),
    ("tpot_ms", "p99", "ms"),
)


@dataclass(frozen=True, slots=True)
class Load:
    """One run of the load generator."""

    concurrency: int
    prompts: int
    seed: int


@dataclass(frozen=True, slots=True)
class Kit:
    """Everything needed to measure one workload on one part with one engine."""

    accelerator: Accelerator
    engine: KitEngine
    model: str
    """Repository of the checkpoint; "" where the reader must state it."""
    weight_format: str
    """In the words of the serving table; "" where not known."""
    kv_format: str
    gpus: int | None
    """GPUs of the deployment: the fewest of one server, from the memory plan; None where it is not known."""
    input_tokens: int
    output_tokens: int
    max_model_len: int
    loads: tuple[Load, ...]
    steps: Mapping[str, str]
    """Commands by a word of STEPS."""
    notes: tuple[str, ...]
    """custom-model, checkpoint, gpus-unknown, several-servers."""

    @property
    def script(self) -> str:
        """All steps as one shell script."""
        return "\n\n".join(("#!/usr/bin/env bash\nset -euo pipefail", *(self.steps[name] for name in STEPS))) + "\n"


def loads(concurrency: int) -> tuple[Load, ...]:
    """The loads to measure: powers of four up to the workload's own concurrency, and that.

    Parameters
    ----------
    concurrency : int
        Sequences at once that the workload asks for.

    Returns
    -------
    tuple of Load
        Fewest first; each with a seed of its own, so that no run finds the prompts of another in a cache.

    Examples
    --------
    >>> [(one.concurrency, one.prompts) for one in loads(64)]
    [(1, 20), (4, 40), (16, 160), (64, 640)]
    """
    steps = [1]
    while steps[-1] * _LOAD_STEP < concurrency:
        steps.append(steps[-1] * _LOAD_STEP)
    chosen = sorted({*steps, concurrency})
    return tuple(
        Load(one, max(FEWEST_PROMPTS, one * PROMPTS_PER_SEQUENCE), place) for place, one in enumerate(chosen, start=1)
    )


def flags(catalog: Catalog, engine: KitEngine, command: str) -> dict[str, str]:
    """What each setting is called by an engine.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    engine : {"vllm", "sglang"}
        Whose flags.
    command : str
        "serve", "load" or "image"; for an image the setting is the vendor in lower case.

    Returns
    -------
    dict of str to str
        Setting to flag, or vendor to the image's repository.
    """
    table = catalog.tables["benchmark_flags"]
    chosen = table[(table["engine"] == engine) & (table["command"] == command)]
    return dict(zip(chosen["setting"].astype(str), chosen["flag"].astype(str), strict=True))


def kit(
    catalog: Catalog, workload: Workload, choice: EngineChoice, accelerator: Accelerator, engine: KitEngine
) -> Kit | None:
    """The commands that measure a workload on a part.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Model, formats, lengths and concurrency.
    choice : EngineChoice
        What the reader states of the engine; what is left to the engine's default is not set.
    accelerator : Accelerator
        The part.
    engine : {"vllm", "sglang"}
        The engine measured, whichever engine the scenario names.

    Returns
    -------
    Kit or None
        None where the workload is not served, or no image of the engine is known for the part's vendor.

    Notes
    -----
    Prefix caches are off, lengths exact, every request is answered to its full length. Tensor parallel size is that of
    the smallest replica of one server; for pairs at equal counts it is set to the larger one on both parts.
    """
    image = flags(catalog, engine, "image").get(accelerator.vendor.lower())
    if workload.task not in SERVING_TASKS or image is None:
        return None
    model = catalog.models.get(workload.model)
    notes = ["custom-model"] if workload.model == CUSTOM_MODEL else []
    native = model.native_format if model is not None else ""
    format_word = (native or "") if workload.weight_format == "native" else workload.weight_format
    online = _ONLINE.get(format_word, "") if native in _SIXTEEN_BIT else ""
    is_own_checkpoint = format_word == native or (format_word in _SIXTEEN_BIT and native in _SIXTEEN_BIT) or online
    if model is not None and not is_own_checkpoint:
        notes.append("checkpoint")
    gpus = sized(catalog, workload, choice, accelerator).gpus
    if gpus is None:
        notes.append("gpus-unknown")
    elif accelerator.gpus_per_node is not None and gpus > accelerator.gpus_per_node:
        notes.append("several-servers")
    max_model_len = workload.max_model_len or workload.context_tokens + MARGIN_TOKENS
    repository = model.hf_id if model is not None and is_own_checkpoint else ""
    settings: dict[str, object] = {
        "tensor_parallel_size": gpus if gpus is not None else '"$GPUS"',
        "max_model_len": max_model_len,
        "dtype": _SIXTEEN_BIT.get(format_word),
        "quantization": online or None,
        "kv_cache_dtype": _FP8_CACHE[engine] if workload.kv_format == "fp8" else None,
        "gpu_memory_utilization": choice.gpu_memory_utilization,
        "max_num_seqs": choice.max_num_seqs,
        "max_num_batched_tokens": choice.max_num_batched_tokens,
        "seed": 0,
        "port": _PORTS[engine] if engine == "sglang" else None,
        "prefix_cache_off": True,
    }
    chosen = loads(workload.concurrency)
    head = [
        'TAG="${TAG:?state the image tag that is tested, and record it}"',
        'REPEAT="${REPEAT:-1}"',
        f'MODEL="{repository}"' if repository else 'MODEL="${MODEL:?state the checkpoint that is tested}"',
    ]
    if gpus is None:
        head.append('GPUS="${GPUS:?state the tensor parallel size}"')
    steps = {
        "container": "\n".join([*head, _container(accelerator.vendor, image)]),
        "record": _record(accelerator.vendor, image),
        "serve": _serve(engine, flags(catalog, engine, "serve"), settings),
        "ready": f"until curl --silent --fail http://127.0.0.1:{_PORTS[engine]}/health; do sleep 5; done",
        "load": "\n\n".join(
            _load(engine, flags(catalog, engine, "load"), workload, one, accelerator.accelerator_id) for one in chosen
        ),
        "stop": f"docker stop {_CONTAINER}",
    }
    published = PUBLISHED_FORMATS.get(format_word, ("",))[0]
    return Kit(
        accelerator, engine, repository, published, "fp8" if workload.kv_format == "fp8" else "", gpus,
        workload.input_tokens, workload.output_tokens, max_model_len, chosen, steps, tuple(notes),
    )  # fmt: skip


def template(catalog: Catalog, kits: Sequence[Kit], model_id: str) -> pd.DataFrame:
    """The CSV to fill in: one row a metric and load of each kit, with everything known already in place.

    Parameters
    ----------
    catalog : Catalog
        Its vocabulary names the columns.
    kits : sequence of Kit
        Parts and engines that are measured.
    model_id : str
        Model of the catalogue, or "custom".

    Returns
    -------
    DataFrame
        Text cells; `value` is blank, and a row that keeps it blank is passed over when the file is read.
    """
    columns = template_columns(catalog)
    rows: list[dict[str, Any]] = []
    for one in kits:
        shared = {
            "publisher": "own measurement",
            "publisher_interest": "unknown",
            "accelerator_id": one.accelerator.accelerator_id,
            "accelerator_count": one.gpus or "",
            "tensor_parallel": one.gpus or "",
            "model": one.model,
            "model_id": "" if model_id == CUSTOM_MODEL else model_id,
            "weight_format": one.weight_format,
            "kv_format": one.kv_format,
            "engine": one.engine,
            "input_tokens": one.input_tokens,
            "output_tokens": one.output_tokens,
            "unit_basis": "deployment",
            "prefix_cache": "no",
        }
        rows += [
            {**shared, "concurrency": load.concurrency, "metric": metric, "stat": stat, "unit": unit}
            for load in one.loads
            for metric, stat, unit in _METRICS
        ]
    return pd.DataFrame([[str(row.get(name, "")) for name in columns] for row in rows], columns=list(columns))


def _joined(words: Sequence[str]) -> str:
    """A command with one flag a line, short enough for a narrow screen."""
    return " \\\n  ".join(words)


def _container(vendor: str, image: str) -> str:
    devices = (
        ["--device /dev/kfd", "--device /dev/dri", "--group-add video", "--security-opt seccomp=unconfined"]
        if vendor == "AMD"
        else ["--gpus all"]
    )
    return _joined(
        [
            f"docker run --detach --rm --name {_CONTAINER}",
            *devices,
            "--ipc host",
            "--network host",
            '--env HF_TOKEN="${HF_TOKEN:-}"',
            "--env HF_HOME=/models",
            '--volume "$HOME/.cache/huggingface:/models"',
            '--volume "$PWD:/results"',
            "--workdir /results",
            "--entrypoint sleep",
            f'"{image}:$TAG" infinity',
        ]
    )


def _record(vendor: str, image: str) -> str:
    """What to keep beside the results: driver, image, packages, power once a second."""
    watch = (
        ["amd-smi version > driver.txt", "amd-smi metric --power --csv --watch 1 > power.csv &"]
        if vendor == "AMD"
        else [
            "nvidia-smi > driver.txt",
            _joined(["nvidia-smi --query-gpu=timestamp,index,power.draw", "--format=csv --loop=1 > power.csv &"]),
        ]
    )
    return "\n".join(
        [
            f'docker image inspect "{image}:$TAG" > image.json',
            f"docker exec {_CONTAINER} pip freeze > packages.txt",
            *watch,
            'trap "kill %1" EXIT',
        ]
    )


def _words(names: Mapping[str, str], settings: Mapping[str, object]) -> list[str]:
    """Each setting that is stated, as its flag with its value; True is a flag alone."""
    stated = [(names[name], value) for name, value in settings.items() if value is not None and name in names]
    return [flag if value is True else f"{flag} {value}" for flag, value in stated]


def _serve(engine: KitEngine, names: Mapping[str, str], settings: Mapping[str, object]) -> str:
    if engine == "vllm":
        start = [f"docker exec {_CONTAINER}", 'vllm serve "$MODEL"']
    else:
        start = [f"docker exec {_CONTAINER}", "python3 -m sglang.launch_server", f'{names["model_path"]} "$MODEL"']
    return _joined([*start, *_words(names, settings), "> server.log 2>&1 &"])


def _load(engine: KitEngine, names: Mapping[str, str], workload: Workload, load: Load, part: str) -> str:
    program = "vllm bench serve" if engine == "vllm" else "python3 -m sglang.bench_serving"
    ending = "json" if engine == "vllm" else "jsonl"
    settings: dict[str, object] = {
        "backend": engine,
        "port": _PORTS[engine],
        "model": '"$MODEL"',
        "dataset_name": _DATASET[engine],
        "input_tokens": workload.input_tokens,
        "output_tokens": workload.output_tokens,
        "range_ratio": _EXACT_LENGTHS[engine],
        "ignore_eos": True,  # SGLang's generator ignores it unless told otherwise
        "max_concurrency": load.concurrency,
        "num_prompts": load.prompts,
        "num_warmups": load.concurrency,
        "seed": f'"$((REPEAT * 100 + {load.seed}))"',
        "percentile_metrics": "ttft,tpot,itl,e2el",
        "metric_percentiles": "50,90,99",
        "save_result": True,
        "result_filename": f'"{engine}-{part}-{load.concurrency}-$REPEAT.{ending}"',
    }
    return _joined([f"docker exec {_CONTAINER}", program, *_words(names, settings)])
