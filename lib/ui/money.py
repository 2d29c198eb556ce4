"""Controls for money: which options, the price of one, and the sliders that move most; each can be typed as well."""

import functools
from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from lib.choice.cost_view_edits import key_of, offered, with_candidate, with_options, with_price
from lib.choice.costed import Costed
from lib.choice.scenario import MOST_OPTIONS, Scenario, changed
from lib.cost.assumed_fields import ASSUMED, range_of
from lib.present import cost_inputs, cost_notes, cost_sliders
from lib.present.cost import candidate_label, option_label
from lib.present.cost_sliders import Slider
from lib.ui import cached, state

BASIC: Final[Sequence[tuple[str, Sequence[str]]]] = (
    ("buy", ()),
    ("run", ("utilisation", "electricity_usd_per_kwh", "staff_fte_per_server")),
    ("money", ("horizon_years", "discount_rate")),
    ("future", ("residual_scale", "rent_change_per_year")),
)
"""Group and the fields of Money in the basic view; the price stands with what is bought."""


def options_control() -> None:
    """Which ways of having the parts are compared."""
    _ = state.text()
    known = offered(state.scenario())
    facts = cached.facts()
    labels = {key: candidate_label(one, facts.accelerator(one.accelerator).short_name, _) for key, one in known.items()}
    state.bound_to(
        st.multiselect,
        _("Options compared"),
        "cost.options",
        lambda record: tuple(key_of(one) for one in record.candidates),
        with_options,
        options=list(known),
        format_func=lambda key: labels.get(key, key),
        max_selections=MOST_OPTIONS,
        help=_("Each part in each way of having it; parts are chosen in the sidebar under Parts compared."),
    )


def basic(options: Sequence[Costed]) -> None:
    """Eight sliders in the order in which a buyer thinks."""
    _ = state.text()
    for column, (group, fields) in zip(st.columns(len(BASIC), gap="medium"), BASIC, strict=True):
        with column:
            st.markdown(f"**{cost_sliders.group_name(group, _)}**")
            if group == "buy":
                price(options)
            for field in fields:
                # the panel explains each; here an icon a slider would cost a tenth of the redraw
                money_control(field, typed=state.scenario().view.typed, explained=False)
    st.caption(cost_inputs.ranges_line([field for _group, fields in BASIC for field in fields], cached.facts(), _))


def price(options: Sequence[Costed]) -> None:
    """The price of one option: catalogue's until it is moved, with its origin below."""
    _ = state.text()
    scenario = state.scenario()
    index = scenario.priced_index
    if len(options) > 1:
        state.bound_to(
            st.selectbox,
            _("Price of"),
            "view.priced",
            lambda record: record.priced_index,
            lambda record, value: changed(record, ("view", "priced"), value),
            options=list(range(len(options))),
            format_func=lambda one: option_label(options[one], _),
        )
    one = options[index]
    field, shown = cost_sliders.price_of(one, _)
    used = getattr(one.option, field) if one.option is not None else None
    value = float(used) if used is not None else shown.low
    control(
        shown,
        f"price.{index}.{field}",
        functools.partial(price_in, index=index, field=field, otherwise=value),
        lambda record, price_usd: with_price(record, index, field, price_usd),
        typed=scenario.view.typed,
    )
    st.caption(cost_notes.price_origin(one, cached.facts(), _, state.scenario()))


def price_in(record: Scenario, index: int, field: str, otherwise: float | None) -> float | None:
    """The price that a record states for a candidate, else the one it was costed with.

    It must follow the record: two controls show it, and the second takes over what the first one wrote.
    """
    stated: float | None = getattr(record.candidates[min(index, len(record.candidates) - 1)], field)
    return otherwise if stated is None else stated


def money_control(field: str, *, typed: bool, prefix: str = "", explained: bool = True) -> None:
    """One field of Money, on a slider or as a number; both stand for one value."""
    _ = state.text()
    shown = cost_sliders.slider(field, _)
    explanation = shown.help
    if field in ASSUMED:
        low, base, high = range_of(field, cached.facts().assumptions)
        explanation += " " + _(
            "Assumption: {low} – {base} – {high}.", low=f"{low:g}", base=f"{base:g}", high=f"{high:g}"
        )
    control(
        shown._replace(help=explanation if explained else ""),
        f"{prefix}field.money.{field}",
        functools.partial(_money_value, field),
        lambda record, value: changed(record, ("money", field), value),
        typed=typed,
    )  # fmt: skip


def _money_value(field: str, record: Scenario) -> Any:
    return getattr(record.money, field)


def candidate_control(shown: Slider, index: int, field: str, *, typed: bool) -> None:
    """One field of the option in view."""
    control(
        shown,
        f"candidate.{index}.{field}",
        lambda record: getattr(record.candidates[min(index, len(record.candidates) - 1)], field),
        lambda record, value: with_candidate(record, index, {field: value}),
        typed=typed,
    )


def control(shown: Slider, key: str, read: state.Read, write: state.Write, *, typed: bool) -> None:
    """A slider, or a field to type in; a link may hold a value beyond the slider's ends, and then they give way."""
    value = read(state.scenario())
    low, high = shown.low, shown.high
    if value is not None and not typed:
        low, high = min(low, type(low)(value)), max(high, type(high)(value))
    if typed:
        low, high = shown.least, shown.most
    state.bound_to(
        st.number_input if typed else st.slider,
        cost_sliders.typed_label(shown, state.text()) if typed else shown.label,
        f"typed.{key}" if typed else key,
        read,
        write,
        min_value=low,
        max_value=high,
        step=shown.step,
        format=shown.typed_format if typed else shown.format,
        help=shown.help or None,
    )
