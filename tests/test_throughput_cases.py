"""The shell's batch of throughput questions: rows stay, wrong ones say why, ratios are against what was observed."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from lib import __main__ as shell
from lib import catalog
from lib.sizing import throughput_cases

DATA = catalog.load()
FOLDER = Path(__file__).parent
ROW = {
    "case": "a",
    "model": "llama-3.3-70b",
    "accelerator": "mi300x",
    "engine": "vllm",
    "tensor_parallel_size": "4",
    "weight_format": "fp8",
    "input_tokens": "1000",
    "output_tokens": "500",
    "concurrency": "32",
}


def answered(**cells: str) -> dict[str, Any]:
    """One row with some cells changed, answered."""
    return throughput_cases.evaluate([ROW | cells], DATA, FOLDER)[0]


def test_a_right_row_has_all_answers() -> None:
    """Bound above high above estimate above low, both times with three numbers each, and the row as it was."""
    found = answered()
    assert found["case"] == "a"
    assert found["error"] == ""
    assert found["bound"] >= found["high"] >= found["estimate"] >= found["low"] > 0
    for name in ("ttft_s", "tpot_s"):
        assert found[f"{name}_low"] <= found[f"{name}_estimate"] <= found[f"{name}_high"]
    assert list(found)[len(ROW) : -1] == list(throughput_cases.ANSWERS)


def test_the_times_are_of_one_operating_point() -> None:
    """32 requests of 500 tokens at the estimated rate take what first token and 499 further ones take, to 0.1 %."""
    found = answered()
    whole = 32 * 500 / found["estimate"]
    assert found["ttft_s_estimate"] + 499 * found["tpot_s_estimate"] == pytest.approx(whole, rel=1e-3)


def test_no_measured_basis_leaves_the_bound_alone() -> None:
    """On Gaudi 3 everything but the bound is blank, and that is no error."""
    found = answered(accelerator="gaudi3")
    assert found["error"] == ""
    assert found["bound"] > 0
    assert found["basis"] == "none"
    assert {found[name] for name in ("low", "estimate", "high", "ttft_s_low", "tpot_s_high")} == {""}


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"accelerator": "mi300"}, "mi300x"),
        ({"model": "llama-3.3-70"}, "llama-3.3-70b"),
        ({"engine": "vlm"}, "vllm"),
        ({"weight_format": "fp9"}, "fp8"),
        ({"concurrency": ""}, "concurrency"),
        ({"input_tokens": "many"}, "input_tokens"),
        ({"output_tokens": "-1"}, "output_tokens"),
        ({"accelerator": ""}, "accelerator"),
        ({"accelerator_count": "6"}, "multiple of the 4"),
        ({"date": "soon"}, "date"),
        ({"speculative": "perhaps"}, "speculative"),
        ({"pipeline_parallel_size": "900"}, "pipeline_parallel_size"),
    ],
)
def test_a_wrong_cell_says_what_is_right(cells: dict[str, str], words: str) -> None:
    """The error names the cell or the nearest right word; the answers are blank."""
    found = answered(**cells)
    assert words in found["error"]
    assert {found[name] for name in throughput_cases.ANSWERS} == {""}


def test_a_wrong_row_does_not_stop_the_others() -> None:
    """The second of three is wrong."""
    rows = [ROW, ROW | {"model": "no-such"}, ROW | {"concurrency": "64"}]
    found = throughput_cases.evaluate(rows, DATA, FOLDER)
    assert [bool(one["error"]) for one in found] == [False, True, False]
    assert found[2]["estimate"] > found[0]["estimate"]


def test_replicas_are_what_the_count_leaves() -> None:
    """Eight GPUs at four ranks are two replicas: about twice the rate under twice the requests."""
    one, two = answered(), answered(accelerator_count="8", concurrency="64")
    assert two["bound"] == pytest.approx(2 * one["bound"], rel=1e-3)


def test_a_count_alone_is_tensor_parallel() -> None:
    """Eight GPUs without a layout share every layer."""
    assert (
        answered(tensor_parallel_size="", accelerator_count="8")["bound"] == answered(tensor_parallel_size="8")["bound"]
    )


def test_a_model_too_large_for_a_replica_is_a_pipeline() -> None:
    """Kimi K3 on two servers of eight B200 at eight ranks: two stages, and the doubt says so."""
    found = answered(
        model="kimi-k3", accelerator="b200-sxm", tensor_parallel_size="8", accelerator_count="16", weight_format=""
    )
    assert "taken-as-pipeline" in found["doubts"].split(";")
    assert found["estimate"] > 0


def test_ratios_are_estimate_over_observed() -> None:
    """For rate, first token (in milliseconds) and time per token; a blank stays blank."""
    found = answered(
        observed_output_tokens_per_s="1000", observed_ttft_ms="500", observed_tpot_s="", observed_weather="mild"
    )
    assert found["ratio_output_tokens_per_s"] == pytest.approx(found["estimate"] / 1000, abs=1e-4)
    assert found["ratio_ttft_ms"] == pytest.approx(found["ttft_s_estimate"] / 0.5, abs=1e-4)
    assert found["ratio_tpot_s"] == ""
    assert found["observed_weather"] == "mild"


def test_stated_conditions_enter() -> None:
    """A date narrows the interval; eager mode, speculation and an engine that only measurements know are understood."""
    stated, unstated = answered(date="2026-11"), answered()
    assert stated["high"] / stated["low"] < unstated["high"] / unstated["low"]
    assert answered(speculative="yes", date="2026-11")["estimate"] > stated["estimate"]
    assert answered(engine="vllm (ATOM plugin)")["error"] == answered(engine="atom")["error"] == ""


def test_a_stated_memory_wins() -> None:
    """With 20 GiB more than the weights per GPU fewer sequences run at once."""
    assert (
        answered(concurrency="4000", device_memory_gib="60")["in_service"] < answered(concurrency="4000")["in_service"]
    )


def test_the_shell_answers_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m lib throughput CASES.csv` prints the rows as CSV and returns 1 where one is wrong."""
    path = tmp_path / "cases.csv"
    for rows, code in (([ROW], 0), ([ROW, ROW | {"model": "no-such"}], 1)):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(ROW))
            writer.writeheader()
            writer.writerows(rows)
        assert shell.main(["throughput", str(path)]) == code
        printed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
        assert len(printed) == len(rows)
        assert float(printed[0]["low"]) < float(printed[0]["high"])
