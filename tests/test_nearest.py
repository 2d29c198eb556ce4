"""The measured pair nearest to a workload, and how it differs."""

import pandas as pd
import pytest

from lib import catalog
from lib.choice.nearest import nearest
from lib.choice.scenario import Workload

from .serving_rows import table

WORKLOAD = Workload(
    model="model-70b", weight_format="fp8-tensor", input_tokens=1000, output_tokens=1000, concurrency=64
)
B = {"accelerator_id": "part-b", "value": 400.0}
PARTS = ("part-a", "part-b")


def found(*rows, workload=WORKLOAD, **options):
    """The nearest pair among rows of both parts."""
    frame = table(*rows, *({**row, **B} for row in rows))
    return nearest(frame, "model-70b", PARTS, workload, **options)


def codes(doubts) -> list[str]:
    """The codes of some doubts."""
    return [doubt.code for doubt in doubts]


@pytest.fixture(scope="module")
def serving() -> pd.DataFrame:
    """The measured serving rows of the edition."""
    return catalog.load().measured["serving"]


def test_lengths_within_a_tenth_are_the_workload():
    """1,000 tokens are asked for and 1,024 were measured: an exact pair without caveats."""
    pair = found({})
    assert pair is not None
    assert pair.is_exact
    assert pair.caveats == ()
    assert pair.pair["ratio"] == 2.0


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"input_tokens": 2048.0}, "input-differs"),
        ({"output_tokens": 2048.0}, "output-differs"),
        ({"concurrency": 128.0}, "concurrency-differs"),
        ({"concurrency": float("nan")}, "load-unstated"),
        ({"weight_format": "bf16"}, "format-differs"),
        ({"weight_format": ""}, "format-unstated"),
        ({"model": "Model-8B", "model_id": "model-8b"}, "model-differs"),
    ],
)
def test_each_difference_from_the_workload_is_named(row, code):
    """A pair that is not the workload says in what."""
    pair = found(row)
    assert codes(pair.differences) == [code]
    assert set(pair.differences[0].values) == {"wanted", "measured"}


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"queue_limited": True}, "queue-limited"),
        ({"source_id": "argonne-llm-inference-bench"}, "historical"),
        ({"accelerator_count": float("nan"), "unit": "tokens/s/gpu", "unit_basis": "gpu"}, "own-count"),
    ],
)
def test_what_weakens_a_pair_is_a_caveat_beside_its_differences(row, code):
    """The load is the workload's; the pair itself is weak."""
    pair = found(row)
    assert pair.is_exact
    assert codes(pair.caveats) == [code]


def test_the_same_model_comes_before_a_nearer_load():
    """Another model at the very load stands behind the model at four times the load."""
    pair = found({"concurrency": 256.0}, {"model": "Model-8B", "model_id": "model-8b"})
    assert codes(pair.differences) == ["concurrency-differs"]


def test_history_comes_last():
    """A present pair of another model stands before a historical one of the model."""
    old = {"source_id": "argonne-llm-inference-bench"}
    assert codes(found({"model": "Model-8B", "model_id": "model-8b"}, old).caveats) == []


def test_of_other_models_the_nearest_in_size_is_taken():
    """For a model of 70 billion parameters one of 100 stands before one of 8."""
    small = {"model": "Small", "model_id": "small"}
    large = {"model": "Large", "model_id": "large"}
    sizes = {"model-70b": 70e9, "small": 8e9, "large": 100e9}
    assert found(small, large, total_params=sizes).pair["model_id"] == "large"


def test_native_is_compared_as_the_models_own_format_or_not_at_all():
    """A native workload of a bf16 model finds fp8 rows different; with no format known it does not judge."""
    native = WORKLOAD.model_copy(update={"weight_format": "native"})
    assert codes(found({}, workload=native, native_format="bf16").differences) == ["format-differs"]
    assert found({}, workload=native).is_exact


def test_llama_70b_at_128_requests_is_measured_on_mi300x_and_h200(serving):
    """1,873 against 1,637 tokens/s on one GPU each (fp8, 1,024/1,024, 128 requests) are 1.14 (to 2 digits)."""
    workload = WORKLOAD.model_copy(update={"concurrency": 128})
    pair = nearest(serving, "llama-3.3-70b", ("mi300x", "h200-sxm"), workload)
    assert pair is not None
    assert pair.is_exact
    assert pair.pair["ratio"] == pytest.approx(1873 / 1637, rel=1e-12)
    assert pair.pair["ratio"] == pytest.approx(1.14, abs=0.005)


def test_parts_never_measured_together_have_no_nearest_pair(serving):
    """None, so that whatever builds on it is cost and memory only."""
    assert nearest(serving, "llama-3.3-70b", ("mi300x", "no-such-part"), WORKLOAD) is None
