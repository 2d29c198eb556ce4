"""The table of all models: each count is the answer that the part gives when it is asked alone."""

import pytest

from lib import catalog
from lib.choice.model_table import BEYOND_CONTEXT, model_table
from lib.choice.presets import preset
from lib.choice.scenario import Scenario
from lib.choice.sized import sized
from lib.present.model_table import counts, legend, spreadsheet
from lib.present.text import words
from lib.records import Accelerator
from lib.sizing.grid import NONE_FITS

FACTS = catalog.load()


def parts_of(scenario: Scenario) -> tuple[Accelerator, ...]:
    """The parts of a scenario."""
    return tuple(FACTS.accelerator(one.accelerator) for one in scenario.candidates)


@pytest.mark.parametrize("preset_id", ["serve-70b", "deepseek-v4", "long-context"])
def test_every_count_is_the_one_of_the_single_question(preset_id: str) -> None:
    """One in four of the rows, on all parts."""
    scenario = preset(FACTS, preset_id, "en")
    parts = parts_of(scenario)
    rows = model_table(FACTS, scenario.workload, scenario.engine, parts)
    assert rows[0].is_chosen
    assert len(rows) == 1 + sum(model.config is not None for model in FACTS.models.values())
    for row in (rows[0], *rows[1::4]):
        asked = scenario.workload.model_copy(
            update={} if row.is_chosen else {"model": row.model_id, "weight_format": "native"}
        )
        for part, gpus in zip(parts, row.gpus, strict=True):
            if gpus != BEYOND_CONTEXT:
                single = sized(FACTS, asked, scenario.engine, part).gpus
                assert gpus == (single if single is not None else NONE_FITS), (row.model_id, part.accelerator_id)


def test_a_load_beyond_the_models_context_is_marked() -> None:
    """Llama 2 70B states 4,096 tokens: at 8,192 there is a mark and no number."""
    scenario = preset(FACTS, "serve-70b", "en")
    load = scenario.workload.model_copy(update={"input_tokens": 8_000, "output_tokens": 192})
    rows = {row.model_id: row for row in model_table(FACTS, load, scenario.engine, parts_of(scenario))[1:]}
    assert set(rows["llama-2-70b"].gpus) == {BEYOND_CONTEXT}
    assert BEYOND_CONTEXT not in rows["llama-3.1-70b"].gpus


@pytest.mark.parametrize("dark", [False, True])
def test_the_number_stands_in_every_cell(dark: bool) -> None:
    """Shade is never alone: the cell shows the count or a mark that the legend knows, the file says it in words."""
    scenario = preset(FACTS, "serve-70b", "en")
    parts = parts_of(scenario)
    rows = model_table(FACTS, scenario.workload, scenario.engine, parts)
    frame = counts(rows, parts, words("en"))
    known = [text for text, _shade in legend(dark=dark)]
    for part in parts:
        assert {cell[0] for cell in frame[part.short_name]} <= set(known)
    assert frame["MI300X"].iloc[0] == [str(rows[0].gpus[0])]
    assert "none up to 64" in set(spreadsheet(rows, parts, words("en"))[parts[1].short_name])


def test_training_has_no_table() -> None:
    """Its memory is another question."""
    scenario = preset(FACTS, "finetune-64", "en")
    assert model_table(FACTS, scenario.workload, scenario.engine, parts_of(scenario)) == ()
