"""Parts side by side: one row a quantity, the value of each part, and its ratio to the first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lib.records import Accelerator

QUANTITIES: Final[tuple[tuple[str, str, bool], ...]] = (
    ("memory", "memory_gb", True),
    ("memory", "memory_driver_gib", True),
    ("memory", "memory_runtime_gib", True),
    ("memory", "memory_bandwidth_tbs", True),
    ("compute", "fp16_bf16_dense_tflops", True),
    ("compute", "fp8_dense_tflops", True),
    ("compute", "fp6_dense_tflops", True),
    ("compute", "fp4_dense_tflops", True),
    ("compute", "int8_dense_tops", True),
    ("compute", "tf32_dense_tflops", True),
    ("compute", "fp32_tflops", True),
    ("compute", "fp64_tflops", True),
    ("compute", "fp64_matrix_tflops", True),
    ("fabric", "interconnect_gbs", True),
    ("fabric", "max_scale_up_gpus", True),
    ("fabric", "gpus_per_node", True),
    ("power", "tdp_w", False),
)
"""Group, field of Accelerator, and whether more is better. Peaks are dense: sparse figures are never set beside them."""

WORDS: Final[tuple[tuple[str, str], ...]] = (
    ("memory", "memory_type"),
    ("fabric", "interconnect_name"),
    ("fabric", "pcie"),
    ("build", "form_factor"),
    ("build", "architecture"),
    ("build", "chiplets"),
    ("build", "launch"),
    ("build", "status"),
)
"""Group and field of what is described in words."""

RATIO_FIELDS: Final = (
    "memory_runtime_gib",
    "memory_bandwidth_tbs",
    "fp16_bf16_dense_tflops",
    "fp8_dense_tflops",
    "fp4_dense_tflops",
    "interconnect_gbs",
    "tdp_w",
)
"""What the ratio chart shows, in the order a buyer asks."""


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity of several parts: values in the unit of the field's name, None where nothing is published."""

    group: str
    field: str
    values: tuple[float | None, ...]
    ratios: tuple[float | None, ...]
    best: tuple[bool, ...]


def rows(parts: Sequence[Accelerator]) -> tuple[Row, ...]:
    """Every quantity that at least one of the parts has, with ratios to the first part.

    Parameters
    ----------
    parts : sequence of Accelerator
        The first one is what the others are compared with.

    Returns
    -------
    tuple of Row
        In the order of QUANTITIES.
    """
    result = []
    for group, field, more_is_better in QUANTITIES:
        values = tuple(getattr(part, field) for part in parts)
        known = [value for value in values if value is not None]
        if not known:
            continue
        base = values[0]
        target = max(known) if more_is_better else min(known)
        differ = len(set(known)) > 1
        result.append(
            Row(
                group=group,
                field=field,
                values=values,
                ratios=tuple(value / base if value is not None and base else None for value in values),
                best=tuple(differ and value == target for value in values),
            )
        )
    return tuple(result)


def row_of(table: Sequence[Row], field: str) -> Row | None:
    """The row of a field, or None where no part has it.

    Parameters
    ----------
    table : sequence of Row
        From `rows`.
    field : str
        A field of Accelerator.

    Returns
    -------
    Row or None
        The row.
    """
    return next((one for one in table if one.field == field), None)
