"""Layouts that are not ranked: what they hold, when they are listed, and that they never win."""

import math

import pytest

from lib.catalog import load
from lib.choice.deployments import considered
from lib.choice.layouts_beside import KINDS, MATTERS, Beside, Measured, kind_of, layouts_beside, measured_of
from lib.choice.presets import preset
from lib.choice.recommend import Recommendation, recommend
from lib.choice.scenario import Scenario, changed
from lib.choice.sized import architecture_of, known_bytes, settings_of
from lib.choice.unknowns import unknowns
from lib.present.open_questions import questions_table
from lib.present.recommend_layouts import considered_table, unranked_caption, unranked_note, unranked_words
from lib.present.text import words
from lib.records import Layout
from lib.sizing import overhead, weights
from lib.sizing.layouts import legal_layouts
from lib.sizing.memory import plan
from lib.units import GIB

FACTS = load()
SERVED = [one for one in FACTS.presets if preset(FACTS, one).workload.task in ("serve", "token-price")]
EN = words("en")


def answered(preset_id: str) -> tuple[Recommendation, dict[int, tuple[Beside, ...]]]:
    """The answer to a preset and the layouts beside it by the candidate's place."""
    found = recommend(FACTS, preset(FACTS, preset_id))
    return found, {one.place: layouts_beside(FACTS, found, one) for one in found.assessments}


def deepseek_r1() -> Scenario:
    """DeepSeek-R1 on eight H200 as the preset of DeepSeek-V3 asks for it: 4,096 tokens in, 1,024 out."""
    scenario = preset(FACTS, "deepseek-v3")
    model = changed(scenario, ("workloads", 0, "model"), "deepseek-r1")
    return changed(model, ("candidates",), ({"accelerator": "h200-sxm", "acquisition": "buy"},))


def test_deepseek_r1_with_data_parallel_attention_on_eight_h200_in_closed_form() -> None:
    """8 x floor((0.9 x memory - weights of a rank - workspace) / (5,120 x 70,272 bytes)): the latent cache is not copied."""
    scenario = deepseek_r1()
    found = recommend(FACTS, scenario)
    workload, part = scenario.workload, FACTS.accelerator("h200-sxm")
    model, layout = architecture_of(FACTS, workload), Layout(1, 1, 8, True)
    published = known_bytes(FACTS, workload)
    assert published is not None
    assert part.memory_usable_gib is not None
    computed = weights.checkpoint_bytes(model, "native", FACTS.weight_formats)
    on_rank = weights.bytes_per_gpu(model, "native", layout, FACTS.weight_formats) * published / computed
    taken = overhead.workspace(model, layout, settings_of(workload, scenario.engine, part)).base_bytes
    expected = 8 * math.floor((0.9 * part.memory_usable_gib * GIB - on_rank - taken) / (5_120 * 70_272))
    row = next(one for one in layouts_beside(FACTS, found, found.assessments[0]) if one.layout == layout)
    assert row.sequences == expected
    assert row.replicas == math.ceil(workload.concurrency / expected)
    assert row.times is not None
    assert row.times > MATTERS


@pytest.mark.parametrize("preset_id", SERVED)
def test_every_layout_listed_is_legal_and_holds_what_it_says_and_not_one_more(preset_id: str) -> None:
    """The plan of the memory room starts with the sequences listed, and not with one more on each rank."""
    found, beside = answered(preset_id)
    workload, engine = found.scenario.workload, found.scenario.engine
    for one in found.assessments:
        part, rows = one.cost.accelerator, beside[one.place]
        settings = settings_of(workload, engine, part)
        model = architecture_of(FACTS, workload)
        legal = legal_layouts(model, part.gpus_per_node, part.max_scale_up_gpus, "all-layouts")
        for row in rows:
            assert row.layout in legal
            assert kind_of(row.layout) == row.kind
            assert row.sequences >= row.layout.data_parallel_size
            held, beyond = (
                plan(
                    model, part.memory_usable_gib, row.layout, settings, workload.weight_format, workload.kv_format,
                    workload.context_tokens, sequences, FACTS.weight_formats, known_bytes(FACTS, workload),
                ).slack_bytes
                for sequences in (row.sequences, row.sequences + 1)
            )  # fmt: skip
            assert held is not None
            assert beyond is not None
            assert held >= 0 > beyond


@pytest.mark.parametrize("preset_id", SERVED)
def test_a_layout_that_is_not_ranked_never_wins_and_never_has_a_throughput(preset_id: str) -> None:
    """Fleets are of tensor parallelism alone, and the rows beside them stand without tokens per second and unchosen."""
    found, beside = answered(preset_id)
    for one in found.assessments:
        assert one.fleet is not None
        assert one.fleet.layout is None or kind_of(one.fleet.layout) is None
    table = considered_table(considered(found), beside, {kind: measured_of(FACTS, kind) for kind in KINDS}, EN)
    listed = table[table["Verdict"].str.startswith("not ranked")]
    assert len(listed) == sum(len(rows) for rows in beside.values())
    assert not listed["Tokens/s, 80 %"].any()
    assert set(table.loc[table["Verdict"] == "chosen", "Layout"]) <= {f"TP{2**power}" for power in range(7)}


@pytest.mark.parametrize("preset_id", SERVED)
def test_a_layout_is_listed_for_fewer_gpus_or_for_more_sequences(preset_id: str) -> None:
    """Fewer GPUs than the smallest ranked replica, or as many as the chosen one and more sequences; at most two of a kind."""
    found, beside = answered(preset_id)
    for one in found.assessments:
        assert one.fleet is not None
        live = [each for each in one.fleet.considered if each.sequences]
        smallest = min((each.layout.gpus for each in live), default=10**6)
        for row in beside[one.place]:
            on_as_many = one.fleet.layout is not None and row.layout.gpus == one.fleet.layout.gpus
            assert row.layout.gpus < smallest or (on_as_many and row.sequences > one.fleet.sequences)
        assert all(sum(row.kind == kind for row in beside[one.place]) <= 2 for kind in KINDS)


def test_a_part_on_which_nothing_ranked_fits_still_has_its_stages() -> None:
    """Llama 3.1 405B in 16 bit, 810 GB, on L40S of 46 GB: not on 16 or fewer, and in stages where tensor parallelism ends."""
    scenario = changed(preset(FACTS, "llama-405b"), ("candidates",), ({"accelerator": "l40s", "acquisition": "rent"},))
    found = recommend(FACTS, scenario)
    one = found.assessments[0]
    ranked = [each.layout.gpus for each in one.fleet.considered if each.sequences] if one.fleet else []
    rows = [row for row in layouts_beside(FACTS, found, one) if row.kind == "pipeline"]
    assert rows
    assert min(row.layout.gpus for row in rows) >= 810 / 46
    assert all(row.is_only == (not ranked) for row in rows)


def test_what_is_said_of_the_runs_follows_from_the_rows() -> None:
    """Every pipelined run states its stages in its note; those with data-parallel attention carry the flag of the table."""
    rows = FACTS.measured["serving"]
    staged = rows[rows["note"].str.contains(r"TP\d+ x PP\d+") & (rows["metric"] == "output_tokens_per_s")]
    pipeline, data = (measured_of(FACTS, kind) for kind in KINDS)
    assert 0 < pipeline.runs <= len(staged)
    assert set(pipeline.accelerators) <= {FACTS.accelerator(one).short_name for one in staged["accelerator_id"]}
    flagged = rows[rows["dp_attention"] & (rows["metric"] == "output_tokens_per_s")]
    assert 0 < data.runs <= len(flagged)
    said = unranked_words(data, EN)
    assert f"{data.runs} measured runs" in said
    assert all(one in said for one in (*data.accelerators, *data.models))
    _found, beside = answered("deepseek-v3")
    caption = unranked_caption(beside, {"pipeline": pipeline, "data": data}, EN)
    assert caption.count("not ranked: ") == 2
    assert said in caption


def test_without_a_run_the_words_say_so() -> None:
    """An edition without such a row has none to count, and the phrase says that instead of a zero."""
    nothing = [Measured(kind, 0, 0, (), (), None) for kind in KINDS]
    assert unranked_words(nothing[0], EN) == "not ranked: no measured run states pipeline stages"
    assert "no measured run" in unranked_words(nothing[1], EN)


def test_what_a_layout_would_change_is_said_and_asked_of_the_vendor() -> None:
    """DeepSeek-V3 on eight B200: the note and the questions name the layouts that hold 1.5 times the sequences or more."""
    found, beside = answered("deepseek-v3")
    note = unranked_note(found, beside, EN)
    assert "(DP8 EP) times as many sequences as in TP8" in note
    asked = [one for one in unknowns(FACTS, found) if one.code == "layout-rate"]
    assert {one.values["layout"] for one in asked} >= {Layout(1, 1, 8, True)}
    table = questions_table(asked, EN)
    assert table.iloc[:, 2].str.contains("V3 in fp8-block128 at 64 requests at once").all()


def test_where_a_layout_would_change_nothing_nothing_is_asked() -> None:
    """Eight H200 hold Llama 3.3 70B in tensor parallelism as well as in any other layout."""
    found, beside = answered("serve-70b")
    assert unranked_note(found, beside, EN) == ""
    assert not [one for one in unknowns(FACTS, found) if one.code == "layout-rate"]


@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_no_question_is_empty(preset_id: str) -> None:
    """What goes into a request for quotation asks something: each entry has words, not the code of the program."""
    table = questions_table(unknowns(FACTS, recommend(FACTS, preset(FACTS, preset_id))), EN)
    assert all(table.iloc[:, 2].str.len() > 20)
