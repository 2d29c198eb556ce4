"""Unit costs, energy and rent offers of the cost page as tables."""

from collections.abc import Sequence

import pandas as pd

from lib.choice.cost_view_units import OfferRow, UnitRow
from lib.present import doubts
from lib.present.cost import option_label
from lib.present.cost_tables import amount, currency_of
from lib.present.text import Words


def unit_table(rows: Sequence[UnitRow], _: Words) -> pd.DataFrame:
    """One column an option: unit costs, then energy and CO2; what nobody stated is said to be missing.

    Parameters
    ----------
    rows : sequence of UnitRow
        One an option.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    name = currency_of([one.costed for one in rows])
    throughput, sharing, hours = (
        _("state a throughput"), _("state users per sequence"), _("state the GPU-hours of a run"),
    )  # fmt: skip
    lines: dict[str, list[str]] = {
        _("GPU-hour, {currency}", currency=name): [_cell(one, one.unit.gpu_hour_usd, "", _) for one in rows],
        _("Delivered GPU-hour, {currency}", currency=name): [
            _cell(one, one.unit.delivered_gpu_hour_usd, "", _) for one in rows
        ],
        _("GB of memory for a year, {currency}", currency=name): [
            _cell(one, one.unit.gb_year_usd, _("memory not published"), _) for one in rows
        ],
        _("Million output tokens, the whole bill, {currency}", currency=name): [
            _interval(one, one.unit.million_output_tokens_usd, throughput, _) for one in rows
        ],
        _("Million output tokens, their part, {currency}", currency=name): [
            _interval(one, one.unit.split.million_output_tokens_usd if one.unit.split else None, throughput, _)
            for one in rows
        ],
        _("Million input tokens, their part, {currency}", currency=name): [
            _interval(one, one.unit.split.million_input_tokens_usd if one.unit.split else None, throughput, _)
            for one in rows
        ],
        _("User for a year, {currency}", currency=name): [_cell(one, one.unit.user_year_usd, sharing, _) for one in rows],
        _("Training run, {currency}", currency=name): [_cell(one, one.unit.training_run_usd, hours, _) for one in rows],
        _("Energy, kWh a year"): [_energy(one, "kwh_per_year", _) for one in rows],
        _("CO2, t a year"): [_tonnes(one, _) for one in rows],
        _("Energy, kWh per million output tokens"): [
            _energy_interval(one, "kwh_per_million_tokens", throughput, _) for one in rows
        ],
        _("CO2, kg per million output tokens"): [
            _energy_interval(one, "co2_kg_per_million_tokens", throughput, _) for one in rows
        ],
    }  # fmt: skip
    labels = [option_label(one.costed, _) for one in rows]
    return pd.DataFrame(
        [{_("Unit"): unit, **dict(zip(labels, cells, strict=True))} for unit, cells in lines.items()]
    )  # fmt: skip


def _cell(one: UnitRow, usd: object, missing: str, _: Words) -> str:
    return missing if usd is None else _.number(amount(one.costed, usd, 6), 4)


def _interval(one: UnitRow, ends: tuple[object, object] | None, missing: str, _: Words) -> str:
    return missing if ends is None else _.span(amount(one.costed, ends[0], 6), amount(one.costed, ends[1], 6), 4)


def _energy(one: UnitRow, field: str, _: Words) -> str:
    if one.energy.use is None:
        return " ".join(doubts.sentence(doubt, _) for doubt in one.energy.doubts)
    return _.number(float(getattr(one.energy.use, field)), 4)


def _tonnes(one: UnitRow, _: Words) -> str:
    kilograms = one.energy.use.co2_kg_per_year if one.energy.use else None
    return _("not known") if kilograms is None else _.number(float(kilograms) / 1000, 4)


def _energy_interval(one: UnitRow, field: str, missing: str, _: Words) -> str:
    ends = getattr(one.energy.use, field) if one.energy.use else None
    return missing if ends is None else _.span(float(ends[0]), float(ends[1]), 4)


def unit_note(rows: Sequence[UnitRow], kg_per_kwh: float, grid_source: str, _: Words) -> str:
    """What the unit costs rest on.

    Parameters
    ----------
    rows : sequence of UnitRow
        One an option.
    kg_per_kwh : float
        Intensity of the grid [kg CO2 per kWh].
    grid_source : str
        The row behind it; blank where the reader states it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Sentences.
    """
    weight = rows[0].output_weight if rows else 1.0
    parts = [
        _("The grid emits {kg} kg CO2 per kWh ({source}).", kg=_.number(kg_per_kwh, 4), source=grid_source or _("your own")),
        _(
            "Of one bill, an output token carries {weight} times as much as an input token; the parts add up, the whole bills do not.",
            weight=_.number(weight),
        ),
        _("Amounts are levelised: NPV over discounted units."),
    ]  # fmt: skip
    shared = {doubt.code: doubt for one in rows for doubt in one.energy.doubts}
    return " ".join([*parts, *(doubts.sentence(doubt, _) for doubt in shared.values())])


def offer_table(rows: Sequence[OfferRow], names: dict[str, str], _: Words) -> pd.DataFrame:
    """Listed rents: part by provider, region, term and day; then providers without one.

    Parameters
    ----------
    rows : sequence of OfferRow
        Part by part.
    names : dict of str to str
        Short names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        In US dollars, as listed.
    """
    return pd.DataFrame(
        {
            _("Part"): [names.get(one.part, one.part) for one in rows],
            _("Provider"): [one.offer.provider for one in rows],
            _("USD per GPU-hour"): [
                _.span(*one.offer.usd_per_gpu_hour) if one.offer.usd_per_gpu_hour else _("no price found") for one in rows
            ],
            _("USD per GB-hour"): [_.span(*one.offer.usd_per_gb_hour) if one.offer.usd_per_gb_hour else "" for one in rows],
            _("Kind"): [_offer_kind(one.offer.kind, _) for one in rows],
            _("Term, months"): [one.offer.term_months for one in rows],
            _("Region"): [one.offer.region for one in rows],
            _("As of"): [(one.offer.as_of or _("undated")) if one.offer.has_price else "" for one in rows],
            _("Age, days"): [one.offer.age_days for one in rows],
            _("Row"): [one.offer.price_id for one in rows],
        }
    )  # fmt: skip


def _offer_kind(kind: str, _: Words) -> str:
    return {
        "on-demand": _("on demand"),
        "reserved": _("committed"),
        "spot": _("spot"),
        "monthly": _("monthly"),
    }.get(kind, kind)
