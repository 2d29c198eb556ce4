"""The four charts of the cost page, made before anything is shown.

What a page emits in one go the browser lays out in one go: work between two elements costs a layout of the whole page.
"""

from typing import NamedTuple

import streamlit as st

from lib.choice.cost_view import CostView
from lib.present import cost_drivers, cost_findings
from lib.present.figures import cost as figures
from lib.present.figures import cost_spread
from lib.present.figures.style import Figure
from lib.ui import cached, show, state


class Chart(NamedTuple):
    """A figure with its title and conditions, its finding in words, and its key."""

    figure: Figure
    title: str
    subtitle: str
    alt: str
    key: str

    def show(self) -> None:
        """Put it where the page stands, its title above it: there a narrow screen breaks the line."""
        st.markdown(f"**{self.title}**  \n:small[{self.subtitle}]")
        show.chart(self.figure, alt=self.alt, key=self.key)


def charts(view: CostView) -> tuple[Chart, ...]:
    """Curves, components, tornado and spread; none where nothing has a cost."""
    _ = state.text()
    dark = show.dark()
    looks = cached.looks(dark)
    if not view.order or view.first is None:
        return ()
    bars = [one.bar for one in cost_drivers.moving_bars(view)]
    return (
        Chart(
            figures.cumulative_chart(view, looks, _, dark=dark),
            cost_findings.curves_title(view, _),
            cost_findings.curves_subtitle(view, _),
            cost_findings.curves_in_words(view, _),
            "cost.curves",
        ),
        Chart(
            figures.components_chart(view, _, dark=dark),
            cost_findings.components_title(view, _),
            cost_findings.components_subtitle(view, _),
            cost_findings.components_in_words(view, _),
            "cost.components",
        ),
        Chart(
            cost_spread.tornado_chart(bars, cost_drivers.tornado_labels(view, _), view.first, _, dark=dark),
            cost_drivers.tornado_title(view, _),
            cost_drivers.tornado_subtitle(view, _),
            cost_drivers.tornado_in_words(view, _),
            "cost.tornado",
        ),
        Chart(
            cost_spread.spread_chart(view, looks, _, dark=dark),
            cost_findings.spread_title(view, _),
            cost_findings.spread_subtitle(view, _),
            cost_findings.spread_in_words(view, _),
            "cost.spread",
        ),
    )
