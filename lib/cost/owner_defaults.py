"""What an owner pays, from the catalogue: server, network, power, support, people, and what is left at the end."""

from collections.abc import Mapping
from typing import Final

from lib.cost.draft import KINDS, OWN, Draft, Question
from lib.cost.origins import Origin
from lib.cost.prices import PER_GPU, PriceChoice, article_price, default_price
from lib.cost.resale import resale_curve
from lib.cost.server_power import State, server_power
from lib.errors import InputError
from lib.records import Doubt

_PRICES_WITH_NETWORK: Final = frozenset(
    {"capex-srv-8xb200-est", "capex-srv-8xb300-est", "capex-srv-8xmi355x-est", "capex-rack-gb200"}
)
"""Estimates that hold the cluster kit already: they come from orders that included it."""

_GPUS_IN_BASIS: Final[Mapping[str, int]] = {"per 8-GPU server": 8, "per 72 GPUs": 72}
_NODE_GPUS: Final = 8
"""The server base is that of a server with eight GPUs."""

_SERVER_BASE: Final = "capex-base-est"
_RESIDUAL_CURVE: Final = tuple(f"fin-residual-y{year}" for year in range(1, 6))
_RESIDUALS_AFTER_THREE_YEARS: Final = ("fin-residual-a100", "fin-residual-amd")


def owner_draft(question: Question) -> Draft:
    """The fields of a purchase.

    Parameters
    ----------
    question : Question
        What was asked.

    Returns
    -------
    Draft
        With price and power missing where nobody published them.

    Raises
    ------
    InputError
        If the user states another number of GPUs per server than the price is for.
    """
    draft = Draft(dict(question.stated), question.stated.get("gpus_per_server") or question.accelerator.gpus_per_node)
    _add_server(question, draft)
    _add_power(question, draft)
    _add_residual(question, draft)
    draft.origins |= {
        "network_usd_per_gpu": _network(question, draft),
        "installation_usd_per_gpu": question.origin_of("installation_usd_per_gpu"),
        "fit_out_usd_per_kw": _fit_out(question, draft),
        "hardware_support_fraction": question.origin_of("hardware_support_fraction"),
        "spares_fraction": question.origin_of("spares_fraction"),
        "staff_fte_per_server": question.origin_of("staff_fte_per_server"),
    }
    return draft


def _add_server(question: Question, draft: Draft) -> None:
    """The price of a server: stated, or a price of eight GPUs and a base, or the estimate of a whole server."""
    draft.price = _price(question)
    is_stated = not draft.stated.keys().isdisjoint(("server_price_usd", "gpu_price_usd"))
    size = _GPUS_IN_BASIS.get(draft.price.basis) if draft.price and draft.price.value is not None else None
    if size and not is_stated:
        if question.stated.get("gpus_per_server", size) != size:
            raise InputError("gpus_per_server", question.stated["gpus_per_server"], f"{size}, as the price has it")
        draft.gpus_per_server = size
    draft.origins["server_price_usd"] = _server(question, draft)
    if "gpu_price_usd" in draft.stated and "server_price_usd" not in draft.stated:
        price = draft.stated["gpu_price_usd"]
        server = _server_of_gpus(question, draft, Origin("user", (), price, price, price))
        if server.base is None:
            draft.origins["server_price_usd"] = server
        else:
            draft.stated["server_price_usd"] = server.base
    if draft.price and not is_stated:
        draft.doubts.extend(draft.price.doubts)


def _price(question: Question) -> PriceChoice | None:
    name = question.accelerator.accelerator_id
    if question.price_source == OWN:
        return None
    if question.article:
        return article_price(question.prices, name, question.article, "purchase", PER_GPU, question.as_of)
    return default_price(question.prices, question.assumptions, name, "purchase", None, PER_GPU, question.as_of)


def _server(question: Question, draft: Draft) -> Origin:
    price = draft.price
    if price is None or price.value is None:
        return Origin("missing", reason="no-purchase-price")
    ids = (price.assumption_id,) if price.assumption_id else price.price_ids
    stated = Origin(KINDS[price.origin], ids, price.low, price.value, price.high)
    if price.basis == PER_GPU:
        return _server_of_gpus(question, draft, stated)
    if _GPUS_IN_BASIS.get(price.basis) == draft.gpus_per_server:
        return stated
    return Origin("missing", reason="no-purchase-price")


def _server_of_gpus(question: Question, draft: Draft, gpu: Origin) -> Origin:
    """A server made of GPUs at a price each and the base of an eight-GPU server."""
    if draft.gpus_per_server != _NODE_GPUS:
        return Origin("missing", reason="no-server-base")
    return gpu.times(_NODE_GPUS, gpu.kind).plus(question.assumed(_SERVER_BASE))


def _network(question: Question, draft: Draft) -> Origin:
    """Nothing where the server's price holds it already, nor beside a single server."""
    priced = draft.origins["server_price_usd"]
    if "server_price_usd" not in draft.stated and not _PRICES_WITH_NETWORK.isdisjoint(priced.ids):
        draft.doubts.append(Doubt("network-in-server-price", {"assumption": priced.ids[0]}))
        return Origin("not-applicable", priced.ids, base=0.0, reason="in-server-price")
    if draft.gpus_per_server and question.gpus <= draft.gpus_per_server:
        return Origin("not-applicable", base=0.0, reason="one-server")
    return question.origin_of("network_usd_per_gpu")


def _fit_out(question: Question, draft: Draft) -> Origin:
    """Nothing in a hall that is ready; the whole building where the facility is one's own."""
    if question.stated.get("site", "colocation") == "own":
        draft.doubts.append(Doubt("own-facility", {"assumption": "fac-build"}))
        return question.origin_of("own_facility_usd_per_kw")
    listed = question.origin_of("fit_out_usd_per_kw")
    return Origin("off", listed.ids, 0.0, 0.0, listed.high, "hall-is-ready")


def _add_power(question: Question, draft: Draft) -> None:
    stated = draft.stated.get("load_kw_per_server")
    states: tuple[State, ...] = ("load", "idle")
    for state in states:
        field = f"{state}_kw_per_server"
        found = server_power(question.accelerator, draft.gpus_per_server, state, question.assumptions, stated)
        draft.origins[field] = found
        if found.base is None or field in draft.stated:
            continue
        if found.kind == "estimate" or question.assumptions[found.ids[0]].kind == "estimate":
            draft.doubts.append(Doubt("estimated-power", {"assumption": found.ids[0]}))


def _add_residual(question: Question, draft: Draft) -> None:
    """The curve of the H100, or a part's own; the range of the factor on it is that of the age at which it is sold."""
    years = [question.assumed(assumption_id) for assumption_id in _RESIDUAL_CURVE]
    listed = [question.assumed(name) for name in _RESIDUALS_AFTER_THREE_YEARS if question.applies(name)]
    own = next((row for row in listed if row.base), None)
    if own is None and not question.applies(_RESIDUAL_CURVE[0]):
        draft.doubts.append(Doubt("no-residual-value", {"accelerator": question.accelerator.accelerator_id}))
        draft.origins["residual_scale"] = Origin("not-applicable", base=1.0, reason="no-residual-value")
        return
    draft.resale = resale_curve(years, own)
    delivered = (question.stated.get("order_month") or 0) + (question.stated.get("delivery_months") or 0)
    low, high = draft.resale.scales(question.horizon_months - delivered)
    ids = (*own.ids, *_RESIDUAL_CURVE) if own else _RESIDUAL_CURVE
    draft.origins["residual_scale"] = Origin("derived" if own else "assumption", ids, low, 1.0, high)
