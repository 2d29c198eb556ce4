"""Micro-benchmarks: achieved against the datasheet's peak, sizes read as they are written, power per accelerator."""

import csv
from pathlib import Path

import pytest

from lib import catalog
from lib.choice.micro_view import KINDS, message_bytes, micro_view

FACTS = catalog.load()
MICRO = FACTS.measured["micro"]
PARTS = ("h100-sxm", "mi300x", "h200-sxm", "b200-sxm", "mi355x")


@pytest.mark.parametrize(
    ("text", "size"),
    [("32768 B", 32768), ("32KiB", 32768), ("1KB", 1024), ("4GB", 4 * 2**30), ("8GiB", 8 * 2**30), ("m1 n2 k3", None)],
)
def test_message_sizes_are_read(text: str, size: int | None) -> None:
    """K, M and G are powers of 1,024; a matrix shape is no size."""
    assert message_bytes(text) == size


def test_bandwidth_is_the_parts_own_memory_against_its_peak() -> None:
    """MI300X: the best that reads is 4,199 of 5,300 GB/s, stores reach 4,849; copies between parts and to the host are out."""
    with Path(catalog.DATA / "micro.csv").open(encoding="utf-8", newline="") as file:
        own = [
            float(row["value"])
            for row in csv.DictReader(file)
            if row["accelerator_id"] == "mi300x" and row["metric"] == "bandwidth"
            and row["test"].startswith(("hbm dot", "gpu-stream read", "weight"))
        ]  # fmt: skip
    found = micro_view(MICRO, PARTS, FACTS.accelerators, "bandwidth")
    one = next(one for one in found.achieved if one.accelerator_id == "mi300x")
    assert (one.best, one.rows) == (max(own), len(own))
    assert one.share == pytest.approx(max(own) / 5300, rel=1e-12)
    assert not any(str(test).startswith(("Host", "Device", "gpu-to-gpu")) for test in found.rows["test"])
    assert "mi355x" in found.without


def test_no_achieved_rate_passes_its_peak() -> None:
    """Bandwidth and matrix rates of every format with a published peak stay below it."""
    for kind in ("bandwidth", "gemm"):
        for number_format in micro_view(MICRO, PARTS, FACTS.accelerators, kind).formats or ("",):
            for one in micro_view(MICRO, PARTS, FACTS.accelerators, kind, number_format).achieved:
                assert one.share is None or one.share < 1


def test_a_sum_of_power_is_divided_by_its_accelerators() -> None:
    """1,101 W of four MI300X are 275.25 W each (1e-9); idle and serving rows stand beside each other."""
    found = micro_view(MICRO, ("mi300x",), FACTS.accelerators, "power")
    four = found.rows[found.rows["value"] == 1101.0]
    assert len(four)
    assert list(four["amount"]) == pytest.approx([1101.0 / 4] * len(four), rel=1e-9)


def test_collectives_state_a_size_and_count_one_direction() -> None:
    """Only all-reduce bus bandwidth with a message size, sorted for lines."""
    found = micro_view(MICRO, PARTS, FACTS.accelerators, "all_reduce")
    assert set(found.rows["metric"]) == {"bus_bandwidth"}
    assert set(found.rows["test"]) == {"all_reduce"}
    assert found.rows["size"].notna().all()


def test_a_part_that_nobody_measured_is_named_in_every_kind() -> None:
    """A part without a row is in `without`, never a zero."""
    for kind in KINDS:
        found = micro_view(MICRO, ("gaudi3", "h100-sxm"), FACTS.accelerators, kind)
        assert "gaudi3" in found.without
        assert "gaudi3" not in {one.accelerator_id for one in found.achieved}
