"""Pairs by model class and load: kinds never pooled, latency beside, one publisher's two ends, progress by date."""

from typing import Any

import pandas as pd
import pytest

from lib import catalog
from lib.choice.evidence import EQUAL_COUNT, OWN_COUNT, serving_pairs
from lib.choice.evidence_classes import class_groups, contrast, model_classes, trend
from lib.choice.measured import run_pairs
from tests.serving_rows import table

FACTS = catalog.load()
CLASSES = {"model-70b": "dense_large", "small": "dense_small"}
B = {"accelerator_id": "part-b"}


def pairs_of(*rows: dict[str, Any]) -> pd.DataFrame:
    """Pairs of runs of part-a over part-b."""
    return run_pairs(serving_pairs(table(*rows), "part-a", "part-b"))


def both(**cells: Any) -> list[dict[str, Any]]:
    """A run of both parts that differs from the usual one in these cells; part-b gives half."""
    return [cells, B | cells | {"value": cells.get("value", 800.0) / 2}]


def test_models_fall_into_four_classes() -> None:
    """Below and above 40 billion parameters, experts whatever the size, and what the catalogue does not say."""
    found = model_classes(FACTS.models)
    for name, model in FACTS.models.items():
        if model.routed_expert_params is None:
            assert found[name] == "unknown"
        elif model.routed_expert_params > 0:
            assert found[name] == "moe"
        else:
            assert found[name] == ("dense_small" if model.total_params < 40e9 else "dense_large")


def test_groups_part_kind_class_and_load() -> None:
    """Equal and own counts, two model classes, two loads: four groups of one pair each, ratios 2, 2, 2 and 4 (1e-12)."""
    small = {"model_id": "small", "model": "Small"}
    groups = class_groups(
        pairs_of(
            *both(),
            *both(concurrency=4.0),
            *both(**small),
            {"concurrency": 128.0},
            B | {"concurrency": 128.0, "accelerator_count": 4.0, "value": 100.0},
        ),
        CLASSES,
    )
    assert [(one.kind, one.model_class, one.load_class) for one in groups] == [
        (EQUAL_COUNT, "dense_small", "throughput"),
        (EQUAL_COUNT, "dense_large", "latency"),
        (EQUAL_COUNT, "dense_large", "throughput"),
        (OWN_COUNT, "dense_large", "throughput"),
    ]
    assert [one.throughput.median for one in groups] == pytest.approx([2.0, 2.0, 2.0, 4.0], rel=1e-12)


def test_publishers_are_counted_once_and_independent_ones_apart() -> None:
    """Two pages of one body are one publisher; a seller is no independent one."""
    groups = class_groups(
        pairs_of(
            *both(publisher="Body (thread)", source_id="one"),
            *both(publisher="Body", source_id="two"),
            *both(publisher="Seller", publisher_interest="amd", source_id="three"),
        ),
        CLASSES,
    )
    assert [(one.throughput.pairs, one.publishers, one.independent_publishers) for one in groups] == [(3, 2, 1)]


def test_latency_stands_beside_the_throughput_of_the_same_runs() -> None:
    """TTFT twice as long on part a is a ratio of 2 in the group; TPOT that nobody measured is None (1e-12)."""
    latency = {"metric": "ttft_ms", "stat": "median", "unit": "ms"}
    (group,) = class_groups(pairs_of(*both(), latency | {"value": 400.0}, B | latency | {"value": 200.0}), CLASSES)
    assert group.ttft is not None
    assert group.ttft.pairs == 1
    assert group.ttft.median == pytest.approx(2.0, rel=1e-12)
    assert group.tpot is None


def test_the_contrast_is_the_widest_span_of_one_series() -> None:
    """From 4 to 256 requests in one source beats 1 to 8 in another; the ends are that source's own (1e-12)."""
    found = contrast(
        pairs_of(
            *both(concurrency=1.0, source_id="short"),
            *both(concurrency=8.0, source_id="short"),
            *both(concurrency=4.0, source_id="long", value=100.0),
            *both(concurrency=64.0, source_id="long", value=100.0),
            {"concurrency": 256.0, "source_id": "long", "value": 300.0, "queue_limited": True},
            B | {"concurrency": 256.0, "source_id": "long", "value": 100.0},
        )
    )
    assert found is not None
    assert (found.source_id, found.pairs) == ("long", 3)
    assert (found.low.concurrency, found.high.concurrency) == (4.0, 256.0)
    assert [found.low.ratio, found.high.ratio] == pytest.approx([2.0, 3.0], rel=1e-12)
    assert (found.low.queue_limited, found.high.queue_limited) == (False, True)


def test_one_load_alone_is_no_contrast() -> None:
    """Neither is a pair without a stated load."""
    assert contrast(pairs_of(*both())) is None
    assert contrast(pairs_of(*both(concurrency=None), *both(concurrency=8.0))) is None


def test_only_a_load_measured_again_tells_of_progress() -> None:
    """One load at 2 and later at 3 is one repeat that rose; another load at a later date is none; undated ones are counted."""
    later = {"date": "2026-05-01", "source_id": "later"}
    found = trend(
        pairs_of(
            *both(),
            later | {"value": 1200.0},
            B | later | {"value": 400.0},
            *both(concurrency=8.0, date="2026-06-01"),
            *both(concurrency=16.0, date=""),
        )
    )
    assert len(found.repeated) == 1
    assert found.repeated[0] == pytest.approx((2.0, 3.0), rel=1e-12)
    assert (found.risen, found.undated, len(found.dated)) == (1, 1, 3)
    assert list(found.dated["date"]) == sorted(found.dated["date"])


def test_groups_hold_every_pair_of_the_table_once() -> None:
    """MI300X over H200: the groups' pairs add up to the pairs of runs with a throughput ratio."""
    pairs = run_pairs(serving_pairs(FACTS.measured["serving"], "mi300x", "h200-sxm"))
    groups = class_groups(pairs, model_classes(FACTS.models))
    assert sum(one.throughput.pairs for one in groups) == int(pairs["throughput_ratio"].notna().sum())
    assert {one.kind for one in groups} == {EQUAL_COUNT, OWN_COUNT}
