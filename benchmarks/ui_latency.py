"""From a change to the repainted page, beside the floor that Streamlit and Plotly set, in a real browser.

    python -m benchmarks.ui_latency --page cost --control "Electricity price" --charts 3

Serves the app and a floor app (one slider, one bar chart) and presses ArrowRight on the named slider, or ArrowUp in the named
number input. It walks one way, so that no state is seen twice and no cache answers. For each press: *first* is until the first changed chart is
painted, *settled* until the script is idle and the page has stopped changing. The two apps are measured in turn, so
that their ratio holds on a noisy machine. Fewer visible charts than expected, or a page whose words did not change on
a press, is an error: then nothing was measured.
"""

import argparse
import json
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.browser import chromium
from tests.browser.app_server import running_app

APP: Final = Path(__file__).resolve().parents[1] / "app.py"
FLOOR: Final = """
import streamlit as st
import plotly.graph_objects as go
height = st.slider("Floor", 0, 1000, 100)
st.plotly_chart(go.Figure(go.Bar(x=["a", "b", "c"], y=[height, height + 1, height + 2])))
"""
MAIN: Final = "[data-testid=stMain]"
CHART: Final = ".js-plotly-plot, .stVegaLiteChart"
DRAWN: Final = ".js-plotly-plot .main-svg, .stVegaLiteChart canvas, .stVegaLiteChart svg"
WARM_UP: Final = 2
SETTLING_MS: Final = 1500

WATCH: Final = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  window.seen = {pressed: 0, first: 0, last: 0};
  new MutationObserver(changes => {
    const now = performance.now(), seen = window.seen;
    if (!seen.pressed) return;
    for (const change of changes) {
      const element = change.target.nodeType === 1 ? change.target : change.target.parentElement;
      if (!element || !element.closest('[data-testid=stMain]')) continue;
      seen.last = now;
      if (!seen.first && element.closest('.js-plotly-plot, .stVegaLiteChart, [data-testid=stMetric]')) seen.first = now;
    }
  }).observe(app, {subtree: true, childList: true, characterData: true, attributes: true});
  document.addEventListener('keydown', () => { window.seen = {pressed: performance.now(), first: 0, last: 0}; }, true);
}"""
SETTLED: Final = """() => {
  const seen = window.seen, app = document.querySelector('[data-testid=stApp]');
  const idle = app.getAttribute('data-test-script-state') === 'notRunning';
  return seen.pressed && seen.last && idle && performance.now() - seen.last > 250
    ? {first: (seen.first || seen.last) - seen.pressed, settled: seen.last - seen.pressed} : null;
}"""


@dataclass
class Bench:
    """One app under measurement: its page, its slider and what was measured."""

    page: Page
    slider: Locator
    first_chart_ms: float
    key: str = "ArrowRight"
    first_ms: list[float] = field(default_factory=list)
    settled_ms: list[float] = field(default_factory=list)

    @classmethod
    def open(cls, browser: Browser, url: str, control: str) -> "Bench":
        """Load the page in a profile of its own and put the focus on the control."""
        page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
        start = time.perf_counter()
        page.goto(url)
        page.wait_for_selector(DRAWN, timeout=60_000)
        first_chart_s = time.perf_counter() - start
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        page.wait_for_timeout(SETTLING_MS)
        slider = page.get_by_role("slider", name=control)
        if not slider.count():
            labelled = page.locator("[data-testid=stSlider]", has_text=control)
            slider = labelled.locator("[role=slider], input[type=range]")
        key = "ArrowRight"
        if not slider.count():
            slider, key = page.locator("[data-testid=stNumberInput]", has_text=control).locator("input"), "ArrowUp"
        page.evaluate(WATCH)
        slider.first.focus()
        return cls(page, slider.first, first_chart_s * 1000, key)

    def charts_visible(self) -> int:
        """Charts that a reader sees without a click."""
        return sum(chart.is_visible() for chart in self.page.locator(CHART).all())

    def press(self, *, counts: bool) -> None:
        """Move the control one step and wait until the page has settled."""
        words_before = self.page.locator(MAIN).inner_text()
        self.slider.press(self.key)
        times = self.page.wait_for_function(SETTLED, polling=20, timeout=30_000).json_value()
        if self.page.locator(MAIN).inner_text() == words_before:
            raise SystemExit("the page did not change: nothing was measured")
        if counts:
            self.first_ms.append(times["first"])
            self.settled_ms.append(times["settled"])

    def figures(self) -> dict[str, int]:
        """Medians and 95th percentiles [ms]."""
        return {
            "first_chart_ms": round(self.first_chart_ms),
            "first_median_ms": round(statistics.median(self.first_ms)),
            "first_p95_ms": round(percentile_95(self.first_ms)),
            "settled_median_ms": round(statistics.median(self.settled_ms)),
            "settled_p95_ms": round(percentile_95(self.settled_ms)),
        }


def percentile_95(values: list[float]) -> float:
    """The value that 95 % of the values do not exceed (nearest rank)."""
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def measure(app: Path, address: str, control: str, presses: int, charts: int) -> dict[str, object]:
    """Measure the app and the floor in turn, and return both with their ratio."""
    with ExitStack() as open_until_done:
        folders = [Path(open_until_done.enter_context(tempfile.TemporaryDirectory())) for _ in ("floor", "app")]
        floor_script = folders[0] / "floor.py"
        floor_script.write_text(FLOOR, encoding="utf-8")
        floor_server = open_until_done.enter_context(running_app(floor_script, folders[0]))
        app_server = open_until_done.enter_context(running_app(app.resolve(), folders[1]))
        browser = chromium.launch(open_until_done.enter_context(sync_playwright()))
        floor = Bench.open(browser, floor_server.url, "Floor")
        page = Bench.open(browser, f"{app_server.url}/{address}", control)
        visible = page.charts_visible()
        if visible < charts:
            raise SystemExit(f"{visible} charts are visible, {charts} expected")
        for number in range(WARM_UP + presses):
            for bench in (floor, page):
                bench.press(counts=number >= WARM_UP)
        browser.close()
    ratio = statistics.median(page.settled_ms) / statistics.median(floor.settled_ms)
    return {
        "floor": floor.figures(),
        "app": page.figures(),
        "charts_visible": visible,
        "settled_median_ratio": round(ratio, 2),
    }


def main() -> None:
    """Read the arguments, measure, print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", type=Path, default=APP, help="the script to serve; default: this app")
    parser.add_argument("--page", default="", help="path of the page; default: the front page")
    parser.add_argument("--query", default="", help="query of the page, such as ?preset=serve-70b")
    parser.add_argument("--control", required=True, help="label of the slider to move")
    parser.add_argument("--presses", type=int, default=30)
    parser.add_argument("--charts", type=int, default=1, help="charts that must be visible")
    options = parser.parse_args()
    report = measure(options.app, options.page + options.query, options.control, options.presses, options.charts)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
