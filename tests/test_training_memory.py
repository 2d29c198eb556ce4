"""Training on the memory page: its headline from the tables, edits, presets, hostile values, old links, both languages."""

import base64
import csv
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets, training_memory
from lib.choice.scenario import Scenario, Training, Workload, bounds, changed, choices
from lib.present import doubts, training_memory_table, training_method
from lib.present import training_memory as words_of
from lib.present.figures import style
from lib.present.figures import training_memory as figures
from lib.present.text import words
from lib.records import Doubt

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
PAGE = "../../pages/memory.py"
FACTS = catalog.load()
GIB = 2**30
TRAINING_PRESETS = ("pretrain-256", "train-128", "train-long-sequence", "finetune-64")
PARTS = tuple(FACTS.accelerators[name] for name in ("mi300x", "h200-sxm", "h100-sxm"))


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    at.switch_page(PAGE).run()
    assert not at.exception
    return at


def headline(at: AppTest) -> str:
    """The answer sentence: the first text below the title."""
    return str(at.main.markdown[0].value)


def everything(at: AppTest) -> str:
    """All texts of the page."""
    return "\n".join(str(one.value) for kind in (at.main.markdown, at.main.caption, at.error) for one in kind)


def rows(table: str, key: str) -> dict[str, dict[str, str]]:
    """A table of data/ as text, by its key."""
    with (ROOT / "data" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return {row[key]: row for row in csv.DictReader(file)}


def by_hand(gpus: int, tokens: int, *, checkpointed: bool) -> float:
    """Bytes on a GPU of Llama 3.3 70B under ZeRO-3 from the tables: 16 P/d, 4 x embedding, 2 s h a layer, 6 s V."""
    total = int(rows("models", "model_id")["llama-3.3-70b"]["total_params"])
    config = json.loads((ROOT / "data" / "configs" / "llama-3.3-70b.json").read_text(encoding="utf-8"))
    layers, hidden, vocab = (config[name] for name in ("num_hidden_layers", "hidden_size", "vocab_size"))
    layer = 18 + 2 * 3 * config["intermediate_size"] / hidden
    copies = 2 * (layers - 1) + layer if checkpointed else layers * layer
    gathered = 4 * vocab * hidden if gpus > 1 else 0
    return float(16 * total / gpus + gathered + tokens * (hidden * copies + 6 * vocab))


@pytest.mark.parametrize("part", ["mi300x", "h200-sxm", "h100-sxm"])
def test_the_headline_is_what_the_tables_give(part: str) -> None:
    """Fewest GPUs over powers of two, computed here from parameters, widths and reported memory."""
    memory = float(rows("accelerators", "accelerator_id")[part]["memory_runtime_gib"]) * GIB
    gpus = next(2**power for power in range(11) if by_hand(2**power, 4096, checkpointed=True) <= memory)
    name = FACTS.accelerators[part].short_name
    assert f"**{gpus} {name}**" in headline(opened(preset="finetune-64"))


def test_the_run_of_the_scenario_is_what_the_tables_give() -> None:
    """64 GPUs, 4,096 tokens: the GiB of the headline to its digits, and the bar's parts sum to the need of its count."""
    at = opened(preset="finetune-64")
    assert f"each holds **{by_hand(64, 4096, checkpointed=True) / GIB:.1f} (" in headline(at)
    bars = json.loads(at.get("plotly_chart")[0].proto.spec)
    *kinds, free = (trace["x"] for trace in bars["data"][:6])
    expected = [by_hand(gpus, 4096, checkpointed=True) / GIB for gpus in (8, 16, 16)]
    assert [sum(sizes) for sizes in zip(*kinds, strict=True)] == pytest.approx(expected, rel=1e-9)
    memories = [shape["x0"] for shape in bars["layout"]["shapes"]]
    ends = [used + left for used, left in zip(expected, free, strict=True)]
    assert ends == pytest.approx(memories, rel=1e-9)


def test_edits_change_the_answer() -> None:
    """Recomputing less needs more, as the tables say; LoRA needs one GPU; a run of other size is another need."""
    at = opened(preset="finetune-64")
    before = headline(at)
    at.selectbox(key="field.workloads.0.training.recompute").set_value("selective").run()
    assert not at.exception
    memory = 191.98 * GIB
    gpus = next(2**power for power in range(11) if by_hand(2**power, 4096, checkpointed=False) <= memory)
    assert headline(at) != before
    assert f"**{gpus} MI300X**" in headline(at)
    at.number_input(key="field.workloads.0.training_gpus").set_value(128).run()
    assert "128 GPUs of the run" in headline(at)
    at.selectbox(key="field.workloads.0.training_method").set_value("lora").run()
    assert not at.exception
    assert "LoRA fine-tuning" in headline(at)


def test_a_setup_that_the_accounting_does_not_state_is_said() -> None:
    """DeepSpeed's estimator and plain data parallelism: a sentence with what is allowed, no picture."""
    at = opened(preset="finetune-64")
    at.session_state["training.more"] = True
    at.run()
    at.selectbox(key="field.workloads.0.training.accounting").set_value("deepspeed").run()
    at.selectbox(key="field.workloads.0.training.zero_stage").set_value(0).run()
    assert not at.exception
    assert "There is no answer" in headline(at)
    assert "2 or 3" in headline(at)
    assert not at.get("plotly_chart")


@pytest.mark.parametrize("preset", TRAINING_PRESETS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_training_preset_has_an_answer_for_each_workload(preset: str, language: Any) -> None:
    """Sentence, metrics, table, spreadsheet, equations, sources, picture, in both languages, with no code left bare."""
    scenario = presets.preset(FACTS, preset, language)
    _ = words(language)
    parts = tuple(FACTS.accelerators[name] for name in dict.fromkeys(one.accelerator for one in scenario.candidates))
    for workload in scenario.workloads:
        view = training_memory.training_view(FACTS, workload, parts, scenario.constraints.gpus)
        assert view.doubt is None
        assert training_memory.counted(view.parts)
        answer = words_of.answer(FACTS, workload, view, _)
        assert "GiB" in answer
        assert len(words_of.metrics(workload, view, _)) == 4
        table = training_memory_table.side_by_side(view, _)
        assert len(table) == len(training_memory_table.spreadsheet(view, _)) == len(parts)
        assert len(table.columns) <= 7
        assert not training_method.sources(FACTS, workload, parts, _).empty
        for part in figures.shown(view):
            assert part.drawn is not None
            assert len(training_method.equations(view, part.drawn, part.accelerator, _)) >= 5
        assert all(" " in text or "。" in text for text in words_of.reservations(view, _))
        looks = style.looks(FACTS.accelerators, dark=False)
        picture = figures.bar_chart(view, looks, training_method.conditions(FACTS, workload, _), _, dark=False)
        assert len(picture["data"]) == 8
        assert words_of.alternative(view, _)


def test_articles_advice_of_one_mi300x_for_qlora_holds_for_memory() -> None:
    """QLoRA of Llama 3.3 70B on one MI300X fits; base, adapters and logits by hand to the digits shown."""
    scenario = presets.preset(FACTS, "finetune-64")
    view = training_memory.training_view(FACTS, scenario.workloads[2], PARTS, 64)
    first = view.parts[0]
    assert (first.accelerator.accelerator_id, first.gpus) == ("mi300x", 1)
    assert first.run is not None
    assert first.run.verdict == "fits"
    adapters = 16 * 80 * (7 * 8192 + 8192 + 2 * 1024 + 8192 + 3 * 28672)
    assert view.model_trained_parameters == adapters
    kept = 2 * 128_256 * 8192 + 161 * 8192
    quantised = 70_553_706_496 - kept
    held = first.run.need.held
    assert held.weights_bytes == pytest.approx(2 * kept + quantised * 4.126953125 / 8, rel=1e-9)
    assert held.adapters_bytes == 16 * adapters


def test_parts_without_reported_memory_have_words_instead() -> None:
    """MI350X: nobody has reported its memory."""
    workload = presets.preset(FACTS, "train-128").workload
    view = training_memory.training_view(FACTS, workload, (*PARTS, FACTS.accelerators["mi350x"]))
    assert view.parts[-1].fewest is None
    _ = words("en")
    assert "no count for MI350X" in words_of.answer(FACTS, workload, view, _)
    assert any("MI350X" in line and "No public source" in line for line in words_of.not_held(view, _))
    assert len(figures.shown(view)) == len(PARTS)


@pytest.mark.parametrize(
    ("update", "code"),
    [
        ({"training": Training(tensor_parallel_size=3)}, "input"),
        ({"training": Training(pipeline_parallel_size=100)}, "input"),
        ({"training": Training(zero_stage=0, accounting="deepspeed")}, "input"),
        ({"training": Training(tensor_parallel_size=64, pipeline_parallel_size=64)}, "training-over-limit"),
        ({"model": "sdxl"}, "config"),
    ],
)
def test_what_cannot_be_computed_says_why(update: dict[str, Any], code: str) -> None:
    """One doubt and no parts."""
    workload = Workload(task="train", input_tokens=4096).model_copy(update=update)
    view = training_memory.training_view(FACTS, workload, PARTS)
    assert view.doubt is not None
    assert (view.doubt.code, view.parts) == (code, ())
    assert "no answer" in words_of.answer(FACTS, workload, view, words("en"))


def test_a_run_that_does_not_divide_is_named_and_the_fewest_stay() -> None:
    """12 GPUs with tensor parallel size 8: no run, still a count."""
    workload = Workload(task="train", input_tokens=4096, training_gpus=12, training=Training(tensor_parallel_size=8))
    view = training_memory.training_view(FACTS, workload, PARTS)
    assert view.doubts[0].code == "training-run-size"
    assert all(part.run is None and part.gpus for part in view.parts)


def test_training_in_a_narrow_format_is_counted_wide() -> None:
    """fp8: the same states as bf16, and said so; a frozen base is counted at its stored width."""
    wide = Workload(task="train", model="llama-3.1-8b", weight_format="bf16", training_gpus=8)
    narrow = wide.model_copy(update={"weight_format": "fp8-tensor"})
    views = [training_memory.training_view(FACTS, one, PARTS) for one in (wide, narrow)]
    assert views[0].whole_states_bytes == views[1].whole_states_bytes == 16 * 8_030_261_248
    assert "training-narrow-format" in [one.code for one in views[1].doubts]
    frozen = [
        training_memory.training_view(FACTS, one.model_copy(update={"training_method": "lora"}), PARTS)
        for one in (wide, narrow)
    ]
    assert frozen[1].whole_states_bytes < frozen[0].whole_states_bytes


def test_tensor_parallelism_beyond_the_domain_is_doubted() -> None:
    """Tensor parallel size 16 on servers of eight."""
    workload = Workload(task="train", model="llama-3.1-405b", training=Training(tensor_parallel_size=16))
    view = training_memory.training_view(FACTS, workload, PARTS)
    assert all("across-servers" in [one.code for one in part.doubts] for part in view.parts if part.gpus)


CODES = [
    Doubt("training-over-limit", {"model_gpus": 4096, "most_gpus": 1024}),
    Doubt("training-run-size", {"gpus": 12, "model_gpus": 8}),
    Doubt("training-narrow-format", {"format": "fp8-tensor"}),
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("doubt", CODES, ids=lambda doubt: doubt.code)
def test_codes_of_the_composition_have_their_sentence(doubt: Doubt, language: str) -> None:
    """A sentence with its figures."""
    text = doubts.sentence(doubt, words(language))
    assert text != doubt.code
    assert text.endswith((".", "。"))


def test_an_old_link_still_opens() -> None:
    """A token made before training was part of a workload gives its defaults."""
    scenario = presets.preset(FACTS, "train-128")
    data = scenario.model_dump(mode="json")
    for workload in data["workloads"]:
        del workload["training"]
    raw = json.dumps(data).encode()
    old = link.decode(base64.urlsafe_b64encode(zlib.compress(raw)).rstrip(b"=").decode())
    assert old.workload.training is None
    assert old.workload.setup == Training()
    assert old == changed(scenario, ("workloads", 0, "training"), None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("zero_stage", 4), ("zero_stage", "3"), ("accounting", "mine"), ("tensor_parallel_size", 0), ("micro_batch", 1e9),
        ("recompute", "half"), ("lora_rank", -1), ("sequence_parallel", "yes"), ("offload", "disk"), ("unheard", 1),
    ],
)  # fmt: skip
def test_a_hostile_setup_is_refused_by_name(field: str, value: Any) -> None:
    """The field, its value and what is allowed; the record stays strict."""
    scenario = presets.preset(FACTS, "finetune-64")
    data = scenario.model_dump(mode="json")
    data["workloads"][0]["training"][field] = value
    token = base64.urlsafe_b64encode(zlib.compress(json.dumps(data).encode())).rstrip(b"=").decode()
    with pytest.raises(link.LinkError) as caught:
        link.decode(token)
    assert caught.value.field.startswith("workloads.0.training.")
    assert f"workloads.0.training.{field}".startswith(caught.value.field)
    if field != "unheard":
        with pytest.raises(ValidationError):
            changed(scenario, ("workloads", 0, "training", field), value)


def test_the_setup_has_bounds_and_words_for_its_controls() -> None:
    """Numbers have both limits, words are closed lists."""
    how = ("workloads", 0, "training")
    numbers = ("zero_stage", "tensor_parallel_size", "pipeline_parallel_size", "expert_parallel_size", "micro_batch")
    for name in (*numbers, "lora_rank"):
        assert None not in bounds((*how, name))
    for name in ("accounting", "recompute", "offload", "optimizer", "lora_targets"):
        assert len(choices((*how, name))) >= 2


def test_a_hostile_value_in_a_link_is_said_on_the_page() -> None:
    """The page opens with its defaults and names the field."""
    data = presets.preset(FACTS, "finetune-64").model_dump(mode="json")
    data["workloads"][0]["training"]["zero_stage"] = 9
    token = base64.urlsafe_b64encode(zlib.compress(json.dumps(data).encode())).rstrip(b"=").decode()
    at = opened(s=token)
    assert any("zero" in str(one.value) for one in at.error)


def test_the_method_has_the_numbers_put_in() -> None:
    """States, layer in work, activations, logits and their sum as equations, with the sources below."""
    at = opened(preset="finetune-64")
    at.session_state["training.method"] = True
    at.session_state["training.sources.box"] = True
    at.run()
    assert not at.exception
    text = everything(at)
    for start in (
        "**Parameters of a rank**",
        "**States**",
        "**Layer in work**",
        "**Activations**",
        "**Logits**",
        "**Sum**",
    ):
        assert start in text
    assert f"{6 * 4096 * 128_256 / GIB:.2f} GiB" in text
    assert len(at.main.dataframe) == 1


def test_a_changed_scenario_survives_its_link() -> None:
    """A setup set by hand is in the token."""
    scenario: Scenario = changed(presets.preset(FACTS, "finetune-64"), ("workloads", 1, "training", "lora_rank"), 64)
    assert link.decode(link.encode(scenario)).workloads[1].setup.lora_rank == 64
