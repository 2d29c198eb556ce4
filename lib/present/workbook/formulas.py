"""An option's calculation as formulas, each with the value that the library has for it.

Lower-case words in a formula are names of cells; `inputs.Names` gives them the number of their option.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lib.choice.costed import Costed
from lib.cost.cash_flow import COMPONENTS, Flows, residual_fraction
from lib.cost.energy import energy_cost_usd
from lib.cost.options import Finance, Option
from lib.cost.timing import served_hours
from lib.present.text import Words
from lib.present.workbook.book import PLAIN, SHARE, USD
from lib.present.workbook.one_driver import moved_npv
from lib.units import HOURS_PER_MONTH, MONTHS_PER_YEAR

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """One named value on the way: its label, unit, formula, value and number format."""

    name: str
    label: str
    unit: str
    formula: str
    value: float
    number_format: str = PLAIN


def steps(one: Costed, option: Option, flows: Flows, _: Words) -> tuple[Step, ...]:
    """The values between inputs and months.

    Parameters
    ----------
    one : Costed
        The candidate.
    option : Option
        Its option.
    flows : Flows
        Its flows.
    _ : Words
        The reader's language.

    Returns
    -------
    tuple of Step
        In the order in which they build on one another.
    """
    finance = flows.finance
    found = [*_fleet(option, finance, _)]
    found += _owned(option, flows, _) if option.buys else _rented(option, finance, _)
    if not option.service_month and option.bridge == "none":
        found.append(Step("bridge_usd_each_month", _("Bridge"), _("USD per month"), _BRIDGE, 0.0, USD))
    else:
        found.append(Step("bridge_usd_each_month", _("Bridge"), _("USD per month"), _BRIDGE, _bridge(option), USD))
    served, rate = served_hours(option, finance, finance.discount_rate), finance.discount_rate
    discounted = _("Months of service, valued at month 0")
    found.append(
        Step(
            "discounted_months",
            discounted,
            _("months"),
            "SUMPRODUCT(serves,factors)",
            _number(served / HOURS_PER_MONTH),
        )
    )
    hours = _("Hours of service of one GPU, valued at month 0")
    found.append(Step("discounted_hours", hours, _("hours"), "hours_per_month*discounted_months", _number(served)))
    end = (1 + rate) ** (-finance.horizon_months / MONTHS_PER_YEAR)
    last = _("Discount factor of the last month")
    found.append(Step("last_factor", last, _("ratio"), "(1+discount_rate)^(-horizon_months/12)", _number(end)))
    return tuple(found)


_BRIDGE: Final = (
    'IF(bridge="rent",IF(bridge_gpus="",gpus,bridge_gpus)*bridge_usd_per_gpu_hour*hours_per_month,'
    'IF(bridge="old-fleet",bridge_usd_per_month,0))'
)


def _fleet(option: Option, finance: Finance, _: Words) -> Iterator[Step]:
    held = "servers*gpus_per_server" if option.buys else "gpus"
    yield Step("servers", _("Servers"), _("servers"), "ROUNDUP(gpus/gpus_per_server,0)", option.servers)
    yield Step("held_gpus", _("GPUs paid for"), _("GPUs"), held, option.held_gpus)
    yield Step(
        "delivery_month", _("Month of delivery"), _("months"), "order_month+delivery_months", option.delivery_month
    )
    yield Step(
        "service_month",
        _("Service begins at the end of month"),
        _("months"),
        "delivery_month+acceptance_months",
        option.service_month,
    )
    served = finance.horizon_months - option.service_month
    yield Step("served_months", _("Months of service"), _("months"), "horizon_months-service_month", served)


def _owned(option: Option, flows: Flows, _: Words) -> Iterator[Step]:
    finance = flows.finance
    price, idle = option.server_price_usd or 0.0, option.idle_kw_per_server or 0.0
    load, average = _number(flows.load_kw), _number(flows.average_kw)
    yield Step(
        "hardware_usd", _("All servers"), "USD", "servers*server_price_usd", _number(option.servers * price), USD
    )
    yield Step("load_kw", _("Power of all servers at load"), _("kW"), "servers*load_kw_per_server", load)
    yield Step(
        "idle_kw", _("Power of all servers at idle"), _("kW"), "servers*idle_kw_per_server",
        _number(option.servers * idle),
    )  # fmt: skip
    yield Step(
        "average_kw",
        _("Power on average: idle GPUs still draw"),
        _("kW"),
        "idle_kw+(load_kw-idle_kw)*utilisation*gpus/held_gpus",
        average,
    )
    energy = energy_cost_usd(
        average, HOURS_PER_MONTH, finance.power_usage_effectiveness, finance.electricity_usd_per_kwh
    )
    yield Step(
        "energy_usd_per_month",
        _("Energy of a month, first year"),
        _("USD per month"),
        "average_kw*hours_per_month*power_usage_effectiveness*electricity_usd_per_kwh",
        _number(energy),
        USD,
    )
    yield Step(
        "facility_usd_per_month",
        _("Facility of a month, first year"),
        _("USD per month"),
        "load_kw*colocation_usd_per_kw_month",
        _number(load * finance.colocation_usd_per_kw_month),
        USD,
    )
    yield from _sale(option, finance, _)


def _sale(option: Option, finance: Finance, _: Words) -> Iterator[Step]:
    """Age and worth of the hardware at the end; under one year it is worth what it is after one."""
    age = finance.horizon_months - option.delivery_month
    if not option.residual_by_year:
        yield Step("residual_fraction", _("Worth at the end"), _("share of the hardware price"), "0", 0.0, SHARE)
        return
    counted = max(age, MONTHS_PER_YEAR)
    yield Step(
        "age_at_sale", _("Age at the sale, at least 12"), _("months"), "MAX(horizon_months-delivery_month,12)", counted
    )
    yield Step(
        "worth_at_sale",
        _("Worth at that age, between the years in a straight line"),
        _("share of the hardware price"),
        "INDEX(residual_by_year,INT(age_at_sale/12))+IF(MOD(age_at_sale,12)=0,0,(INDEX(residual_by_year,INT(age_at_sale/12)"
        "+1)-INDEX(residual_by_year,INT(age_at_sale/12)))*MOD(age_at_sale,12)/12)",
        _number(residual_fraction(option.residual_by_year, age)),
        SHARE,
    )
    yield Step(
        "residual_fraction",
        _("Worth at the end"),
        _("share of the hardware price"),
        "MIN(worth_at_sale*residual_scale,1)",
        _number(residual_fraction(option.residual_by_year, age, option.residual_scale)),
        SHARE,
    )


def _rented(option: Option, finance: Finance, _: Words) -> Iterator[Step]:
    """The rent of a month, and what is still owed when the horizon ends."""
    used = option.billing == "used-hours"
    billed = _number(finance.utilisation if used else 1.0)
    on_demand = option.term_months is None
    share = 'IF(billing="used-hours",utilisation,1)' if on_demand else "1"
    monthly = option.gpus * _number(option.rent_usd_per_gpu_hour or 0.0) * HOURS_PER_MONTH * billed
    change, served = _number(option.rent_change_per_year), finance.horizon_months - option.service_month
    yield Step("billed_share", _("Share of the hours that is billed"), _("ratio"), share, billed, SHARE)
    yield Step(
        "rent_usd_per_month",
        _("Rent of a month, first year"),
        _("USD per month"),
        "gpus*rent_usd_per_gpu_hour*hours_per_month*billed_share",
        monthly,
        USD,
    )
    if option.term_months is None:
        beyond = max(option.minimum_months - served, 0)
        yield Step(
            "months_beyond", _("Months owed beyond the horizon"), _("months"), "MAX(minimum_months-served_months,0)",
            beyond,
        )  # fmt: skip
        owed = beyond * monthly * (1 + change) ** ((finance.horizon_months - 1) // MONTHS_PER_YEAR)
        formula = "months_beyond*rent_usd_per_month*(1+rent_change_per_year)^INT((horizon_months-1)/12)"
    else:
        renewals, into_term = divmod(served - 1, option.term_months)
        per_term = (1 + change) ** (option.term_months / MONTHS_PER_YEAR) - 1
        yield Step(
            "change_per_term",
            _("Change of the rent at each renewal"),
            _("ratio"),
            "(1+rent_change_per_year)^(term_months/12)-1",
            per_term,
            SHARE,
        )
        yield Step(
            "months_beyond",
            _("Months owed beyond the horizon"),
            _("months"),
            "term_months-1-MOD(served_months-1,term_months)",
            option.term_months - 1 - into_term,
        )
        later = 1 - _number(option.prepaid_fraction)
        owed = monthly * later * (option.term_months - 1 - into_term) * (1 + per_term) ** renewals
        formula = (
            "rent_usd_per_month*(1-prepaid_fraction)*months_beyond"
            "*(1+change_per_term)^INT((served_months-1)/term_months)"
        )
    yield Step(
        "owed_at_end_usd", _("Owed in the last month for what a commitment binds beyond it"), "USD", formula, owed, USD
    )


def _bridge(option: Option) -> float:
    if option.bridge == "rent":
        gpus = option.gpus if option.bridge_gpus is None else option.bridge_gpus
        return gpus * _number(option.bridge_usd_per_gpu_hour or 0.0) * HOURS_PER_MONTH
    return _number(option.bridge_usd_per_month or 0.0) if option.bridge == "old-fleet" else 0.0


def results(one: Costed, option: Option, flows: Flows, total: str, nominal: str, _: Words) -> tuple[Step, ...]:
    """What the option costs, in all and per unit.

    Parameters
    ----------
    one : Costed
        The candidate, with totals and unit costs.
    option : Option
        Its option.
    flows : Flows
        Its flows.
    total, nominal : str
        Cells with the sum of all months, valued at month 0 and as paid.
    _ : Words
        The reader's language.

    Returns
    -------
    tuple of Step
        The net present value first.
    """
    unit, finance = one.unit, flows.finance
    billed = "" if option.buys else "*billed_share"
    found = [
        Step("npv_usd", _("Net present value"), "USD", total, one.npv_usd or 0.0, USD),
        Step("nominal_usd", _("Nominal: dollars paid"), "USD", nominal, _number(flows.nominal_usd), USD),
    ]
    if finance.currency != "USD":
        value = _number(finance.in_currency(one.npv_usd or 0.0))
        found.append(
            Step("npv_shown", _("Net present value"), finance.currency, "npv_usd*currency_per_usd", value, USD)
        )
    if unit is not None:
        per_hour = _("Per GPU-hour paid for")
        formula = f"npv_usd/(held_gpus*discounted_hours{billed})"
        found.append(Step("gpu_hour_usd", per_hour, "USD", formula, _number(unit.gpu_hour_usd), "#,##0.0000"))
        if unit.delivered_gpu_hour_usd is not None:
            found.append(
                Step(
                    "delivered_gpu_hour_usd",
                    _("Per GPU-hour in which a needed GPU works"),
                    "USD",
                    "npv_usd/(gpus*discounted_hours*utilisation)",
                    _number(unit.delivered_gpu_hour_usd),
                    "#,##0.0000",
                )
            )
        if unit.gb_year_usd is not None:
            found.append(
                Step(
                    "gb_year_usd",
                    _("Per GB of memory and year"),
                    "USD",
                    "npv_usd/(held_gpus*memory_gib_per_gpu*gb_per_gib*discounted_hours/(12*hours_per_month))",
                    _number(unit.gb_year_usd),
                    "#,##0.0000",
                )
            )
        if unit.million_output_tokens_usd is not None:
            labels = _("Per million output tokens, low"), _("Per million output tokens, high")
            for name, label, end, value in zip(
                ("low", "high"), labels, ("high", "low"), unit.million_output_tokens_usd, strict=True
            ):
                formula = f"npv_usd/(discounted_hours*utilisation)/output_tokens_per_hour_{end}*{MILLION}"
                found.append(
                    Step(f"million_output_tokens_usd_{name}", label, "USD", formula, _number(value), "#,##0.0000")
                )
    for end, label, at_end in (
        ("low", _("Net present value at the low price"), one.npv_low_usd),
        ("high", _("Net present value at the high price"), one.npv_high_usd),
    ):
        priced = moved_npv("server_price_usd" if option.buys else "rent_usd_per_gpu_hour", option, f"price_{end}")
        if at_end is not None and priced is not None:
            found.append(Step(f"npv_at_price_{end}", label, "USD", priced, at_end, USD))
    return tuple(found)


def component_formulas(option: Option, row: int) -> dict[str, str]:
    """The flow of one month in each component; a component that the way of having it cannot have is left out.

    Parameters
    ----------
    option : Option
        What is bought or rented.
    row : int
        Row of the month, from 1.

    Returns
    -------
    dict of str to str
        Component to formula. Columns A, C, D, E hold month, service, share of the order or renewals, price steps.
    """
    month, serves, ordered, step = f"$A{row}", f"$C{row}", f"$D{row}", f"$E{row}"
    found = {
        "migration": f"IF({month}=service_month,migration_usd,0)",
        "licences": f"{serves}*held_gpus*licence_usd_per_gpu_year/12",
        "staff": f"{serves}*servers*staff_fte_per_server*staff_usd_per_fte_year/12",
        "storage": f"{serves}*storage_tb*storage_usd_per_tb_month",
        "egress": f"{serves}*egress_tb_per_month*egress_usd_per_tb",
        "bridge": f"IF(AND({month}>=1,{month}<=service_month),bridge_usd_each_month,0)",
    }
    if option.buys:
        return found | {
            "hardware": f"hardware_usd*{ordered}",
            "network": f"network_usd_per_gpu*held_gpus*{ordered}",
            "installation": (
                f"IF({month}=delivery_month,installation_usd_per_gpu*held_gpus+fit_out_usd_per_kw*load_kw,0)"
            ),
            "energy": f"{serves}*energy_usd_per_month*(1+electricity_change_per_year)^{step}",
            "facility": f"{serves}*facility_usd_per_month*(1+colocation_change_per_year)^{step}",
            "support": f"{serves}*hardware_usd*hardware_support_fraction/12",
            "spares": f"hardware_usd*spares_fraction*{ordered}",
            "resale": f"IF({month}=horizon_months,-hardware_usd*residual_fraction,0)",
        }
    owed = f"IF({month}=horizon_months,owed_at_end_usd,0)"
    rental = f"{serves}*rent_usd_per_month*(1+rent_change_per_year)^{step}+{owed}"
    if option.term_months is not None:
        starts = f"AND({month}>=service_month,{month}<horizon_months,MOD({month}-service_month,term_months)=0)"
        ahead = (
            f"rent_usd_per_month*prepaid_fraction*term_months*(1+change_per_term)^(({month}-service_month)/term_months)"
        )
        rental = (
            f"{serves}*rent_usd_per_month*(1-prepaid_fraction)*(1+change_per_term)^{ordered}"
            f"+IF({starts},{ahead},0)+{owed}"
        )
    return found | {"rental": rental, "support": f"${rental_column()}{row}*rent_support_fraction"}


def rental_column() -> str:
    """Letter of the column of the rent."""
    return chr(ord(FIRST_COMPONENT) + COMPONENTS.index("rental"))


FIRST_COMPONENT: Final = "G"
"""Letter of the column of the first component; month, budget year, service, order, steps and factor stand before it."""


def _number(value: object) -> float:
    return float(value)  # type: ignore[arg-type]
