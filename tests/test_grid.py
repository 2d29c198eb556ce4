"""Whole tables of plans in one call give what single plans give."""

import numpy as np
import pytest

from lib import catalog
from lib.records import Architecture
from lib.sizing import fit, grid
from lib.sizing.architecture import of_model
from lib.sizing.engines import engine_defaults
from lib.sizing.layouts import RULES, Rule, fullest_stages, stage_splits

CATALOG = catalog.load()
FORMATS = CATALOG.weight_formats
MODELS = [
    of_model(CATALOG.model(name))
    for name in ("llama-3.1-8b", "llama-3.1-405b", "qwen3-235b-a22b", "deepseek-v3", "gpt-oss-120b", "gemma-3-27b")
]
PARTS = [CATALOG.accelerator(name) for name in ("mi300x", "h100-sxm", "a100-sxm-80g", "gb200", "h100-pcie", "l40s")]


@pytest.mark.parametrize("rule", RULES)
def test_a_table_gives_what_single_questions_give(rule: Rule) -> None:
    """Six models on six parts: the same fewest GPUs and layouts as one question each, unknown memory marked."""
    table = grid.fewest_gpus_table(MODELS, PARTS, "native", "bf16", 8_192, 16, FORMATS, rule)
    for row, model in enumerate(MODELS):
        for column, part in enumerate(PARTS):
            single = fit.fewest_gpus(model, part, "native", "bf16", 8_192, 16, FORMATS, rule)
            unknown = part.memory_usable_gib is None
            expected = grid.UNKNOWN_MEMORY if unknown else single.gpus or grid.NONE_FITS
            assert table.gpus[row, column] == expected, (model.model_id, part.accelerator_id)
            assert table.layouts[row][column] == single.layout


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.model_id)
def test_a_grid_gives_what_plans_give(model: Architecture) -> None:
    """Every part of a plan in one server, to a byte."""
    layouts = [layout for layout in fit.legal_layouts(model, 8, 8, "one-server") if layout.gpus <= 8]
    memory = [part.memory_usable_gib for part in PARTS]
    settings = [engine_defaults("vllm-v1", part.memory_usable_gib, part.accelerator_id) for part in PARTS]
    found = grid.model_grid(model, layouts, memory, settings, "native", "bf16", 8_192, 4, FORMATS)
    for row, layout in enumerate(layouts):
        for column, size in enumerate(memory):
            plan = fit.plan(model, size, layout, settings[column], "native", "bf16", 8_192, 4, FORMATS)
            assert found.weights_bytes[row, column] == pytest.approx(plan.weights_bytes, abs=1)
            assert found.workspace_bytes[row, column] == pytest.approx(plan.workspace.base_bytes, abs=1)
            assert found.needed_bytes[row, column] == pytest.approx(plan.needed_bytes, abs=1)
            if size is None:
                assert np.isnan(found.slack_bytes[row, column])
                assert not found.starts[row, column]
            else:
                assert found.slack_bytes[row, column] == pytest.approx(plan.slack_bytes, abs=1)
                assert found.starts[row, column] == (plan.starts and (plan.slack_bytes or 0) >= 0)


@pytest.mark.parametrize(("layers", "stages"), [(61, 3), (61, 4), (80, 3), (94, 5), (36, 36), (7, 1)])
def test_stages_hold_all_layers_and_differ_by_one_at_most(layers: int, stages: int) -> None:
    """Every split sums to the model, and the first one is vLLM's."""
    for split in stage_splits(layers, stages):
        assert sum(split) == layers
        assert max(split) - min(split) <= 1


def test_the_fullest_stage_is_never_below_an_even_share() -> None:
    """The heaviest of some stages holds at least the average, for rows of random layers."""
    rng = np.random.default_rng(0)
    layers = rng.uniform(1, 10, size=(3, 61))
    for stages in range(1, 62):
        for split in stage_splits(61, stages):
            held, share = fullest_stages(layers, np.zeros(3), split)
            assert (held >= layers.sum(axis=1) / stages - 1e-9).all()
            assert (share <= 1).all()
