"""The memory page: its headline, its edits, every preset, models from a config.json, hostile values."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, memory_view, presets
from lib.choice.scenario import CUSTOM_MODEL, EngineChoice, Scenario, Workload, changed
from lib.present import memory_model, memory_table
from lib.present.text import words
from lib.records import Layout
from lib.ui.custom_model import FILE, TEXT

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
PAGE = "../../pages/memory.py"
CONFIGS = ROOT / "tests" / "data" / "configs"
FACTS = catalog.load()
GIB = 2**30


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    at.switch_page(PAGE).run()
    assert not at.exception
    return at


def with_scenario(scenario: Scenario) -> AppTest:
    """The page of a visitor with a link to this scenario."""
    return opened(s=link.encode(scenario))


def headline(at: AppTest) -> str:
    """The answer sentence: the first text below the title."""
    return str(at.main.markdown[0].value)


def everything(at: AppTest) -> str:
    """All texts and numbers of the page."""
    texts = [one.value for kind in (at.main.markdown, at.main.caption, at.error, at.info) for one in kind]
    return "\n".join([*map(str, texts), *(f"{one.label}: {one.value}" for one in at.metric)])


def figures(at: AppTest) -> list[dict[str, Any]]:
    """The figures as the browser gets them."""
    return [json.loads(one.proto.spec) for one in at.get("plotly_chart")]


def viewed(section: str, preset: str = "serve-70b") -> Scenario:
    """A preset with a section of the page open."""
    return changed(presets.preset(FACTS, preset), ("view", "memory_section"), section)


def served(**update: Any) -> Scenario:
    """The preset serve-70b with its workload changed."""
    base = presets.preset(FACTS, "serve-70b")
    workload = base.workload.model_copy(update=update)
    return changed(base, ("workloads", 0), workload.model_dump())


def test_the_headline_is_what_the_tables_give() -> None:
    """Weights and cache of the tables alone decide these counts: any workspace from 0 to 14 GiB leaves them."""
    text = headline(opened(preset="serve-70b"))
    for count in ("**2 MI300X**", "**2 H200 SXM**", "**4 H100 SXM**"):
        assert count in text
    assert "64** sequences of 4,608 tokens" in text


def test_metrics_are_those_of_the_tables() -> None:
    """Published bytes over 2^30, 80 layers times 4,096 bytes, and 64 times 4,608 tokens of it."""
    with (ROOT / "data" / "checkpoints.csv").open(encoding="utf-8", newline="") as file:
        row = next(
            row for row in csv.DictReader(file) if (row["model_id"], row["weight_format"]) == ("llama-3.3-70b", "bf16")
        )
    shown = {one.label: one.value for one in opened(preset="serve-70b").metric}
    assert shown["Checkpoint, whole model"] == f"{int(row['published_bytes']) / GIB:,.1f} GiB"
    assert shown["Cache per token"] == f"{80 * 4096:,} bytes"
    assert shown["Cache that attention reads"] == f"{64 * 4608 * 80 * 4096 / GIB:,.1f} GiB"


def test_an_edit_changes_the_answer_and_the_picture() -> None:
    """More concurrent sequences: another headline, a longer bar of cache."""
    at = opened(preset="serve-70b")
    before, bars = headline(at), figures(at)[0]
    at.sidebar.number_input(key="field.workloads.0.concurrency").set_value(300).run()
    assert not at.exception
    assert headline(at) != before
    assert "**300** sequences" in headline(at)
    assert figures(at)[0]["data"][2]["x"] != bars["data"][2]["x"]


def test_bars_and_lines_are_the_memory_of_one_gpu() -> None:
    """Four kinds stacked end at 90 % of the memory as reported, in both vLLM lines of each part (1e-6)."""
    bars = figures(opened(preset="serve-70b"))[0]
    assert [trace["type"] for trace in bars["data"][:4]] == ["bar"] * 4
    ends = [sum(sizes) for sizes in zip(*(trace["x"] for trace in bars["data"][:4]), strict=True)]
    lines = [shape["x0"] for shape in bars["layout"]["shapes"]]
    assert lines[1::2] == pytest.approx(ends, rel=1e-6)
    assert ends == pytest.approx([0.9 * memory for memory in lines[::2]], rel=1e-6)
    assert sorted(lines[::2]) == pytest.approx([79.18, 139.80, 191.98, 255.98], abs=0.005)


def test_the_map_marks_the_chosen_load() -> None:
    """One band and one line for each part, and the load as the only point."""
    plot = figures(with_scenario(viewed("map")))[1]
    *lines, point = plot["data"]
    assert len(lines) == 2 * 4
    assert (point["x"], point["y"]) == ([4608], [64])


def test_figures_are_told_to_those_who_cannot_see_them() -> None:
    """The bars' alternative text has every part with its numbers."""
    alternative = opened(preset="serve-70b").get("plotly_chart")[0].proto.alt
    assert all(name in alternative for name in ("MI300X: 2 GPUs (TP2)", "H100 SXM: 4 GPUs (TP4)", "79.2 GiB"))


@pytest.mark.parametrize("preset", list(FACTS.presets))
def test_every_preset_opens(preset: str) -> None:
    """Title, an answer, and no exception; an answer in figures where the task is served."""
    at = opened(preset=preset)
    assert at.title[0].value == "Does my model fit, and on how many?"
    task = presets.preset(FACTS, preset).workload.task
    assert ("not modelled" in headline(at)) == (task == "image")
    assert bool(at.get("plotly_chart")) == (task != "image")


def test_an_image_model_has_no_invented_figure() -> None:
    """No weights, no bar, no zero: words."""
    at = opened(preset="image-generation")
    assert not at.get("plotly_chart")
    assert "not published" in everything(at)


def test_a_part_without_reported_memory_is_named_in_words() -> None:
    """MI350X: nobody has reported its memory, so that it has no bar and a reason."""
    base = presets.preset(FACTS, "serve-70b")
    candidates = [*base.candidates[:2], base.candidates[2].model_copy(update={"accelerator": "mi350x"})]
    at = with_scenario(changed(base, ("candidates",), tuple(one.model_dump() for one in candidates)))
    assert "no count for MI350X" in headline(at)
    assert "**MI350X**: No public source says" in everything(at)
    assert len(figures(at)[0]["data"][0]["x"]) == 2


def test_chinese_is_chinese() -> None:
    """The page opens in Chinese with the same numbers."""
    at = opened(preset="serve-70b", lang="zh")
    assert "H100 SXM**" in headline(at)
    assert "4,608 token" in headline(at)


@pytest.mark.parametrize(
    ("file", "layers", "bytes_per_token"),
    [
        ("gemma3_27b_sparse_config.json", "10 full and 52 with a window of 1,024 tokens", "85,248 bytes"),
        ("qwen3_head_dim.json", "94 full", "192,512 bytes"),
    ],
)
def test_an_uploaded_config_becomes_the_model(file: str, layers: str, bytes_per_token: str) -> None:
    """Cache per token at 131,072 tokens in 16 bit, and the layers that keep it, from the file alone."""
    long = served(input_tokens=131_000, output_tokens=72, concurrency=1)
    at = with_scenario(changed(long, ("view", "memory_section"), "own-model"))
    at.file_uploader(key=FILE).set_value((file, (CONFIGS / file).read_bytes(), "application/json")).run()
    assert not at.exception
    assert {one.label: one.value for one in at.metric}["Cache per token"] == bytes_per_token
    assert layers in everything(at)
    assert at.session_state.scenario.workload.model == CUSTOM_MODEL


def test_a_pasted_config_keeps_its_decimals_and_its_name() -> None:
    """8.03 billion parameters stay 8.03, and the model is called what it was called, as plain text."""
    at = with_scenario(viewed("own-model"))
    at.text_input(key="memory.custom.name").set_value("My [8B](x) model").run()
    at.text_area(key=TEXT).set_value(json.dumps(dict(FACTS.models["llama-3.1-8b"].config or {}))).run()
    at.button(key="memory.custom.go").click().run()
    assert not at.exception
    assert "8.03 billion parameters" in everything(at)
    assert "](x)" not in headline(at)
    assert at.session_state.scenario.workload.name == "My [8B](x) model"


@pytest.mark.parametrize(
    "wrong", ["{", "[1]", '{"model_type": "nobody"}', "[" * 5000, '{"model_type": "llama", "vocab_size": 1e99}']
)
def test_a_wrong_config_is_refused_and_the_model_stays(wrong: str) -> None:
    """One sentence with the reason; the answer is that of the model before."""
    at = with_scenario(viewed("own-model"))
    before = headline(at)
    at.text_area(key=TEXT).set_value(wrong).run()
    at.button(key="memory.custom.go").click().run()
    assert not at.exception
    assert "refused" in at.error[0].value
    assert headline(at) == before


def test_a_link_with_a_broken_config_opens() -> None:
    """A stranger's link with rubbish as config: the page says that the model cannot be sized."""
    at = with_scenario(served(model=CUSTOM_MODEL, config='{"model_type": "<b>x</b>"}', name="*x*"))
    assert "cannot be sized" in headline(at)
    assert not at.get("plotly_chart")


def test_a_config_without_a_known_format_says_that_sixteen_bit_was_taken() -> None:
    """The choice is named, not silent."""
    config = {**dict(FACTS.models["llama-3.1-8b"].config or {}), "quantization_config": {"quant_method": "nobody"}}
    at = with_scenario(served(model=CUSTOM_MODEL, config=json.dumps(config), weight_format="bf16", name="q"))
    assert "bf16 was taken" in at.info[0].value


def test_the_method_shows_the_numbers_of_the_chosen_part() -> None:
    """The equations open on demand, for the first part or the one that the link names."""
    at = with_scenario(changed(viewed("method"), ("view", "memory_part"), "h100-sxm"))
    assert not at.exception
    text = everything(at)
    assert "on one H100 SXM, vLLM (V1): memory 79.18 GiB × 0.9" in text
    blocks = next(table.value for table in at.main.table if "Block" in table.value)
    assert blocks.iloc[-1]["Parameters, million"] == "70,553.7"


def test_another_engine_has_another_rule() -> None:
    """SGLang and TensorRT-LLM: their own equation, and the doubt that few logs stand behind them."""
    for engine, rule in (("sglang", "activations live outside"), ("tensorrt-llm", "0.9 × (memory")):
        scenario = served()
        scenario = changed(scenario, ("view", "memory_section"), "method")
        at = with_scenario(changed(scenario, ("engine", "engine"), engine))
        assert not at.exception
        assert rule in everything(at)
        assert "rests on its documentation" in everything(at)


@pytest.mark.parametrize(
    ("layout", "word"),
    [
        (Layout(), "TP1"),
        (Layout(4), "TP4"),
        (Layout(2, 3), "TP2 PP3"),
        (Layout(1, 5), "PP5"),
        (Layout(1, 1, 4, True), "DP4 EP"),
    ],
)
def test_layouts_have_short_words(layout: Layout, word: str) -> None:
    """As the field writes them."""
    assert memory_model.layout_word(layout) == word


def test_the_spreadsheet_has_numbers() -> None:
    """One row a part, GPUs and GiB as numbers, unknown cells blank."""
    parts = [FACTS.accelerator(name) for name in ("mi300x", "mi350x")]
    load = Workload(model="llama-3.3-70b", weight_format="bf16", concurrency=64)
    frame = memory_table.spreadsheet(memory_view.parts_memory(FACTS, load, EngineChoice(), parts), words("en"))
    assert frame["GPUs, tensor parallel"].iloc[0] == 2
    assert frame["Weights per GPU, GiB"].iloc[0] == pytest.approx(141_107_412_992 / 2 / GIB, abs=0.001)
    assert frame["Cache needed per GPU, GiB"].isna().iloc[1]
