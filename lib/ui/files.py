"""Files that people take away: made when they are asked for, named after the scenario and the edition."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from lib.choice.costed import Costed
from lib.choice.scenario import Scenario
from lib.present.workbook import cost_workbook, file_name
from lib.present.workbook.flow_table import flows_csv
from lib.ui import cached, state

_XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def link_of(scenario: Scenario) -> str:
    """The whole address at which this page opens with a scenario; the query alone where the page has no address."""
    query = urlencode(state.address_of(scenario))
    parts = urlsplit(st.context.url or "")
    return urlunsplit(parts._replace(query=query, fragment=""))


def cost_files(scenario: Scenario, options: Sequence[Costed]) -> None:
    """Two buttons: the workbook with live formulas, and the monthly flows as CSV."""
    _ = state.text()
    facts, link = cached.facts(), link_of(scenario)
    with st.container(horizontal=True):
        st.download_button(
            _("Workbook with formulas (XLSX)"),
            data=lambda: cost_workbook(facts, scenario, options, _, link),
            file_name=file_name(facts, scenario, "xlsx"),
            mime=_XLSX,
            on_click="ignore",
            key="cost.workbook",
            icon=":material/table_view:",
            help=_(
                "Inputs with their sources, one sheet an option with every month, sensitivity: recalculates when you edit it."
            ),
        )
        st.download_button(
            _("Monthly flows (CSV)"),
            data=lambda: flows_csv(options),
            file_name=file_name(facts, scenario, "csv"),
            mime="text/csv",
            on_click="ignore",
            key="cost.flows",
            icon=":material/download:",
        )
