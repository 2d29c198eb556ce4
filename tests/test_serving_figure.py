"""What is measured is drawn as points, what is computed as bands and dashed lines; no two can be taken for each other."""

import pytest

from lib import catalog
from lib.choice.operating_points import operating_points
from lib.choice.scenario import Workload
from lib.choice.serving_view import efficient, serving_view
from lib.present.figures.serving import EstimateBand, estimate_traces, throughput_chart
from lib.present.figures.style import looks
from lib.present.text import words

FACTS = catalog.load()
PARTS = ("h200-sxm", "mi300x")
BAND = EstimateBand((4.0, 64.0), (10.0, 60.0), (20.0, 120.0), (40.0, 300.0))


def test_an_estimate_is_a_band_and_its_bound_is_dashed() -> None:
    """Low and high are the invisible outline of one fill, the bound a dashed line, and neither has a marker or a source."""
    look = looks(FACTS.accelerators, dark=False)["mi300x"]
    fill, bound = estimate_traces(BAND, look)
    assert (fill["x"], fill["y"]) == ([4.0, 64.0, 64.0, 4.0], [10.0, 60.0, 120.0, 20.0])
    assert bound["y"] == [40.0, 300.0]
    assert fill["fill"] == "toself"
    assert fill["line"]["width"] == 0
    assert bound["line"]["dash"] == "dash"
    assert {one["mode"] for one in (fill, bound)} == {"lines"}
    assert not any(one["customdata"] for one in (fill, bound))


@pytest.mark.parametrize("dark", [False, True])
def test_a_band_goes_behind_the_measured_points_and_is_explained(dark: bool) -> None:
    """The band's traces come first, the subtitle says what band and dashes are, and the asked load is a dotted line."""
    runs = operating_points(FACTS.measured["serving"], "deepseek-r1", PARTS)
    view = serving_view(runs, PARTS, Workload(model="deepseek-r1"), shape="3200x800")
    assert view is not None
    drawn = {
        name: throughput_chart(
            FACTS, view, PARTS, looks(FACTS.accelerators, dark=dark), words("en"), dark=dark, asked=64.0, bands=bands
        )
        for name, bands in (("without", {}), ("with", {"mi300x": BAND}))
    }
    assert len(drawn["with"]["data"]) == len(drawn["without"]["data"]) + 2
    assert [trace["mode"] for trace in drawn["with"]["data"][:2]] == ["lines"] * 2
    subtitle = drawn["with"]["layout"]["title"]["subtitle"]["text"].replace("<br>", " ")
    assert "band: estimate; dashed: bound" in subtitle
    assert "band" not in drawn["without"]["layout"]["title"]["subtitle"]["text"]
    (line,) = drawn["with"]["layout"]["shapes"]
    assert (line["x0"], line["line"]["dash"]) == (64.0, "dot")


def test_the_frontier_keeps_what_no_run_of_the_part_beats() -> None:
    """Of three runs the one that is slower to the user and gives less is left out; another part's runs do not matter."""
    runs = operating_points(FACTS.measured["serving"], "deepseek-r1", PARTS)
    view = serving_view(runs, PARTS, Workload(model="deepseek-r1"), shape="3200x800")
    assert view is not None
    kept = efficient(view.charted)
    assert kept.any()
    for part in PARTS:
        own = view.charted[(view.charted["accelerator_id"] == part).to_numpy()]
        inside = own[kept[(view.charted["accelerator_id"] == part).to_numpy()]]
        for _label, run in own[own["interactivity_tokens_per_s"].notna()].iterrows():
            beaten = (inside["throughput"] >= run["throughput"]) & (
                inside["interactivity_tokens_per_s"] >= run["interactivity_tokens_per_s"]
            )
            assert beaten.any()


def test_a_band_has_a_gap_where_there_is_no_interval_and_its_middle_is_a_line() -> None:
    """Two stretches of known ends make two fills; the middle has words on hover and no source, as nothing measured."""
    band = EstimateBand(
        (1.0, 2.0, 4.0, 8.0, 16.0),
        (1.0, 2.0, None, 4.0, 5.0),
        (3.0, 4.0, None, 8.0, 9.0),
        (9.0,) * 5,
        (2.0, 3.0, None, 6.0, 7.0),
        ("a", "b", "c", "d", "e"),
    )
    traces = estimate_traces(band, looks(FACTS.accelerators, dark=False)["mi300x"])
    fills = [one for one in traces if "fill" in one]
    assert [one["x"] for one in fills] == [[1.0, 2.0, 2.0, 1.0], [8.0, 16.0, 16.0, 8.0]]
    assert [one["y"] for one in fills] == [[1.0, 2.0, 4.0, 3.0], [4.0, 5.0, 9.0, 8.0]]
    (middle,) = [one for one in traces if "hovertext" in one]
    assert middle["y"] == [2.0, 3.0, None, 6.0, 7.0]
    assert middle["customdata"] == []
