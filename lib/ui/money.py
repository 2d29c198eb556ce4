"""Controls for money: the price of one option, the sliders that move most, and the rest on demand."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from lib.choice.costed import Costed
from lib.choice.presets import MONEY_ASSUMPTIONS, money_range
from lib.choice.scenario import Scenario, changed
from lib.present import cost, cost_notes
from lib.ui import cached, state

_DOLLARS_A_SERVER = (20_000.0, 1_000_000.0, 5_000.0)
_DOLLARS_AN_HOUR = (0.1, 20.0, 0.05)


def price(options: Sequence[Costed]) -> None:
    """The price of one option: catalogue's until it is moved, with its origin below."""
    _ = state.text()
    index = state.scenario().priced_index
    state.bound_to(
        st.selectbox,
        _("Price of"),
        "view.priced",
        lambda record: record.priced_index,
        lambda record, value: changed(record, ("view", "priced"), value),
        options=list(range(len(options))),
        format_func=lambda one: cost.option_label(options[one], _),
        help=_("The option whose price the slider below moves."),
    )
    one = options[index]
    buys = one.candidate.acquisition == "buy"
    field = "server_price_usd" if buys else "rent_usd_per_gpu_hour"
    low, high, step = _DOLLARS_A_SERVER if buys else _DOLLARS_AN_HOUR
    used = getattr(one.option, field) if one.option is not None else None
    value = float(used) if used is not None else low
    state.bound_to(
        st.slider,
        _("Price, USD per server") if buys else _("Price, USD per GPU-hour"),
        f"price.{index}.{field}",
        lambda _record: value,
        lambda record, price_usd: with_price(record, index, field, price_usd),
        min_value=min(low, value),
        max_value=max(high, value),
        step=step,
        format="%.0f" if buys else "%.2f",
    )
    st.caption(cost_notes.price_origin(one, cached.facts(), _))


def with_price(scenario: Scenario, index: int, field: str, price_usd: float) -> Scenario:
    """The scenario with the buyer's own price for one candidate, in place of every other statement of it."""
    candidate = scenario.candidates[index]
    blank = dict.fromkeys(("gpu_price_usd", "server_price_usd", "rent_usd_per_gpu_hour", "rent_usd_per_gpu_month"))
    candidates = [*scenario.candidates]
    candidates[index] = candidate.model_copy(update={**blank, field: price_usd, "price_source": "own"})
    return changed(scenario, ("candidates",), tuple(one.model_dump() for one in candidates))


def main_sliders() -> None:
    """The five that a buyer moves first."""
    _ = state.text()
    _slider("horizon_years", _("Horizon, years"), _("Years from acceptance to resale."), 1, 5, 1, None)
    _slider(
        "utilisation",
        _("Utilisation"),
        _("Share of hours in which the GPUs work: it sets energy and the cost of a delivered hour."),
        0.05,
        1.0,
        0.05,
        "percent",
    )
    _slider(
        "electricity_usd_per_kwh",
        _("Electricity price, USD per kWh"),
        _("Price at the meter; the site's overhead is the PUE."),
        0.02,
        0.5,
        0.005,
        "%.3f",
    )
    _slider(
        "discount_rate",
        _("Discount rate"),
        _("Yearly rate, compounded monthly: what later money is worth less."),
        0.0,
        0.25,
        0.005,
        "percent",
    )
    _slider(
        "residual_scale",
        _("Residual value, x the assumed curve"),
        _("1 is the resale curve of the assumptions; 0 sells for nothing."),
        0.0,
        2.0,
        0.1,
        "%.1f",
    )


def more_sliders() -> None:
    """What fewer people move."""
    _ = state.text()
    columns = st.columns(2)
    rows: Sequence[tuple[Any, ...]] = (
        (
            "power_usage_effectiveness",
            _("Power usage effectiveness (PUE)"),
            _("Power of the site per power of the servers."),
            1.0,
            2.0,
            0.01,
            "%.2f",
        ),
        (
            "staff_fte_per_server",
            _("Staff, people per server"),
            _("Full-time equivalents for one server that is owned."),
            0.0,
            2.0,
            0.05,
            "%.2f",
        ),
        (
            "hardware_support_fraction",
            _("Support, share of the hardware price a year"),
            _("Vendor's support or maintenance contract."),
            0.0,
            0.2,
            0.005,
            "percent",
        ),
        (
            "colocation_usd_per_kw_month",
            _("Colocation, USD per kW-month"),
            _("Space and cooling, without electricity."),
            0.0,
            500.0,
            5.0,
            "%.0f",
        ),
        (
            "migration_engineer_weeks",
            _("Migration, engineer-weeks"),
            _("Moving the software to a part that needs it (AMD)."),
            0.0,
            104.0,
            1.0,
            "%.0f",
        ),
        (
            "network_usd_per_gpu",
            _("Network, USD per GPU"),
            _("Scale-out network beyond one server."),
            0.0,
            20_000.0,
            250.0,
            "%.0f",
        ),
        (
            "spares_fraction",
            _("Spares, share of the hardware"),
            _("Spare parts bought at the start."),
            0.0,
            0.3,
            0.005,
            "percent",
        ),
        (
            "rent_change_per_year",
            _("Change of the rent per year"),
            _("0: no drift is assumed; the history fell until 2025 and then rose."),
            -0.3,
            0.3,
            0.01,
            "percent",
        ),
        (
            "rent_support_fraction",
            _("Provider's support, share of the rent"),
            _("Support contract of a rental."),
            0.0,
            0.3,
            0.005,
            "percent",
        ),
        (
            "licence_usd_per_gpu_year",
            _("Licences, USD per GPU-year"),
            _("NVIDIA AI Enterprise where it is used; 0 by default."),
            0.0,
            10_000.0,
            100.0,
            "%.0f",
        ),
    )
    for index, row in enumerate(rows):
        with columns[index % len(columns)]:
            _slider(*row)


def _slider(field: str, label: str, explanation: str, low: float, high: float, step: float, style: str | None) -> None:
    """One slider on a field of Money; a link may hold a value beyond its ends, and then they give way."""
    _ = state.text()
    value = getattr(state.scenario().money, field)
    if field in MONEY_ASSUMPTIONS:
        least, base, most = money_range(field, cached.facts().assumptions)
        explanation += " " + _(
            "Assumption: {low} – {base} – {high}.", low=f"{least:g}", base=f"{base:g}", high=f"{most:g}"
        )
    state.bound(
        st.slider,
        label,
        ("money", field),
        min_value=min(low, value),
        max_value=max(high, value),
        step=step,
        format=style,
        help=explanation,
    )
