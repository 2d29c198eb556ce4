"""What a formula names, in words: one label for each kind of term."""

from typing import Any

from lib.catalog import Catalog
from lib.choice.claims.records import Term, facts_of
from lib.choice.claims.values import Value, shown
from lib.present.text import Words


def label(term: Term, catalog: Catalog, _: Words) -> str:
    """What a term is, in a few words.

    Parameters
    ----------
    term : Term
        From a judged claim.
    catalog : Catalog
        For names and labels.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table.
    """
    for room in (_of_part, _of_model, _of_money, _of_measurement, _of_words):
        if text := room(term.kind, term.arguments, catalog, _):
            return text
    return term.kind


def value(term: Term, _: Words) -> str:
    """A term's value with its unit.

    Parameters
    ----------
    term : Term
        From a judged claim.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table.
    """
    return amount(term.value, term.unit, _)


def amount(number: Value, word: str, _: Words) -> str:
    """A number or a range with its unit.

    Parameters
    ----------
    number : Value
        What was computed.
    word : str
        Its unit, as the tables have it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "2.4 ×", "1 die".
    """
    single = {"GPUs": _("card"), "dies": _("die"), "rows": _("price row"), "results": _("result"), "logs": _("log")}
    named = single[word] if word in single and number.low == number.high == 1 else unit(word, _)
    return f"{shown(number)} {named}".strip()


def unit(word: str, _: Words) -> str:
    """A unit in the reader's language; symbols stay.

    Parameters
    ----------
    word : str
        As the tables have it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Behind a number.
    """
    return {
        "GPUs": _("cards"),
        "dies": _("dies"),
        "rows": _("price rows"),
        "results": _("results"),
        "logs": _("logs"),
        "stacks": _("stacks"),
        "days": _("days"),
        "tokens": _("tokens"),
        "billion": _("billion"),
        "compute units": _("compute units"),
        "stream processors": _("stream processors"),
        "transistors per person": _("transistors per person"),
        "tokens/s per GPU": _("tokens/s per GPU"),
        "GB per GPU": _("GB per GPU"),
        "requests/s": _("requests/s"),
        "USD per million tokens": _("USD per million tokens"),
        "USD/GPU-hour": _("USD per GPU-hour"),
        "USD/GPU-month": _("USD per GPU-month"),
        "USD/GB-hour": _("USD per GB-hour"),
        "USD/month": _("USD per month"),
        "USD per GPU": _("USD per GPU"),
        "USD per GPU-hour": _("USD per GPU-hour"),
        "USD per GPU-month": _("USD per GPU-month"),
        "frameworks": _("frameworks"),
        "fraction": "",
        "×": "×",
    }.get(word, word)


def _part(catalog: Catalog, name: Any) -> str:
    known = catalog.accelerators.get(str(name))
    return known.short_name if known else str(name)


def _model(catalog: Catalog, name: Any) -> str:
    known = catalog.models.get(str(name))
    return known.name if known else str(name)


def _field(catalog: Catalog, name: Any, _: Words) -> str:
    column = catalog.columns["accelerators", str(name)]
    return _.pick(column.label_en, column.label_zh)


def _of_part(kind: str, given: tuple[Any, ...], catalog: Catalog, _: Words) -> str:
    match kind:
        case "spec":
            return _("{part}: {quantity}", part=_part(catalog, given[0]), quantity=_field(catalog, given[1], _))
        case "memory":
            which = {"label": _("label"), "runtime": _("as the runtime reports"), "driver": _("as the driver reports")}
            return _("{part}: memory, {which}", part=_part(catalog, given[0]), which=which[given[1]])
        case "dies":
            return _("{part}: dies, {name}", part=_part(catalog, given[0]), name=given[1] or _("compute"))
        case "units":
            return _("{part}: compute units", part=_part(catalog, given[0]))
        case "launch":
            return _("{part}: shown to the public", part=_part(catalog, given[0]))
        case "first_available":
            return _("{part}: first MLPerf entry as available", part=_part(catalog, given[0]))
    return ""


def _of_model(kind: str, given: tuple[Any, ...], catalog: Catalog, _: Words) -> str:
    if kind == "engine_default":
        return _("{engine}: default of {setting}", engine=given[0], setting=given[1])
    if kind not in (
        "parameters", "active", "context", "weights", "checkpoint", "cache", "split", "fewest", "room", "step",
        "prefill", "training", "states", "need",
    ):  # fmt: skip
        return ""
    model = _model(catalog, given[0])
    match kind:
        case "parameters":
            return _("{model}: parameters", model=model)
        case "active":
            return _("{model}: parameters that one token uses", model=model)
        case "context":
            return _("{model}: longest context", model=model)
        case "weights":
            return _("{model}: weights, {format}", model=model, format=given[1])
        case "checkpoint":
            return _("{model}: whole checkpoint, {format}", model=model, format=given[1])
        case "cache":
            return _(
                "{model}: cache of {tokens} tokens, {format}",
                model=model,
                tokens=_.number(given[1], 9),
                format=given[2],
            )
        case "split":
            return _("{model}: tensor parallel size from {gpus} on that divides its heads", model=model, gpus=given[1])
        case "fewest":
            return _(
                "{model}: fewest {part} in vLLM, {format}, {sequences} × {tokens} tokens",
                model=model,
                part=_part(catalog, given[2]),
                format=given[1],
                sequences=_.number(given[4], 9),
                tokens=_.number(given[3], 9),
            )
        case "room":
            return _(
                "{model}: cache left on each of {gpus} {part}",
                model=model,
                gpus=given[3],
                part=_part(catalog, given[2]),
            )
        case "step":
            return _("{model}: weights read in a decode step, batch {batch}", model=model, batch=given[2])
        case "prefill":
            return _("{model}: work of a prompt of {tokens} tokens", model=model, tokens=_.number(given[1], 9))
        case "training":
            return _(
                "{model}: least time of a training step of {tokens} tokens on {part}",
                model=model,
                tokens=_.number(given[1], 9),
                part=_part(catalog, given[2]),
            )
        case "states":
            return _.count(
                "{model}: training states on {n} GPU, ZeRO-3",
                "{model}: training states on each of {n} GPUs, ZeRO-3",
                int(given[1]),
                model=model,
            )
        case "need":
            return _("{model}: need by article A3's rule at {bits} bit", model=model, bits=given[1])
    return ""


def _of_money(kind: str, given: tuple[Any, ...], catalog: Catalog, _: Words) -> str:
    how = {"purchase": _("purchase"), "on-demand": _("on demand"), "monthly": _("by the month")}
    match kind:
        case "price":
            row = next(one for one in catalog.prices if one.price_id == given[0])
            return _("{part}: price, {kind}", part=_part(catalog, row.accelerator_id), kind=how.get(row.kind, row.kind))
        case "listed":
            return _("{part}: lists of providers, {kind}", part=_part(catalog, given[0]), kind=how[given[1]])
        case "median_price":
            return _("{part}: middle of the lists, {kind}", part=_part(catalog, given[0]), kind=how[given[1]])
        case "offers":
            return _("{part}: offers found, {kind}", part=_part(catalog, given[0]), kind=how[given[1]])
        case "article_prices":
            return _("{part}: what the articles state, {kind}", part=_part(catalog, given[0]), kind=how[given[1]])
        case "assumed":
            row_of = catalog.assumptions[given[0]]
            return _.pick(row_of.name_en, row_of.name_zh)
        case "tco":
            return _(
                "{gpus} {part}: owned for {months} months",
                gpus=given[1],
                part=_part(catalog, given[0]),
                months=given[3],
            )
        case "per_million":
            return _("Unit cost at {usd} USD and {tokens} tokens an hour", usd=given[0], tokens=_.number(given[1], 9))
    return ""


def _of_measurement(kind: str, given: tuple[Any, ...], catalog: Catalog, _: Words) -> str:
    match kind:
        case "mlperf":
            return _(
                "{part}: MLPerf {round}, {model}, {scenario}, {gpus} GPUs",
                part=_part(catalog, given[0]),
                round=given[2],
                model=given[1],
                scenario=given[3],
                gpus=given[4],
            )
        case "mlperf_ratio":
            return _(
                "{part} over {other} per GPU: MLPerf {round}, {model}, {scenario} (derived)",
                part=_part(catalog, given[0]),
                other=_part(catalog, given[1]),
                round=given[3] or _("all rounds"),
                model=given[2],
                scenario=given[4],
            )
        case "entries":
            return _(
                "MLPerf Training: results on {vendor} parts, {test}", vendor=given[1], test=given[2] or _("all tests")
            )
        case "logged":
            return _(
                "Logs of {engine} with a cache in {format} on {vendor} parts",
                engine=given[0],
                format=given[1],
                vendor=given[2],
            )
        case "micro":
            return _("{part}: measured, {test}", part=_part(catalog, given[0]), test=given[1])
    return ""


def _of_words(kind: str, given: tuple[Any, ...], catalog: Catalog, _: Words) -> str:
    match kind:
        case "source_date":
            return _("Date of the source: {title}", title=catalog.source(str(given[0])).title)
        case "software":
            return _("{framework} on {platform}", framework=given[0], platform=given[1])
        case "frameworks":
            return _("Frameworks on {platform}, as documentation has them", platform=given[0])
        case "fact":
            row = facts_of(catalog.published)[str(given[0])]
            return _.pick(row.label_en, row.label_zh)
        case "said":
            return _("Stated in {claim}", claim=given[0])
    return ""
