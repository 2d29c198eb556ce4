"""Packages, memory, formats, fabric and roofline: every figure equals its row, and the points agree with the bounds."""

import csv
from pathlib import Path
from typing import Any

import pytest

from lib import catalog
from lib.choice import chip, chip_fabric, chip_roofline, presets
from lib.choice.scenario import changed
from lib.choice.throughput_view import throughput_view
from lib.present import inside, inside_limits, inside_numbers
from lib.present.figures import inside as drawings
from lib.present.figures import inside_charts, inside_roofline, style
from lib.present.text import words
from lib.records import Accelerator
from lib.sizing.rates import peak_flops_per_s

DATA = Path(__file__).resolve().parent.parent / "data"
FACTS = catalog.load()
PARTS = tuple(FACTS.accelerators.values())
LOOKS = style.looks(FACTS.accelerators, dark=False)
_ = words("en")


def rows_of(table: str) -> list[dict[str, str]]:
    """A table read by the standard library alone."""
    with (DATA / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ACCELERATORS = {row["accelerator_id"]: row for row in rows_of("accelerators")}
CHIPLETS = {(row["accelerator_id"], row["quantity"]): row for row in rows_of("chiplets")}


def part(name: str) -> Accelerator:
    """A part of the catalogue."""
    return FACTS.accelerator(name)


def marks(figure: dict[str, Any]) -> list[list[Any]]:
    """Part, quantity and value (with source and place where it is measured) of every mark of a figure."""
    return [mark for trace in figure["data"] for mark in trace.get("customdata", [])]


def test_links_times_their_bandwidth_is_the_bandwidth_of_the_part() -> None:
    """Where a source counts links and rates one, the product is the catalogue's figure (0.3 %)."""
    both = [name for name, quantity in CHIPLETS if quantity == "link_gbs" and (name, "links") in CHIPLETS]
    assert {"mi300x", "mi355x", "h100-sxm"} <= set(both)
    for name in both:
        if rated := ACCELERATORS[name]["interconnect_gbs"]:
            product = float(CHIPLETS[name, "links"]["value"]) * float(CHIPLETS[name, "link_gbs"]["value"])
            assert product == pytest.approx(float(rated), rel=0.003)


def test_units_of_the_dies_add_up_to_the_part() -> None:
    """Dies times enabled units of a die are the units of the part, and no more are enabled than built (exact)."""
    for (name, quantity), row in CHIPLETS.items():
        if quantity != "units_per_die":
            continue
        taken = chip.package(FACTS, part(name))
        assert (taken.count("compute_dies") or 0) * int(row["value"]) == taken.count("units")
        assert int(row["value"]) <= int(CHIPLETS[name, "units_on_die"]["value"])


def test_stacks_hold_the_label() -> None:
    """Stacks times the capacity of one are the label or at most 7 % more: vendors hold some back."""
    for (name, quantity), row in CHIPLETS.items():
        if quantity == "stack_gb":
            whole = float(row["value"]) * float(CHIPLETS[name, "hbm_stacks"]["value"])
            assert 1 <= whole / float(ACCELERATORS[name]["memory_gb"]) <= 1.07


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("mi300x", "MI300X: 8 XCD on 4 IOD, 8 HBM3 stacks of 24 GB"),
        ("mi325x", "MI325X: 8 XCD on 4 IOD, 8 HBM3E stacks of 32 GB"),
        ("mi355x", "MI355X: 8 XCD on 2 IOD, 8 HBM3E stacks of 36 GB"),
        ("b200-sxm", "B200: 2 dies, 8 HBM3e stacks of 24 GB"),
        ("h100-sxm", "H100 SXM: one die, 5 HBM3 stacks of 16 GB"),
        ("mi250x", "MI250X: 2 GCD, 8 HBM2e stacks of 16 GB"),
        ("h20", "H20: dies not published, HBM3, stacks not published"),
    ],
)
def test_a_package_is_what_its_vendor_describes(name: str, title: str) -> None:
    """Dies and stacks as in the vendors' descriptions; what nobody publishes says so."""
    taken = chip.package(FACTS, part(name))
    assert inside.package_title(taken, _) == title
    assert inside.package_in_words(taken, _).startswith(title)


@pytest.mark.parametrize("name", list(FACTS.accelerators))
def test_a_drawing_has_as_many_boxes_as_the_catalogue_counts(name: str) -> None:
    """One label for each compute die, I/O die and place for a stack; every labelled value is the package's (exact)."""
    taken = chip.package(FACTS, part(name))
    figure = drawings.package_chart(taken, LOOKS[name], _, dark=False)
    labels = marks(figure)
    stacks, dies, below = (taken.count(one) for one in ("hbm_stacks", "compute_dies", "io_dies"))
    sites = taken.count("hbm_sites")
    places = 0 if stacks is None else max(stacks, sites or 0)
    assert len(labels) == (dies or 1) + (below or 0) + places
    assert len(figure["layout"]["shapes"]) == 1 + len(labels)
    for owner, quantity, value in labels:
        assert owner == name
        assert value == taken.data[quantity].value
    table = ACCELERATORS[name]["chiplets"]
    if dies is not None and table:
        assert table.startswith(str(dies))


def test_every_quantity_is_its_cell() -> None:
    """Published figures of the pictures of memory, compute and fabric equal the files' cells, for every part (exact)."""
    memory = chip.memory_systems(FACTS, PARTS)
    formats = {named: [chip.format_rate(FACTS, one, named) for one in PARTS] for named in chip.FORMATS}
    fabrics = chip_fabric.fabrics(FACTS, PARTS)
    micro = {(row["source_id"], row["locator"], float(row["value"])) for row in rows_of("micro")}
    figures = (
        inside_charts.memory_chart(memory, LOOKS, _, dark=False),
        inside_charts.compute_chart(formats, LOOKS, _, dark=True),
        inside_charts.fabric_chart(fabrics, LOOKS, _, dark=False),
        *(drawings.topology_chart(one, LOOKS[one.part.accelerator_id], _, dark=False) for one in fabrics),
    )
    checked = 0
    for name, quantity, value, *place in (mark for figure in figures for mark in marks(figure)):
        if place:
            assert (place[0], place[1], value) in micro
        elif quantity in ACCELERATORS[name]:
            cell = ACCELERATORS[name][quantity]
            assert value == (float(cell) if cell else None)
        elif (name, quantity) in CHIPLETS:
            assert value == float(CHIPLETS[name, quantity]["value"])
        else:
            assert quantity in ("bytes_per_kiloflop", "peer_gbs", "one_way_gbs", "switches")
        checked += 1
    assert checked > 400


def test_bars_are_as_long_as_their_values() -> None:
    """What is drawn is what is said: a bar's end is its value, dense and sparse stacked (1e-9)."""
    formats = {named: [chip.format_rate(FACTS, one, named) for one in PARTS[:4]] for named in chip.FORMATS}
    for trace in inside_charts.compute_chart(formats, LOOKS, _, dark=False)["data"]:
        starts = trace.get("base", [0] * len(trace["x"]))
        for start, length, (_name, _field, value) in zip(starts, trace["x"], trace["customdata"], strict=True):
            assert start + length == pytest.approx(value or 0, abs=1e-9)


def test_bytes_for_each_operation_follow_from_two_cells() -> None:
    """5.3 TB/s over 1,307.4 TFLOPS are 4.05 bytes for 1,000 operations; 3.35 over 989.4 are 3.39 (two decimals)."""
    found = chip.memory_systems(FACTS, (part("mi300x"), part("h100-sxm")))
    assert [round(one.data["bytes_per_kiloflop"].value or 0, 2) for one in found] == [4.05, 3.39]


def test_only_tests_that_read_count_as_reading() -> None:
    """MI300X: the stream that only stores is faster (4,849 GB/s) and is not taken; the reading one is 4,199 (exact)."""
    (found,) = chip.memory_systems(FACTS, (part("mi300x"),))
    assert max(row.value or 0 for row in found.rows) == 4849
    assert found.reading.value == pytest.approx(4.199, abs=1e-12)


def test_a_format_is_none_only_where_a_source_says_so() -> None:
    """H100 has no FP4 units; nobody speaks of the FP4 of Gaudi 3; B200 publishes it."""
    found = {name: chip.format_rate(FACTS, part(name), "fp4") for name in ("h100-sxm", "gaudi3", "b200-sxm")}
    assert [inside.rate_words(one.dense, _) for one in found.values()] == ["none", "not published", "9,000"]
    assert found["h100-sxm"].dense.sources


def test_no_part_that_publishes_a_rate_is_said_to_have_no_units() -> None:
    """A fact of no units never stands beside a published peak."""
    for name, quantity in CHIPLETS:
        if quantity.endswith("_units"):
            assert CHIPLETS[name, quantity]["value"] == "0"
            assert not ACCELERATORS[name][chip.PEAK_FIELDS[quantity.removesuffix("_units")]]


def test_a_mesh_gives_one_peer_one_link_and_a_switch_all() -> None:
    """One way: 64 GB/s of MI300X (128 / 2), 450 of H100 (900 / 2); nothing where the direction is not stated (exact)."""
    found = {one.part.accelerator_id: one for one in chip_fabric.fabrics(FACTS, PARTS)}
    assert found["mi300x"].topology == "mesh"
    assert found["mi300x"].data["peer_gbs"].value == 64
    assert found["h100-sxm"].topology == "switch"
    assert found["h100-sxm"].data["peer_gbs"].value == 450
    assert found["mi400-series"].data["one_way_gbs"].value is None
    assert found["gaudi3"].data["peer_gbs"].value is None


def test_all_reduce_in_the_headline_states_its_gpus() -> None:
    """The best row of eight MI300X that states the eight, 316.82 GB/s, not the 350 of two nodes (exact)."""
    (found,) = chip_fabric.fabrics(FACTS, (part("mi300x"),))
    assert found.data["all_reduce_gbs"].value == 316.82
    assert found.data["all_reduce_share"].value == pytest.approx(316.82 / 448, rel=1e-12)
    assert 350 not in {row.value for row in found.rows}


@pytest.mark.parametrize("preset_id", ["serve-70b", "deepseek-v3", "llama-405b", "long-context"])
def test_the_longest_time_is_the_bound_of_the_throughput_page(preset_id: str) -> None:
    """Prefill and decode take at least what the estimates give as bounds of TTFT and TPOT, on every part (1e-9)."""
    scenario = presets.preset(FACTS, preset_id)
    parts = tuple(part(one) for one in dict.fromkeys(one.accelerator for one in scenario.candidates))
    found = chip_roofline.roofs(FACTS, scenario.workload, scenario.engine, parts)
    for roof, one in zip(
        found, throughput_view(FACTS, scenario.workload, scenario.engine, parts, None).parts, strict=True
    ):
        if not roof.points:
            continue
        times = [point.least_ms for point in roof.points]
        assert times == pytest.approx([one.bounds_ms[0], one.bounds_ms[1]], rel=1e-9)


def test_a_point_lies_on_the_roof_that_binds_it() -> None:
    """16-bit weights: a memory-bound point's rate is intensity x bandwidth, a compute-bound one's the peak (1e-9)."""
    scenario = presets.preset(FACTS, "serve-70b")
    for roof in chip_roofline.roofs(FACTS, scenario.workload, scenario.engine, (part("h100-sxm"), part("h200-sxm"))):
        prefill, decode = roof.points
        assert decode.limit == "memory"
        assert prefill.limit == "compute"
        width = float(ACCELERATORS[roof.part.accelerator_id]["memory_bandwidth_tbs"])
        assert decode.bound_tflops == pytest.approx(decode.flop_per_byte * width, rel=1e-9)
        assert prefill.bound_tflops == pytest.approx(
            float(ACCELERATORS[roof.part.accelerator_id]["fp16_bf16_dense_tflops"]), rel=1e-9
        )


def test_decode_of_one_sequence_does_one_operation_a_byte() -> None:
    """Two operations for each 16-bit weight of two bytes: one a byte with a short cache (2 %)."""
    scenario = presets.preset(FACTS, "serve-70b")
    for field, value in (("concurrency", 1), ("input_tokens", 16), ("output_tokens", 16)):
        scenario = changed(scenario, ("workloads", 0, field), value)
    (roof,) = chip_roofline.roofs(FACTS, scenario.workload, scenario.engine, (part("mi300x"),))
    assert roof.points[1].flop_per_byte == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize("word", list(FACTS.weight_formats))
def test_the_named_peak_is_the_peak_that_binds(word: str) -> None:
    """For every part and weight format the column that the table names holds the peak that is drawn (exact)."""
    for one in PARTS:
        roof = chip_roofline.roof_of(one, word)
        peak = peak_flops_per_s(one, word)
        if roof.peak_tflops is not None:
            assert getattr(one, roof.peak_field) == roof.peak_tflops == pytest.approx(peak / 1e12, rel=1e-12)


def test_the_roofline_draws_what_the_catalogue_says() -> None:
    """Ends of the dashed roofs are intensity x bandwidth and the peak; points carry their own numbers (1e-9)."""
    scenario = presets.preset(FACTS, "serve-70b")
    parts = (part("mi300x"), part("h100-sxm"))
    found = chip_roofline.roofs(FACTS, scenario.workload, scenario.engine, parts)
    memory = chip.memory_systems(FACTS, parts)
    figure = inside_roofline.roofline_chart(found, memory, LOOKS, _, dark=False)
    dashed = [trace for trace in figure["data"] if trace["mode"] == "lines" and trace["line"].get("dash") == "dash"]
    for trace, one in zip(dashed, parts, strict=True):
        row = ACCELERATORS[one.accelerator_id]
        assert trace["y"][0] == pytest.approx(trace["x"][0] * float(row["memory_bandwidth_tbs"]), rel=1e-9)
        assert trace["y"][-1] == float(row["fp16_bf16_dense_tflops"])
    for trace in figure["data"]:
        if trace["mode"] == "markers":
            assert trace["y"][0] == trace["customdata"][0][2]


def test_a_near_tie_is_called_one() -> None:
    """Two MI300X with the measured all-reduce of two: links and compute within a few per cent, so neither binds alone."""
    scenario = presets.preset(FACTS, "serve-70b")
    found = chip_roofline.roofs(FACTS, scenario.workload, scenario.engine, (part("mi300x"),))
    point = found[0].point("prefill")
    assert point is not None
    assert point.is_tie
    assert "compute and the links between GPUs alike" in inside_limits.limits(found, "prefill", _)


def test_training_has_no_points_and_says_so() -> None:
    """Roofs stand, points do not."""
    scenario = presets.preset(FACTS, "pretrain-256")
    parts = (part("mi300x"), part("h100-sxm"))
    found = chip_roofline.roofs(FACTS, scenario.workload, scenario.engine, parts)
    assert not any(one.points for one in found)
    assert all(one.ridge for one in found)
    sentence = inside_limits.answer(FACTS, scenario.workload, found, [chip.package(FACTS, one) for one in parts], _)
    assert "serves no tokens" in sentence


def test_every_known_value_of_a_table_has_source_and_date() -> None:
    """Published and measured values name a source; a blank is said to be not published or not measured, never 0."""
    data = [one.data[name] for name in chip.PACKAGE for one in (chip.package(FACTS, each) for each in PARTS)]
    data += [one.data[name] for name in chip.MEMORY for one in chip.memory_systems(FACTS, PARTS)]
    data += [one.data[name] for name in chip_fabric.FABRIC for one in chip_fabric.fabrics(FACTS, PARTS)]
    table = inside_numbers.values_table(FACTS, data, _)
    known = table[table["Kind"].isin(["published", "measured", "derived"])]
    assert (known["Source"] != "").all()
    assert (known["Date"] != "").all()
    unknown = table[table["Kind"] == "not known"]
    assert set(unknown["Value"]) <= {"not published", "not measured"}
    assert not (table["Value"] == "").any()
