"""A batch of memory questions: words, defaults, errors on their row, and ratios to what was logged."""

import json
from pathlib import Path
from typing import Any

import pytest

from lib import catalog
from lib.sizing import cases

CATALOG = catalog.load()
ROW = {
    "model": "llama-3.1-8b", "accelerator": "mi300x", "engine": "vllm-v0", "weight_format": "fp16",
    "max_model_len": "131072", "gpu_memory_utilization": "0.9", "max_num_batched_tokens": "131072",
    "max_num_seqs": "256", "sampler": "sort",
}  # fmt: skip


def answer(tmp_path: Path, **change: str) -> dict[str, Any]:
    """The answer to one row."""
    return cases.evaluate([{**ROW, **change}], CATALOG, tmp_path)[0]


def test_a_logged_case_is_met(tmp_path: Path) -> None:
    """Case A007: 142.19 GiB and 1,164,800 tokens of cache on one MI300X, and its ratios within 2 %."""
    found = answer(tmp_path, observed_kv_gib="142.19", observed_kv_tokens="1164800", note="kept")
    assert found["error"] == ""
    assert found["fits"] == "yes"
    assert found["ratio_kv_gib"] == pytest.approx(1, abs=0.02)
    assert found["ratio_kv_tokens"] == pytest.approx(1, abs=0.02)
    assert found["note"] == "kept"


def test_every_answer_has_every_column(tmp_path: Path) -> None:
    """A right row and a wrong row have the same columns."""
    right, wrong = answer(tmp_path), answer(tmp_path, model="no-such-model")
    assert set(right) == set(wrong)
    assert set(cases.ANSWERS) <= set(right)
    assert wrong["fits"] == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": "llama-3.1-8"}, "llama-3.1-8b"),
        ({"accelerator": "mi300"}, "mi300x"),
        ({"engine": "vlm"}, "vllm"),
        ({"weight_format": "fp88"}, "fp8"),
        ({"kv_format": "fp4"}, "fp8"),
        ({"sampler": "sorted"}, "sort"),
        ({"tensor_parallel_size": "two"}, "tensor_parallel_size"),
        ({"tensor_parallel_size": "1.5"}, "whole number"),
        ({"tensor_parallel_size": "0"}, "above 0"),
        ({"gpu_memory_utilization": "1.2"}, "at most 1"),
        ({"device_memory_gib": "-1"}, "device_memory_gib"),
        ({"max_model_len": "nan"}, "max_model_len"),
        ({"model": ""}, "config.json"),
        ({"model": "../outside.json"}, "folder"),
        ({"accelerator": ""}, "device_memory_gib"),
        ({"expert_parallel": "maybe"}, "expert_parallel"),
    ],
)
def test_a_wrong_word_is_an_error_on_its_row(tmp_path: Path, change: dict[str, str], words: str) -> None:
    """The error names the cell or the nearest right words."""
    found = answer(tmp_path, **change)
    assert words in found["error"]


def test_one_bad_row_does_not_stop_the_others(tmp_path: Path) -> None:
    """The rows around a bad one are answered, in order."""
    rows = [ROW, {**ROW, "model": "nothing"}, {**ROW, "tensor_parallel_size": "2"}]
    found = cases.evaluate(rows, CATALOG, tmp_path)
    assert [bool(row["error"]) for row in found] == [False, True, False]


def test_blank_cells_take_the_defaults_of_the_engine() -> None:
    """A row with a model and a part alone is vLLM V1 with the published checkpoint and the model's own context."""
    case = cases.Reader(CATALOG, Path()).case({"model": "llama-3.1-70b", "accelerator": "h100-sxm"})
    assert (case.settings.engine, case.settings.max_num_seqs, case.settings.gpu_memory_utilization) == (
        "vllm-v1", 1024, 0.9,
    )  # fmt: skip
    assert (case.weight_format, case.kv_format, case.max_model_len) == ("native", "bf16", 131_072)
    assert case.memory_gib == 79.18


def test_stated_memory_wins(tmp_path: Path) -> None:
    """A device memory in the row comes before that of the part."""
    case = cases.Reader(CATALOG, tmp_path).case({**ROW, "device_memory_gib": "100"})
    assert case.memory_gib == 100


@pytest.mark.parametrize(
    ("word", "name"),
    [("fp8", "fp8-tensor"), ("awq", "int4-g128"), ("gptq", "int4-g128"), ("int4", "int4-g128"), ("", "native")],
)
def test_format_words_have_aliases(word: str, name: str) -> None:
    """The short words that people write."""
    assert cases.Reader(CATALOG, Path()).case({**ROW, "weight_format": word}).weight_format == name


def test_a_config_file_is_read_from_the_folder(tmp_path: Path) -> None:
    """A path relative to the cases' folder; the answer is that of the catalogue's model of the same config."""
    config = CATALOG.model("llama-3.1-8b").config
    (tmp_path / "mine.json").write_text(json.dumps(dict(config or {})), encoding="utf-8")
    mine, known = answer(tmp_path, model="mine.json"), answer(tmp_path)
    assert mine["error"] == ""
    assert [mine[name] for name in cases.ANSWERS] == [known[name] for name in cases.ANSWERS]


def test_a_hostile_config_is_an_error_on_its_row(tmp_path: Path) -> None:
    """A file that is no config is refused in words."""
    (tmp_path / "bad.json").write_text("[[[[", encoding="utf-8")
    assert answer(tmp_path, model="bad.json")["error"]


def test_unknown_memory_gives_no_verdict(tmp_path: Path) -> None:
    """A part whose memory no log states has weights and workspace, and blank where memory is needed."""
    found = answer(tmp_path, accelerator="h100-pcie")
    assert (found["fits"], found["kv_cache_gib_per_gpu"], found["verdict"]) == ("", "", "unknown-memory")
    assert found["weights_gib_per_gpu"] > 0
    assert found["error"] == ""


def test_a_stated_checkpoint_is_used_unless_it_is_quantised_at_load(tmp_path: Path) -> None:
    """Twice the bytes are twice the weights; the 16-bit file of an fp8 deployment says nothing (case A026)."""
    change = {"model": "llama-3.1-70b", "weight_format": "fp8-tensor", "max_model_len": "32768"}
    plain = answer(tmp_path, **change)
    larger = answer(tmp_path, **change, checkpoint_bytes=str(2 * 72_654_000_000))
    at_load = answer(tmp_path, **change, checkpoint_bytes="141107412992", observed_weights_gib="67.6979")
    assert larger["weights_gib_per_gpu"] > 1.9 * plain["weights_gib_per_gpu"]
    assert at_load["weights_gib_per_gpu"] == plain["weights_gib_per_gpu"]
    assert at_load["ratio_weights_gib"] == pytest.approx(1, abs=0.01)
    assert "quantised-at-load" in at_load["doubts"]


def test_data_parallel_ranks_are_separate_pools(tmp_path: Path) -> None:
    """Concurrency is that of the whole deployment, need and cache those of one rank (case V019: 62.0 GiB needed)."""
    found = answer(
        tmp_path, model="qwen3-coder-480b-a35b", accelerator="", device_memory_gib="139.75", engine="vllm-v1",
        weight_format="fp8-block128", data_parallel_size="8", expert_parallel="1", max_model_len="262144",
        max_num_batched_tokens="8192", max_num_seqs="1024", observed_need_gib="62.0",
    )  # fmt: skip
    assert found["ratio_need_gib"] == pytest.approx(1, abs=0.005)
    assert found["fits"] == "no"
    assert found["max_concurrency"] == pytest.approx(8 * found["kv_cache_gib_per_gpu"] / found["need_gib"], rel=1e-3)
