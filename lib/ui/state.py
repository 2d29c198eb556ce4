"""The scenario of a visitor, in step with the address bar.

The order of events is the point of this room: `boot` runs before navigation, because navigation drops the query; a
widget's callback commits before the script runs; and a widget that comes back from a reconnect with another value
than the record is committed once more. Back, Forward, page switches, reloads and a killed server all pass here.
"""

import datetime as dt
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import streamlit as st
from pydantic import ValidationError

from lib.choice import link, own_parts, presets
from lib.choice.link import LinkError
from lib.choice.scenario import Language, Path, Scenario, at, bounds, changed
from lib.errors import InputError
from lib.present.text import Words, words
from lib.ui import cached

TOKEN: Final = "s"
PRESET: Final = "preset"
LANGUAGE: Final = "lang"
OTHER: Final = "with"
"""Beside the scenario, on the page that compares: a preset or the token of another scenario."""

COMPARING: Final = "compare"

Address = dict[str, str]
Read = Callable[[Scenario], Any]
Write = Callable[[Scenario, Any], Scenario]


def boot() -> None:
    """Bring record and address bar into step: the first call of the router, before `st.navigation`."""
    store = st.session_state
    # without a URL (the test runner) every run counts as a page change
    page: object = (urlsplit(st.context.url).path or "/") if st.context.url else object()
    asked: Address = {name: st.query_params[name] for name in (TOKEN, PRESET, LANGUAGE) if name in st.query_params}
    first = "scenario" not in store
    if first:
        store.scenario = cached.preset(presets.DEFAULT_PRESET, _browser_language())
        store.address, store.page, store.reseed, store.link_problem = {}, page, False, None
    _boot_other(bool(asked), page)
    if not asked and store.address and page != store.page:
        _write_address(store.address)  # a navigation link dropped the query
    elif asked != store.address:  # first load, Back, Forward, an edited address bar, a preset's link
        try:
            store.scenario, store.link_problem = _scenario_of(asked), None
            store.address = asked
        except LinkError as problem:
            store.link_problem = problem
            _write_address(store.address)
        store.reseed = not first
    store.page, store.met = page, store.scenario


def _boot_other(is_asked: bool, page: object) -> None:
    """The other scenario as the address names it; a navigation link that dropped the query leaves it as it was."""
    store = st.session_state
    named = st.query_params.get(OTHER, "")
    is_new = "other" not in store
    if is_new or (compares() and named != store.other and (named or is_asked or page == store.page)):
        store.other = named
    elif store.other and not named and not store.address and page != store.page:
        _write_address(store.address)


def other() -> str:
    """What the other scenario of a comparison is asked for by: a preset, a token, or blank while none is chosen."""
    named: str = st.session_state.other
    return named


def compare_with(named: str) -> None:
    """Choose the other scenario and write the address."""
    st.session_state.other = named
    _write_address(st.session_state.address)


def compares() -> bool:
    """Whether this is the page that compares; a run without an address (the test runner) may be any."""
    path = urlsplit(st.context.url or "").path
    return not path or path.rstrip("/").endswith(f"/{COMPARING}")


def scenario() -> Scenario:
    """The scenario of this visitor."""
    current: Scenario = st.session_state.scenario
    return current


def text() -> Words:
    """The words of the visitor's language."""
    return words(scenario().language)


def link_problem() -> LinkError | None:
    """What was wrong with the last link, until the next edit."""
    problem: LinkError | None = st.session_state.get("link_problem")
    return problem


@st.fragment(run_every=dt.timedelta(days=1))
def found_again() -> None:
    """Nothing, once a day: a page with a timer runs when its browser finds a server again, others wait for an edit.

    An edit whose message went down with the server is in the browser alone; that run brings it.
    """


def settled() -> None:
    """The last call of the router: widgets have taken over what the record said, or the record what they held."""
    store = st.session_state
    store.reseed = store.pop("taken_over", False)
    if store.reseed:
        st.rerun()  # other widgets of the same values follow, and the page is drawn anew


def commit(new: Scenario) -> None:
    """Make a scenario the visitor's own and write its address."""
    store = st.session_state
    store.scenario, store.link_problem = new, None
    store.address = address_of(new)
    _write_address(store.address)


def replace(new: Scenario) -> None:
    """Commit a scenario that did not come from the widgets, so that they take its values (for callbacks)."""
    commit(new)
    st.session_state.reseed = True


def address_of(new: Scenario) -> Address:
    """The query of a scenario: a preset's readable name while nothing differs from it, else the whole token."""
    if new.preset in cached.edition_facts().presets and new == cached.preset(new.preset, new.language):
        return {PRESET: new.preset, LANGUAGE: new.language}
    return {TOKEN: link.encode(new)}


def limits(path: Path) -> tuple[float, float]:
    """The smallest and largest value that the record allows at a path."""
    low, high = bounds(path)
    if low is None or high is None:
        raise InputError("path", ".".join(map(str, path)), "a number with both limits")
    return low, high


def one_of(label: str, **options: Any) -> Any:
    """One choice of a few in a row: the segmented control sets its choice in the primary colour, too faint on dark."""
    return st.radio(label, horizontal=True, **options)


def one_of_many(label: str, options: Sequence[Any], index: int | None = None, **rest: Any) -> Any:
    """One choice of an ordered row of many, on a slider; without an index its key holds the choice already."""
    if index is not None:
        rest["value"] = options[index]
    return st.select_slider(label, options=options, **rest)


def bound(widget: Callable[..., Any], label: str, path: Path, **options: Any) -> Any:
    """A widget that shows and edits the value at a path of the scenario."""
    return bound_to(
        widget,
        label,
        "field." + ".".join(map(str, path)),
        lambda record: at(record, path),
        lambda record, value: changed(record, path, value),
        **options,
    )


def bound_to(widget: Callable[..., Any], label: str, key: str, read: Read, write: Write, **options: Any) -> Any:
    """A widget that shows what `read` finds in the scenario and commits what `write` makes of an edit.

    Exactly one rerun an edit: the callback commits before the script runs.
    """
    store = st.session_state
    current = read(store.scenario)
    kind = list if widget is st.multiselect else functools.partial(_of_kind, options)
    store.setdefault("bound", {})[key] = lambda record: kind(read(record))
    if store.reseed:
        store[key] = list(current) if widget is st.multiselect else _of_kind(options, current)
    elif widget is st.multiselect:
        options["default"] = list(current)
    elif "options" in options:
        choices = list(options["options"])
        options["index"] = choices.index(current) if current in choices else None if current is None else 0
    else:
        options["value"] = _of_kind(options, current)
    shown = widget(label, key=key, on_change=_edited, args=(key, read, write), **options)
    if _differs(shown, read(store.met)) and _differs(shown, read(store.scenario)) and not _refused(key):
        # only after a reconnect to a server that has not seen the edit; a widget that shows what the link says is not
        # edited, though another one of the same value was
        _try(write, shown, key)
        store.taken_over = True
    return shown


def _edited(key: str, read: Read, write: Write) -> None:
    value = st.session_state[key]
    current = read(st.session_state.scenario)
    if value is None and current is not None:
        try:
            commit(write(st.session_state.scenario, None))
        except ValidationError:
            st.session_state[key] = current  # a choice that must not be empty keeps what it had
        return
    _try(write, value, key)
    _others_follow(key)


def _others_follow(edited: str) -> None:
    """Widgets that show the same value in another place take over an edit before they are drawn."""
    store = st.session_state
    for key, read in store.bound.items():
        if key != edited and key in store and not _refused(key):
            wanted = read(store.scenario)
            if store[key] != wanted:
                store[key] = wanted


def _try(write: Write, value: Any, key: str) -> None:
    """Commit an edit; one that the record refuses is kept in its field and named above the page."""
    refused: dict[str, str] = st.session_state.setdefault("refused", {})
    try:
        commit(write(st.session_state.scenario, value))
        refused.pop(key, None)
    except ValidationError as error:
        refused[key] = str(value)
        st.session_state.link_problem = link.field_error(error).of_edit


def _refused(key: str) -> bool:
    return key in st.session_state.get("refused", {})


def _differs(shown: Any, current: Any) -> bool:
    if shown is None:
        return current is not None
    if isinstance(shown, list):
        return tuple(shown) != tuple(current)
    return bool(shown != current)


def _of_kind(options: Mapping[str, Any], value: Any) -> Any:
    """The value in the number type of the widget's limits: Streamlit refuses a mixture."""
    limit = options.get("min_value")
    return type(limit)(value) if limit is not None and value is not None else value


def _scenario_of(asked: Address) -> Scenario:
    """The scenario that a query asks for."""
    language = asked.get(LANGUAGE, st.session_state.scenario.language)
    if language not in ("en", "zh"):
        raise LinkError("field", LANGUAGE, language[:20], "en, zh")
    if TOKEN in asked:
        return opened("token", asked[TOKEN])
    return opened("preset", asked.get(PRESET, presets.DEFAULT_PRESET), language)


def opened(kind: Literal["preset", "token"], named: str, language: Language | None = None) -> Scenario:
    """The scenario of a preset in a language, by default the visitor's, or of a token; LinkError where there is none."""
    if kind == "token":
        decoded = link.decode(named)
        facts = own_parts.with_own_parts(cached.edition_facts(), decoded.own_parts)
        link.check_names(decoded, facts.accelerators, facts.models)
        return decoded
    known = cached.edition_facts().presets
    if named not in known:
        raise LinkError("unknown-name", PRESET, named[:40], ", ".join(known))
    return cached.preset(named, language or scenario().language)


def _browser_language() -> Language:
    locale = st.context.locale or ""
    return "zh" if locale.lower().startswith("zh") else "en"


def _write_address(address: Address) -> None:
    named = st.session_state.other
    st.query_params.from_dict({**address, OTHER: named} if named and compares() else address)
