"""Every input of the cost page on demand, by the group in which a buyer looks for it: a slider and a field for each."""

import functools
from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from lib.choice.cost_view_edits import (
    GROUPS,
    MONEY_OF,
    changes,
    reset_group,
    with_candidate,
    with_price,
    with_year_budget,
)
from lib.choice.costed import Costed
from lib.choice.presets import DEFAULT_PRESET
from lib.choice.scenario import Candidate, Path, Scenario, changed, choices
from lib.present import cost_changes, cost_inputs, cost_sliders
from lib.present.cost import option_label
from lib.ui import cached, inputs, money, show, state

_BASIC: Final = frozenset(field for _group, fields in money.BASIC for field in fields)
_OPTIONAL: Final = frozenset({"fit_out_usd_per_kw", "storage_usd_per_tb_month", "egress_usd_per_tb"})
_OF_ONE_WAY: Final = {
    "buy": ("order_month", "acceptance_months", "deposit_fraction"),
    "rent": ("order_month", "acceptance_months", "minimum_months"),
    "commit-1y": ("order_month", "acceptance_months", "prepaid_fraction"),
    "commit-3y": ("order_month", "acceptance_months", "prepaid_fraction"),
}


def section(options: Sequence[Costed]) -> None:
    """The whole panel, closed until it is asked for."""
    _ = state.text()
    box = show.details(
        _("All inputs: options compared, times, site, storage, caps, currency; each as slider and as a typed field"),
        key="cost.inputs",
    )
    if not box.open:
        return
    with box:
        money.options_control()
        group = state.bound(
            state.one_of,
            _("Inputs"),
            ("view", "cost_group"),
            options=list(GROUPS),
            format_func=lambda word: cost_sliders.group_name(word, _),
        )
        st.caption(_("Inputs are US dollars, whatever currency the results are shown in."))
        state.bound(st.toggle, _("Type the eight values above instead of sliding them"), ("view", "typed"))
        if group == "buy":
            _what_we_buy(options)
        for field in MONEY_OF[group]:
            _both(field, options)
        if group == "run":
            _site_and_grid()
        if group == "money":
            _caps_and_currency()
        with st.container(horizontal=True):
            st.button(
                _("Reset this group"), on_click=_reset, args=(group,), icon=":material/undo:", key="cost.reset.group"
            )
            st.button(_("Reset all"), on_click=inputs.reset, icon=":material/undo:", key="cost.reset.all")


def changed_text() -> str:
    """What differs from the preset, in one line; blank where nothing does."""
    return cost_changes.changes_line(changes(state.scenario(), preset()), cached.facts(), state.text())


def preset() -> Scenario:
    """The scenario that this one came from, or the first preset."""
    scenario = state.scenario()
    known = cached.edition_facts().presets
    return cached.preset(scenario.preset if scenario.preset in known else DEFAULT_PRESET, scenario.language)


def _reset(group: Any) -> None:
    state.replace(reset_group(state.scenario(), group, preset()))


def _both(field: str, options: Sequence[Costed]) -> None:
    """A slider and a typed field for one value; one that may be blank has the field alone."""
    scenario = state.scenario()
    columns = st.columns([3, 2], vertical_alignment="bottom")
    with columns[0]:
        if field in _OPTIONAL or (field in _BASIC and not scenario.view.typed):
            st.caption(cost_inputs.assumption_line(field, scenario, options, cached.facts(), state.text()))
        else:
            money.money_control(field, typed=False, prefix="all.")
    with columns[1]:
        money.money_control(field, typed=True, prefix="all.")
    if field not in _OPTIONAL and not (field in _BASIC and not scenario.view.typed):
        st.caption(cost_inputs.assumption_line(field, scenario, options, cached.facts(), state.text()))


def _what_we_buy(options: Sequence[Costed]) -> None:
    """Price, number, times and bridge of the option chosen."""
    _ = state.text()
    scenario = state.scenario()
    index = scenario.priced_index
    candidate = scenario.candidates[index]
    st.markdown(f"**{option_label(options[index], _)}**")
    st.caption(_("The option of the list Price of above."))
    left, right = st.columns(2)
    with left:
        field, shown = cost_sliders.price_of(options[index], _)
        used = getattr(options[index].option, field) if options[index].option is not None else None
        money.control(
            shown,
            f"all.price.{index}.{field}",
            functools.partial(money.price_in, index=index, field=field, otherwise=used),
            lambda record, value: with_price(record, index, field, value),
            typed=True,
        )
        _number(_("GPUs needed; blank: as many as the model needs"), index, "gpus")
        _number(
            _("Lead time, months; blank: not known, ask the vendor"), index, "delivery_months",
            _("An unknown lead time counts as no month and passes no deadline."),
        )  # fmt: skip
        _bridge(index, candidate)
    with right:
        for name in _OF_ONE_WAY[candidate.acquisition]:
            shown = cost_sliders.slider(name, _)
            pair = st.columns([3, 2], vertical_alignment="bottom")
            for column, typed in zip(pair, (False, True), strict=True):
                with column:
                    money.candidate_control(shown, index, name, typed=typed)


def _bridge(index: int, candidate: Candidate) -> None:
    """What stands in until service begins."""
    _ = state.text()
    facts = cached.facts()
    _choice(
        _("Bridge until service begins"), f"candidate.{index}.bridge", index, "bridge",
        list(choices(("candidates", 0, "bridge"))), lambda word: cost_inputs.bridge_name(word, _),
    )  # fmt: skip
    if candidate.bridge == "rent":
        _choice(
            _("Part rented as the bridge"), f"candidate.{index}.bridge_part", index, "bridge_part",
            [None, *facts.accelerators],
            lambda name: _("the same part") if name is None else facts.accelerators[name].short_name,
        )  # fmt: skip
        _number(_("GPUs of the bridge; blank: as many"), index, "bridge_gpus")
        _number(_("Rent of the bridge, USD per GPU-hour; blank: the catalogue's"), index, "bridge_usd_per_gpu_hour")
    if candidate.bridge == "old-fleet":
        _number(_("Old fleet, USD a month"), index, "bridge_usd_per_month")


def _choice(label: str, key: str, index: int, field: str, options: list[Any], name: Any) -> None:
    state.bound_to(
        st.selectbox,
        label,
        key,
        functools.partial(_of_candidate, index, field),
        lambda record, value: with_candidate(record, index, {field: value}),
        options=options,
        format_func=name,
    )


def _number(label: str, index: int, field: str, explanation: str = "") -> None:
    """A field of one option that may be blank."""
    low, high = state.limits(("candidates", index, field))
    kind = int if field in cost_inputs.COUNTS else float
    state.bound_to(
        st.number_input,
        label,
        f"typed.candidate.{index}.{field}",
        functools.partial(_of_candidate, index, field),
        lambda record, value: with_candidate(record, index, {field: value}),
        min_value=kind(low),
        max_value=kind(high),
        step=kind(1),
        help=explanation or None,
        placeholder="–",
    )


def _of_candidate(index: int, field: str, record: Scenario) -> Any:
    return getattr(record.candidates[min(index, len(record.candidates) - 1)], field)


def _blank(label: str, path: Path, step: float, explanation: str = "") -> None:
    """A number of the scenario that may be blank."""
    low, high = state.limits(path)
    kind = type(step)
    state.bound(
        st.number_input, label, path, min_value=kind(low), max_value=kind(high), step=step, placeholder="–",
        help=explanation or None,
    )  # fmt: skip


def _site_and_grid() -> None:
    _ = state.text()
    left, right = st.columns(2)
    with left:
        state.bound(
            state.one_of,
            _("Site"),
            ("money", "site"),
            options=list(choices(("money", "site"))),
            format_func=lambda word: cost_inputs.site_name(word, _),
            help=_("A site of one's own is built at delivery and pays no lease."),
        )
    with right:
        state.bound(
            state.one_of,
            _("Grid, for CO2"),
            ("money", "grid"),
            options=list(choices(("money", "grid"))),
            format_func=lambda word: cost_inputs.grid_name(word, _),
        )
        _blank(_("Own grid, kg CO2 per kWh; blank: the grid's average"), ("money", "grid_kg_per_kwh"), 0.01)


def _caps_and_currency() -> None:
    _ = state.text()
    scenario = state.scenario()
    left, right = st.columns(2)
    with left:
        state.bound(
            state.one_of, _("Currency of the results"), ("money", "currency"),
            options=list(choices(("money", "currency"))),
        )  # fmt: skip
        if scenario.money.currency != "USD":
            _blank(
                _("Exchange rate, per USD; blank: the dated rate of the edition"), ("money", "currency_per_usd"), 0.01
            )
        reserve = cost_sliders.slider("contingency_fraction", _)
        for typed in (False, True):
            money.control(
                reserve,
                "constraints.contingency_fraction",
                lambda record: record.constraints.contingency_fraction,
                lambda record, value: changed(record, ("constraints", "contingency_fraction"), value),
                typed=typed,
            )
        _blank(_("GPUs that can be had; blank: no cap"), ("constraints", "gpus"), 8)
    with right:
        _cap(
            _("Budget in all, USD of NPV; blank: no cap"),
            "budget_usd",
            lambda record: record.constraints.budget_usd,
            lambda record, value: changed(record, ("constraints", "budget_usd"), value),
        )
        for year in range(1, scenario.money.horizon_years + 1):
            _cap(
                _("Budget of year {n}, USD paid; blank: no cap", n=year),
                f"year.{year}",
                functools.partial(_of_year, year),
                functools.partial(_with_year, year),
            )


def _cap(label: str, key: str, read: state.Read, write: state.Write) -> None:
    state.bound_to(
        st.number_input, label, f"cap.{key}", read, write, min_value=1.0, max_value=1e12, step=50_000.0,
        placeholder="–", format="%.0f",
    )  # fmt: skip


def _of_year(year: int, record: Scenario) -> float | None:
    years = record.constraints.budget_by_year
    return years[year - 1] if year <= len(years) else None


def _with_year(year: int, record: Scenario, value: float | None) -> Scenario:
    return with_year_budget(record, year, value)
