"""What is not known, as a table: what, of which parts, and the question to put to the vendor or the provider."""

from collections.abc import Sequence

import pandas as pd

from lib.choice.unknowns import Unknown
from lib.present.memory_model import layout_word
from lib.present.missing_price import no_price_short
from lib.present.recommend_words import amount
from lib.present.text import Words, markdown_safe


def questions_table(found: Sequence[Unknown], _: Words) -> pd.DataFrame:
    """One row an open question.

    Parameters
    ----------
    found : sequence of Unknown
        Most decisive first.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Markdown cells.
    """
    lines = []
    for one in found:
        what, ask = _words(one, _)
        lines.append((what, _.listing(list(one.parts)), ask))
    return pd.DataFrame(lines, columns=[_("Not known"), _("Parts"), _("Ask the vendor or provider")])


def _words(one: Unknown, _: Words) -> tuple[str, str]:
    return _work(one, _) or _money(one, _) or _supply(one, _) or (one.code, "")


def _work(one: Unknown, _: Words) -> tuple[str, str] | None:
    values = one.values
    match one.code:
        case "throughput" | "stated-throughput":
            return (
                _("Throughput of this model at this load")
                if one.code == "throughput"
                else _("Whether the throughput that you state is reached"),
                _(
                    "Output tokens per second with TTFT and TPOT of one run, at our lengths and concurrency; engine, version and flags."
                ),
            )
        case "layout-rate":
            layout = layout_word(values["layout"])
            return (
                _("Throughput in the layout {layout}, which is not ranked", layout=layout),
                _(
                    "Measured output tokens per second of {model} in {format} at {concurrency} requests at once on {layout} ({n} "
                    "GPUs), with TTFT and TPOT.",
                    model=markdown_safe(str(values["model"])) or _("Custom model"),
                    format=values["format"],
                    concurrency=f"{values['concurrency']:,}",
                    layout=layout,
                    n=values["layout"].gpus,
                ),
            )
        case "run-time":
            return (
                _("How long the work takes on each fleet"),
                _("A timed run of our job on a part of the fleet, and on twice as much of it."),
            )
        case "memory-not-modelled":
            return (
                _("Memory that this task needs"),
                _("The fewest GPUs on which our job runs, with its settings and peak memory."),
            )
        case "format":
            named = {"format": values["format"] or _("the model's own format"), "engine": values["engine"]}
            if values["cache"]:
                return (
                    _("Whether {engine} keeps the cache in {format} on this part", **named),
                    _(
                        "A version of {engine} that keeps the cache in {format} on this part, and its start-up log.",
                        **named,
                    ),
                )
            return (
                _("Whether {engine} runs weights in {format} on this part", **named),
                _("A version of {engine} that runs weights in {format} on this part, and its start-up log.", **named),
            )
        case "memory-barely":
            return (
                _("Whether the engine's workspace leaves room for the load"),
                _("The engine's start-up log with our model and limits: free cache in tokens."),
            )
        case "ttft" | "tpot":
            return (
                (
                    _("Time to the first token (TTFT) of at most {limit} ms")
                    if one.code == "ttft"
                    else _("Time per output token (TPOT) of at most {limit} ms")
                ).format(limit=amount(values["limit_ms"])),
                _(
                    "{name} at the median and the 99th percentile, from the same run as the throughput.",
                    name=one.code.upper(),
                ),
            )
        case "software":
            product = markdown_safe(str(values["product"]))
            return (
                _("Whether {product} runs", product=product),
                _("A version of {product} that is supported on this part, and since when.", product=product),
            )
    return None


def _money(one: Unknown, _: Words) -> tuple[str, str] | None:
    values = one.values
    match one.code:
        case "estimated-price":
            dates = [date or _("undated") for date in values["dates"]]
            when = _(" (as of {dates})", dates=", ".join(dates)) if dates else ""
            return (
                _("The price: an estimate, with fewer than three dated list prices behind it{when}", when=when),
                _("A firm price for our quantity, delivered and installed, and until when it holds."),
            )
        case "old-price":
            return (
                _("Today's price: the rows used are up to {days} days old", days=values["days"]),
                _("The price today for our quantity and term, and what changes it."),
            )
        case "no-price":
            return (
                _("A price for this way of having it: {why}", why=no_price_short(values, _))
                if "needed" in values
                else _("Any price for this way of having it"),
                _("A firm price for our quantity, delivered and installed, and until when it holds."),
            )
        case "power":
            return (
                _("Power of a server at work: an estimate"),
                _("kW at the wall with our model under full load, and the rated maximum for the circuits."),
            )
        case "resale":
            return (
                _("What the servers are worth at the end"),
                _("A buy-back price after our horizon, in writing."),
            )
    return None


def _supply(one: Unknown, _: Words) -> tuple[str, str] | None:
    match one.code:
        case "lead-time-reported":
            return (
                _("The delivery date: {low}–{high} weeks were reported (as of {as_of})", low=amount(one.values["low"]),
                  high=amount(one.values["high"]), as_of=one.values["as_of"]),
                _("A delivery date with a penalty for each week of delay."),
            )  # fmt: skip
        case "lead-time":
            return (
                _("The delivery date: no lead time is published"),
                _("A delivery date with a penalty for each week of delay."),
            )
        case "deadline":
            return (
                _("Whether it serves by {deadline}", deadline=one.values["deadline"]),
                _("A delivery date with a penalty for each week of delay."),
            )
        case "status":
            return _("Whether the part is to be had"), _("A delivery date with a penalty for each week of delay.")
    return None
