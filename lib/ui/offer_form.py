"""An offer stated field by field: sent as a whole, kept in the scenario, and what was typed stays when it is refused."""

import datetime as dt
from typing import Any, Final, get_args

import streamlit as st
from pydantic import ValidationError

from lib.choice import link
from lib.choice.link import LinkError
from lib.choice.quoted import with_quote
from lib.choice.quotes import (
    FIRST_DAY,
    LAST_DAY,
    VENDOR_CHARACTERS,
    Basis,
    ClaimedPeak,
    PeakFormat,
    PeakKind,
    Quote,
    QuoteCurrency,
)
from lib.errors import InputError
from lib.present import offer, offer_words
from lib.ui import cached, state

KEY: Final = "offer.form"
_REFUSAL: Final = "offer_refusal"
_PEAKS: Final = 2


def form(quote: Quote | None) -> None:
    """The fields of the offer in view, or blank ones for a new offer."""
    _ = state.text()
    mark = f"{KEY}.{quote.fingerprint if quote else 'new'}.{len(state.scenario().quotes)}"
    if refusal := st.session_state.get(_REFUSAL):
        st.error(refusal)
    with st.form(KEY, border=True):
        values = _fields(quote, mark)
        label = _("Check this offer") if quote is None else _("Check again with these values")
        sent = st.form_submit_button(label, key=f"{KEY}.go", type="primary")
    if sent:
        _take(values, None if quote is None else state.scenario().view.quote)


def _fields(quote: Quote | None, mark: str) -> dict[str, Any]:
    """Every field; blank is what the offer does not say."""
    _ = state.text()
    facts = cached.facts()
    values: dict[str, Any] = {}
    columns = st.columns(4)
    with columns[0]:
        values["vendor"] = st.text_input(
            _("Vendor or provider"),
            value=quote.vendor if quote else "",
            max_chars=VENDOR_CHARACTERS,
            key=f"{mark}.vendor",
        )
        values["price"] = _number(_("Price, without tax"), quote, "price", mark)
        values["memory_gb"] = _number(_("Memory claimed, GB"), quote, "memory_gb", mark)
        values["peaks"] = [_peak(0, quote, mark)]
    with columns[1]:
        parts = list(facts.accelerators)
        first = state.scenario().candidates[0].accelerator
        values["part"] = st.selectbox(
            _("Part"), parts, index=parts.index(quote.part if quote else first), key=f"{mark}.part",
            format_func=lambda name: facts.accelerators[name].short_name,
        )  # fmt: skip
        values["currency"] = _word(_("Currency"), list(get_args(QuoteCurrency)), quote, "currency", mark)
        values["bandwidth_tbs"] = _number(_("Bandwidth claimed, TB/s"), quote, "bandwidth_tbs", mark)
        tflops = [_tflops(0, quote, mark)]
    with columns[2]:
        values["date"] = _day(_("Date of the offer"), quote, "date", mark)
        values["basis"] = st.selectbox(
            _("Price is for"), list(get_args(Basis)), key=f"{mark}.basis",
            index=list(get_args(Basis)).index(quote.basis if quote else "gpu"),
            format_func=lambda word: offer_words.basis_name(word, _),
        )  # fmt: skip
        values["delivery_months"] = _count(_("Delivery, months"), quote, "delivery_months", mark)
        kinds = [_kind(0, quote, mark)]
    with columns[3]:
        values["valid_until"] = _day(_("Valid until"), quote, "valid_until", mark)
        values["quantity"] = _count(_("Quantity (GPUs, or servers)"), quote, "quantity", mark)
        values["warranty_years"] = _number(_("Warranty, years"), quote, "warranty_years", mark)
        values["gpus_in_server"] = _count(_("GPUs in a server, if it is one"), quote, "gpus_in_server", mark)
    columns = st.columns(4)
    with columns[0]:
        values["peaks"].append(_peak(1, quote, mark))
    with columns[1]:
        tflops.append(_tflops(1, quote, mark))
    with columns[2]:
        kinds.append(_kind(1, quote, mark))
    kept = quote.peaks[_PEAKS:] if quote else ()  # a link may bring more than there are fields for
    values["peaks"] = [
        *zip(values["peaks"], tflops, kinds, strict=True),
        *((one.format, one.tflops, one.kind) for one in kept),
    ]
    return values


def _number(label: str, quote: Quote | None, field: str, mark: str) -> float | None:
    value = getattr(quote, field) if quote else None
    stated: float | None = st.number_input(label, value=value, key=f"{mark}.{field}", placeholder="–")
    return stated


def _count(label: str, quote: Quote | None, field: str, mark: str) -> int | None:
    value = getattr(quote, field) if quote else None
    stated: int | None = st.number_input(label, value=value, step=1, key=f"{mark}.{field}", placeholder="–")
    return stated


def _word(label: str, words: list[str], quote: Quote | None, field: str, mark: str) -> Any:
    chosen = words.index(getattr(quote, field)) if quote else 0
    return st.selectbox(label, words, index=chosen, key=f"{mark}.{field}")


def _day(label: str, quote: Quote | None, field: str, mark: str) -> str:
    text = getattr(quote, field) if quote else ""
    day = st.date_input(
        label, value=dt.date.fromisoformat(text) if text else None, min_value=FIRST_DAY, max_value=LAST_DAY,
        key=f"{mark}.{field}", format="YYYY-MM-DD",
    )  # fmt: skip
    return day.isoformat() if isinstance(day, dt.date) else ""


def _claimed(index: int, quote: Quote | None) -> ClaimedPeak | None:
    return quote.peaks[index] if quote and index < len(quote.peaks) else None


def _peak(index: int, quote: Quote | None, mark: str) -> str | None:
    _ = state.text()
    formats = list(get_args(PeakFormat))
    known = _claimed(index, quote)
    label = _("Peak claimed, format") if not index else _("Second peak, format")
    chosen: str | None = st.selectbox(
        label, formats, index=formats.index(known.format) if known else None, key=f"{mark}.peak.{index}",
        format_func=offer_words.format_name, placeholder="–",
    )  # fmt: skip
    return chosen


def _tflops(index: int, quote: Quote | None, mark: str) -> float | None:
    _ = state.text()
    known = _claimed(index, quote)
    label = _("Peak claimed, TFLOPS") if not index else _("Second peak, TFLOPS")
    stated: float | None = st.number_input(
        label, value=known.tflops if known else None, key=f"{mark}.tflops.{index}", placeholder="–"
    )
    return stated


def _kind(index: int, quote: Quote | None, mark: str) -> str:
    _ = state.text()
    kinds = list(get_args(PeakKind))
    known = _claimed(index, quote)
    names = {"unsaid": _("not stated"), "dense": _("dense"), "sparse": _("with sparsity")}
    label = _("Peak is said to be") if not index else _("Second peak is said to be")
    chosen: str = st.selectbox(
        label, kinds, index=kinds.index(known.kind) if known else 0, key=f"{mark}.kind.{index}",
        format_func=lambda word: names[word],
    )  # fmt: skip
    return chosen


def _take(values: dict[str, Any], place: int | None) -> None:
    """Keep the offer in the scenario, or say what is wrong with it."""
    _ = state.text()
    try:
        values["vendor"] = " ".join(values["vendor"].split())
        claimed = [one for one in values["peaks"] if one[0] is not None or one[1] is not None]
        if any(word is None or tflops is None for word, tflops, _kind_said in claimed):
            raise InputError("peaks", "", "half-peak")
        values["peaks"] = tuple(
            {"format": word, "tflops": tflops, "kind": kind} for word, tflops, kind in claimed
        )  # fmt: skip
        state.replace(with_quote(state.scenario(), Quote.model_validate(values), place))
        st.session_state[_REFUSAL] = ""
    except ValidationError as error:
        st.session_state[_REFUSAL] = offer.refused(link.field_error(error, ("quotes",)), _)
    except InputError as error:
        st.session_state[_REFUSAL] = offer.refused(LinkError(str(error.allowed), "quotes"), _)
    st.rerun()


def forget_refusal() -> None:
    """A refusal is about the form that was sent, not about another offer."""
    st.session_state[_REFUSAL] = ""
