"""The benchmarks page answers with measured ratios, by the reader's choice of parts, runs and section."""

import json
import re
from typing import Any

import pytest

from lib.choice import link
from lib.choice.scenario import changed
from tests.benchmark_page import (
    EIGHT,
    FACTS,
    captions,
    charts,
    chosen,
    of_parts,
    opened,
    points,
    rows_of,
    seen,
    unfolded,
    value_of,
)


def test_the_answer_holds_the_ratios_of_the_table() -> None:
    """MI300X over H100 in llama2-70b Offline v4.1: AMD over NVIDIA and Dell over Dell on eight each (2 decimals)."""
    vendors = value_of(**EIGHT, submitter="AMD", accelerator_id="mi300x") / value_of(
        **EIGHT, submitter="NVIDIA", accelerator_id="h100-sxm"
    )
    dell = value_of(**EIGHT, submitter="Dell", accelerator_id="mi300x") / value_of(
        **EIGHT, submitter="Dell", accelerator_id="h100-sxm"
    )
    at = opened(seen("serve-70b"))
    assert at.title[0].value == "What has been measured?"
    sentence = at.markdown[0].value
    assert f"**{vendors:.2f}×**" in sentence
    assert f"**{dell:.2f}×**" in sentence
    assert "no like-for-like serving pair" in sentence
    assert "differs in model" in sentence
    assert [metric.value for metric in at.metric][:2] == [f"{vendors:.2f}×", f"{dell:.2f}×"]


def test_one_publisher_is_quoted_at_few_and_at_many_requests() -> None:
    """DeepSeek-R1 by dstack on vLLM, MI300X over H200 on eight each: 0.56 at 4 and 1.23 at 128, the latter queue-limited."""

    def per_gpu(part: str, load: str) -> set[float]:
        return {
            float(row["value"])
            for row in rows_of("serving")
            if row["source_id"] == "dstack-dsr1-online" and row["metric"] == "output_tokens_per_s"
            and (row["engine"], row["accelerator_id"], row["concurrency"]) == ("vllm", part, load)
        }  # fmt: skip

    expected = {
        load: {f"{a / b:.2f}" for a in per_gpu("mi300x", load) for b in per_gpu("h200-sxm", load)}
        for load in ("4", "128")
    }
    scenario = of_parts(seen("serve-70b"), "h200-sxm", "mi300x")
    scenario = changed(scenario, ("workloads", 0, "model"), "deepseek-r1")
    sentence = opened(scenario).markdown[0].value
    found = re.search(
        r"dstack \(vllm, independent, 2025-03-18, equal GPU counts\) measured \*\*([\d.]+)×\*\* of H200 SXM at 4 and "
        r"\*\*([\d.]+)×\*\* at 128 requests at once, the latter queue-limited",
        sentence,
    )
    assert found
    assert found[1] in expected["4"]
    assert found[2] in expected["128"]
    assert (found[1], found[2]) == ("0.56", "1.23")


def test_the_answer_follows_the_base() -> None:
    """Measured against H200 the sentence is about MI300X over H200, with the ratio of that test (2 decimals)."""
    at = opened(seen("serve-70b"))
    chosen(at, "Measured against").set_value("h200-sxm").run()
    assert not at.exception
    h200 = [
        float(row["value"])
        for row in rows_of("mlperf_inference")
        if all(row[name] == cell for name, cell in EIGHT.items())
        and (row["submitter"], row["accelerator_id"]) == ("NVIDIA", "h200-sxm")
    ]
    ratio = value_of(**EIGHT, submitter="AMD", accelerator_id="mi300x") / max(h200)
    assert f"**{ratio:.2f}×** of H200" in at.markdown[0].value


def test_a_model_with_pairs_is_answered_with_both_kinds_apart() -> None:
    """Llama 3.1 405B on MI300X and H100 has pairs of both kinds (34 = 17 loads x two checkpoints on MI300X): each range and count stands alone, none is pooled."""
    at = unfolded(seen("llama-405b"))
    sentence = at.markdown[0].value
    assert re.search(r"at equal GPU counts \(median [\d.]+, 34 pairs", sentence)
    assert re.search(r"at its own GPU count \(median [\d.]+, 14 pairs", sentence)
    assert "dstack (vllm, independent" in sentence
    assert "48 pairs of runs" in captions(at)
    summary = next(frame.value for frame in at.dataframe if "Kind of pair" in frame.value.columns)
    assert set(summary["Kind of pair"]) == {"Equal GPU counts", "Own GPU counts"}
    of_model = summary[summary["Models"].str.contains("405B")]
    assert of_model.groupby("Kind of pair")["Pairs"].sum().to_dict() == {"Equal GPU counts": 34, "Own GPU counts": 14}


def test_the_barred_comparison_is_nowhere() -> None:
    """MI355X and B200 in v6.1: one of them is left out and named, and no ratio of the two is in the answer."""
    view = {"mlperf_model": "gpt-oss-120b", "mlperf_scenario": "Offline", "mlperf_round": "v6.1"}
    at = unfolded(of_parts(seen("deepseek-v4", **view), "b200-sxm", "mi355x", "b300-sxm"))
    assert "not to be published" in at.markdown[0].value
    assert "MI355X left out" in captions(at)
    strip = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert {trace["name"] for trace in strip["data"]} == {"B200", "B300"}
    glance = at.table[0].value
    assert glance[glance.iloc[:, 0] == "MI355X"].iloc[:, 1:4].to_numpy().tolist() == [["not measured"] * 3]


def test_independent_publishers_alone_are_shown_on_request() -> None:
    """With the filter no point is outlined, fewer are drawn, and the answer says whose runs it reads."""
    asked = {"serving_model": "deepseek-r1", "serving_shape": "1024x1024", "section": "load"}
    scenario = of_parts(seen("serve-70b", **asked), "b200-sxm", "mi355x")
    every = opened(scenario)
    alone = opened(changed(scenario, ("view", "publishers"), "independent"))
    assert "among runs of independent publishers" in alone.markdown[0].value
    drawn = []
    for at in (every, alone):
        figure: dict[str, Any] = next(
            (one for title, one in charts(at).items() if title.startswith("Highest measured")), {"data": []}
        )
        widths = [width for trace in figure["data"] if "marker" in trace for width in trace["marker"]["line"]["width"]]
        drawn.append((len(list(points(figure))), max(widths, default=0)))
    assert drawn[0][1] > 0
    assert drawn[1][1] == 0
    assert drawn[1][0] < drawn[0][0]


def test_the_date_slider_edits_the_scenario() -> None:
    """One step to the right keeps the runs of that day or later, and the record holds the day."""
    at = opened(seen("serve-70b"))
    slider = next(one for one in at.select_slider if one.label == "Runs since")
    slider.set_value(slider.options[3]).run()
    assert not at.exception
    assert at.session_state.scenario.view.since == slider.options[3]
    assert f"dated {slider.options[3]} or later" in at.markdown[0].value


def test_an_edit_of_the_workload_changes_the_answer() -> None:
    """Another model in the sidebar gives another sentence, and the link holds it."""
    at = opened(seen("serve-70b"))
    before = at.markdown[0].value
    chosen(at, "Model").set_value("llama-3.1-405b").run()
    assert not at.exception
    assert at.markdown[0].value != before
    assert "34 pairs" in at.markdown[0].value
    token = at.query_params["s"]
    assert link.decode(token if isinstance(token, str) else token[0]).workload.model == "llama-3.1-405b"


def test_a_choice_of_test_stands_in_the_link() -> None:
    """Round and test are bound to the scenario; a round without the test falls back and says so."""
    at = opened(seen("serve-70b"))
    chosen(at, "Round").set_value("v5.1").run()
    token = at.query_params["s"]
    assert link.decode(token if isinstance(token, str) else token[0]).view.mlperf_round == "v5.1"
    chosen(at, "MLPerf test").set_value(("gpt-oss-120b", "Offline")).run()
    assert not at.exception
    assert "MLPerf has no v5\\.1 result" in captions(at)


@pytest.mark.parametrize("preset", list(FACTS.presets))
def test_every_preset_opens(preset: str) -> None:
    """The page of each preset has its question, an answer and no exception."""
    at = opened(seen(preset))
    assert at.title[0].value == "What has been measured?"
    assert len(at.markdown[0].value) > 40


@pytest.mark.parametrize("preset", ["deepseek-v4", "image-generation", "token-price", "train-long-sequence"])
def test_every_section_opens(preset: str) -> None:
    """Mixtures, images, one part alone and training: each section has the answer above it and no exception."""
    at = opened(seen(preset))
    for section in ("pairs", "load", "training", "micro", "kit", "accuracy"):
        chosen(at, "Show").set_value(section).run()
        assert not at.exception
        assert len(at.markdown[0].value) > 40


def test_at_most_eight_controls_stand_in_the_page() -> None:
    """Each section shows eight controls of its own or fewer, the choice of section among them."""
    at = opened(seen("serve-70b"))
    for section in ("pairs", "load", "training", "micro", "kit", "accuracy"):
        chosen(at, "Show").set_value(section).run()
        kinds = ("selectbox", "radio", "select_slider", "slider", "multiselect", "number_input", "checkbox", "toggle")
        assert sum(len(at.main.get(kind)) for kind in kinds) <= 8


def test_training_is_answered_by_training() -> None:
    """Fine-tuning on H200 and MI325X: the best times on eight in v5.1, one over the other (2 decimals), and how thin the rest is."""
    at = opened(of_parts(seen("finetune-64"), "h200-sxm", "mi325x"))

    def best(part: str) -> float:
        return min(
            float(row["time_to_train_minutes"])
            for row in rows_of("mlperf_training")
            if (row["benchmark"], row["round"], row["accelerator_count"]) == ("llama2_70b_lora", "v5.1", "8")
            and row["accelerator_id"] == part
        )

    ratio = f"{best('h200-sxm') / best('mi325x'):.2f}"
    assert f"**{ratio}×** the speed of H200 SXM on 8 accelerators each" in at.markdown[0].value
    assert at.metric[0].value == f"{ratio}×"
    assert any("Training data of AMD's parts are thin" in one.value for one in at.markdown)


def test_images_are_answered_by_mlperf_alone() -> None:
    """Image generation shows samples per second and says that no serving run exists; a model can still be chosen."""
    at = opened(seen("image-generation"))
    assert "measured by MLPerf alone" in at.markdown[0].value
    strip = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert strip["layout"]["xaxis"]["title"]["text"].startswith("samples/s")
    chosen(at, "Show").set_value("load").run()
    chosen(at, "Served model").set_value("llama-3.3-70b").run()
    assert not at.exception
    assert any(title.startswith("Highest measured") for title in charts(at))


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ({"mlperf_round": "v9.9"}, "MLPerf has no v9\\.9 result"),
        ({"mlperf_model": "zzz"}, "MLPerf has no zzz result"),
        ({"section": "load", "serving_model": "zzz"}, "zzz has no serving run on these parts"),
        ({"section": "load", "serving_shape": "9999999x1"}, "No run of about 9999999x1 tokens"),
        ({"section": "load", "serving_shape": "0x0"}, ""),
        ({"section": "load", "serving_engine": "zzz"}, ""),
        ({"since": "9999-12-31"}, ""),
        ({"section": "training", "training_benchmark": "zzz", "training_round": "v9.9"}, ""),
        ({"section": "micro", "micro": "gemm", "micro_format": "zzz"}, ""),
        ({"section": "kit", "kit_part": "zzz"}, ""),
    ],
)
def test_a_view_of_what_does_not_exist_says_so(view: dict[str, str], words: str) -> None:
    """A link into a round, model, shape, engine or day that was never measured names it or shows what was."""
    at = opened(seen("llama-405b", **view))
    assert words in captions(at)
    assert at.metric


def test_one_part_alone_asks_for_a_second() -> None:
    """Without anything to compare with, the page says what to do and still shows what was measured."""
    at = opened(of_parts(seen("serve-70b"), "h100-sxm"))
    assert "Choose a second part" in at.markdown[0].value
    assert at.get("plotly_chart")
