"""A small serving table in the catalogue's form, for tests that need one row to differ in one cell."""

from typing import Any

import pandas as pd

RUN: dict[str, Any] = {
    "source_id": "source", "publisher": "Publisher", "publisher_interest": "independent", "date": "2026-01-01",
    "accelerator_id": "part-a", "accelerator_count": 8.0, "tensor_parallel": 8.0, "model": "Model-70B",
    "model_id": "model-70b", "weight_format": "fp8", "kv_format": "", "engine": "vllm", "engine_version": "1",
    "input_tokens": 1024.0, "output_tokens": 1024.0, "concurrency": 64.0, "request_rate": "",
    "metric": "output_tokens_per_s", "stat": "", "value": 800.0, "unit": "tokens/s", "unit_basis": "deployment",
    "speculative": False, "dp_attention": False, "prefix_cache": False, "eager": False, "disaggregated": False,
    "queue_limited": False, "hardware_sponsored": False, "locator": "page", "note": "",
}  # fmt: skip


def table(*rows: dict[str, Any]) -> pd.DataFrame:
    """A serving table of the catalogue's form from what each row has of its own."""
    frame = pd.DataFrame([RUN | row for row in rows])
    return frame.astype({name: "category" for name, value in RUN.items() if isinstance(value, str)})
