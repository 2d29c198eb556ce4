"""What the articles say about money, recomputed by this library from the articles' own inputs.

Each statement is one row: what is printed, what goes in, what comes out here, and whether that is the same. Where an
article leaves its inputs out, the row says what would have to be assumed for its figure.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from lib.catalog import Catalog
from lib.choice.costed import as_of
from lib.choice.mlperf import mlperf_pairs
from lib.cost.cash_flow import monthly_flows, totals
from lib.cost.defaults import finance_defaults, option_for
from lib.cost.options import Finance, Option
from lib.cost.prices import PER_GPU, article_price
from lib.cost.unit_cost import unit_cost
from lib.errors import InputError
from lib.units import MONTHS_PER_YEAR, SECONDS_PER_HOUR

Verdict = Literal["reproduced", "contradicted", "not-reproducible"]
StatementName = Literal["month", "gb-year-ratio", "three-years", "per-dollar", "million-tokens"]

_MONTHS_RENTED: Final = (
    ("mi355x", 4, 5636.0),
    ("b300-sxm", 4, 16076.0),
    ("h200-sxm", 8, 18232.0),
    ("h200-sxm", 2, 4558.0),
    ("rtx-pro-6000-blackwell-server", 2, 1918.0),
)
"""Article A3: part, GPUs, printed USD a month."""

_AMD: Final = "mi300x"
_NVIDIA: Final = "h100-sxm"
_SAVING: Final = 0.14
_GB_RATIO: Final = 0.36
_GPUS_A_SERVER: Final = 8
_PER_DOLLAR: Final = ("mi300x", "h200-sxm", 0.41, 0.66)
_PER_DOLLAR_TEST: Final = ("llama2-70b", "Offline")
_TOKENS_AN_HOUR, _USD_AN_HOUR, _USD_A_MILLION = 500_000.0, 2.0, 4.0
_THREE_YEARS: Final = 36


@dataclass(frozen=True, slots=True)
class ArticleCost:
    """One statement of an article about money: printed and recomputed, each as a range of one unit.

    `inputs` are the article's own figures that went in; `values` are figures of the row's sentence.
    """

    name: StatementName
    article: str
    part: str
    other: str
    unit: str
    printed: tuple[float, float]
    inputs: tuple[tuple[str, float, str], ...]
    ours: tuple[float, float] | None
    verdict: Verdict
    values: Mapping[str, Any]


def equal_cost_for_saving_usd(first_usd: float, second_usd: float, saving: float) -> float:
    """What must be added to both of two costs so that the first is lower by a given share (exact).

    C = ((1 - s) x second - first) / s

    Parameters
    ----------
    first_usd, second_usd : float
        The lower and the higher cost [USD].
    saving : float
        How much lower the first is to be [fraction of the second].

    Returns
    -------
    float
        Amount that is equal on both sides [USD]; negative where they lie nearer than that already.

    Raises
    ------
    InputError
        If the saving is not above zero.

    Examples
    --------
    Eight MI300X at 16,500 USD and eight H100 at 30,000 USD: 14 % in all, if everything else costs 531,429 USD for each.

    >>> round(equal_cost_for_saving_usd(8 * 16_500.0, 8 * 30_000.0, 0.14))
    531429

    References
    ----------
    article-a0, FAQ and section 6
    """
    if not saving > 0:
        raise InputError("saving", saving, "above 0")
    return ((1 - saving) * second_usd - first_usd) / saving


def article_costs(catalog: Catalog) -> tuple[ArticleCost, ...]:
    """Every statement of the articles about money that this library recomputes.

    Parameters
    ----------
    catalog : Catalog
        The edition: the articles' prices, and the assumptions where an article states none.

    Returns
    -------
    tuple of ArticleCost
        Article A3's months of rent; A0's cost of a GB and its three years; A1's performance per dollar; A2's tokens.
    """
    return (*_months(catalog), _gb_ratio(catalog), _three_years(catalog), _per_dollar(catalog), _tokens())


def _months(catalog: Catalog) -> Iterator[ArticleCost]:
    """A month of rent of some GPUs at the article's price, through the cash flow."""
    for part, gpus, printed in _MONTHS_RENTED:
        free = {"rent_support_fraction": 0.0, "migration_usd": 0.0}
        found = _option(catalog, part, "rent", gpus, "article-a3", free)
        ours = float(monthly_flows(found, Finance(horizon_months=1)).total[1])
        each = ours / gpus
        yield ArticleCost(
            name="month",
            article="article-a3",
            part=part,
            other="",
            unit="USD per month",
            printed=(printed, printed),
            inputs=(("rent", each, "USD per GPU-month"), ("gpus", gpus, "")),
            ours=(ours, ours),
            verdict=_verdict(ours, printed, 0.005),
            values=MappingProxyType({"gpus": gpus}),
        )


def _gb_ratio(catalog: Catalog) -> ArticleCost:
    """The cost of a GB follows from the saving on a server and from the memory of both."""
    amd, nvidia = (catalog.accelerator(name).memory_gb or 0.0 for name in (_AMD, _NVIDIA))
    ours = (1 - _SAVING) * nvidia / amd
    return ArticleCost(
        name="gb-year-ratio",
        article="article-a0",
        part=_AMD,
        other=_NVIDIA,
        unit="fraction",
        printed=(_GB_RATIO, _GB_RATIO),
        inputs=(("saving", _SAVING, "fraction"), ("memory of part", amd, "GB"), ("memory of other", nvidia, "GB")),
        ours=(ours, ours),
        verdict=_verdict(ours, _GB_RATIO, 0.005),
        values=MappingProxyType({"saving": _SAVING}),
    )


def _three_years(catalog: Catalog) -> ArticleCost:
    """Three years of an 8-GPU server at the article's prices and the edition's assumptions: its table is lost.

    The range is that of the article's own purchase prices: the dear end of one part against the cheap end of the other.
    """
    prices = {
        name: article_price(catalog.prices, name, "article-a0", "purchase", PER_GPU, as_of(catalog))
        for name in (_AMD, _NVIDIA)
    }
    ends = {name: (one.low or 0.0, one.value or 0.0, one.high or 0.0) for name, one in prices.items()}
    finance = finance_defaults(catalog.assumptions, {"utilisation": 1.0, "horizon_months": _THREE_YEARS}).finance

    def cost(part: str, gpu_price_usd: float) -> float:
        option = _option(catalog, part, "buy", _GPUS_A_SERVER, "article-a0", {"gpu_price_usd": gpu_price_usd})
        return float(totals(option, finance).nominal_usd)

    (low_amd, amd, high_amd), (low_nvidia, nvidia, high_nvidia) = ends[_AMD], ends[_NVIDIA]
    base = 1 - cost(_AMD, amd) / cost(_NVIDIA, nvidia)
    least = 1 - cost(_AMD, high_amd) / cost(_NVIDIA, low_nvidia)
    most = 1 - cost(_AMD, low_amd) / cost(_NVIDIA, high_nvidia)
    needed = equal_cost_for_saving_usd(_GPUS_A_SERVER * amd, _GPUS_A_SERVER * nvidia, _SAVING)
    return ArticleCost(
        name="three-years",
        article="article-a0",
        part=_AMD,
        other=_NVIDIA,
        unit="fraction",
        printed=(_SAVING, _SAVING),
        inputs=tuple(
            (f"{side}, {end}", value, "USD per GPU")
            for side, name in (("part", _AMD), ("other", _NVIDIA))
            for end, value in zip(("low", "mid", "high"), ends[name], strict=True)
        ),
        ours=(least, most),
        verdict="not-reproducible",
        values=MappingProxyType({"base": base, "needed_usd": needed, "months": _THREE_YEARS, "gpus": _GPUS_A_SERVER}),
    )


def _per_dollar(catalog: Catalog) -> ArticleCost:
    """Measured work per dollar of purchase at the article's prices, in every MLPerf test of that model with both."""
    part, other, low, high = _PER_DOLLAR
    prices = [
        article_price(catalog.prices, name, "article-a1", "purchase", PER_GPU, as_of(catalog)).value or 0.0
        for name in (part, other)
    ]
    pairs = mlperf_pairs(catalog.measured["mlperf_inference"], part, other)
    model, scenario = _PER_DOLLAR_TEST
    tested = pairs[(pairs["model"] == model) & (pairs["scenario"] == scenario)]
    gains = [float(ratio) * prices[1] / prices[0] - 1 for ratio in tested["ratio"]]
    needed = tuple((1 + gain) * prices[0] / prices[1] for gain in (low, high))
    return ArticleCost(
        name="per-dollar",
        article="article-a1",
        part=part,
        other=other,
        unit="fraction",
        printed=(low, high),
        inputs=(("part", prices[0], "USD per GPU"), ("other", prices[1], "USD per GPU")),
        ours=(min(gains), max(gains)) if gains else None,
        verdict=_range_verdict(gains, low, high),
        values=MappingProxyType(
            {
                "needed_low": needed[0],
                "needed_high": needed[1],
                "measured_low": float(tested["ratio"].min()) if gains else None,
                "measured_high": float(tested["ratio"].max()) if gains else None,
                "pairs": len(gains),
                "rounds": tuple(sorted(set(tested["round"].astype(str)))),
                "benchmark": f"{model}, {scenario}",
            }
        ),
    )


def _tokens() -> ArticleCost:
    """The article's example, through the unit costs of a rental that works all hours."""
    rented = Option(accelerator_id="unspecified", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=_USD_AN_HOUR)
    rate = _TOKENS_AN_HOUR / SECONDS_PER_HOUR
    found = unit_cost(rented, Finance(horizon_months=MONTHS_PER_YEAR), output_tokens_per_s=(rate, rate))
    assert found.million_output_tokens_usd is not None  # noqa: S101
    ours = float(found.million_output_tokens_usd[0])
    return ArticleCost(
        name="million-tokens",
        article="article-a2",
        part="",
        other="",
        unit="USD per million tokens",
        printed=(_USD_A_MILLION, _USD_A_MILLION),
        inputs=(("rent", _USD_AN_HOUR, "USD per hour"), ("output", _TOKENS_AN_HOUR, "tokens per hour")),
        ours=(ours, ours),
        verdict=_verdict(ours, _USD_A_MILLION, 0.005),
        values=MappingProxyType({}),
    )


def _option(
    catalog: Catalog,
    part: str,
    acquisition: Literal["buy", "rent"],
    gpus: int,
    article: str,
    overrides: Mapping[str, Any],
) -> Option:
    """An option at an article's price; its rows are part of every edition."""
    found = option_for(
        catalog.accelerator(part), acquisition, gpus, catalog.assumptions, catalog.prices, as_of(catalog), overrides,
        article,
    )  # fmt: skip
    if found.option is None:
        raise InputError("price", part, f"a price of {article} in the edition")
    return found.option


def _verdict(ours: float, printed: float, rounding: float) -> Verdict:
    """The same within the rounding of the print, or not."""
    return "reproduced" if abs(ours - printed) <= rounding else "contradicted"


def _range_verdict(ours: Iterable[float], low: float, high: float) -> Verdict:
    """A printed range against what was measured: reproduced where any of it lies inside."""
    values = list(ours)
    if not values:
        return "not-reproducible"
    return "reproduced" if any(low <= one <= high for one in values) else "contradicted"
