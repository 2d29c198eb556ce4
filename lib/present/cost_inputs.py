"""Words beside the inputs of the cost page: choices, and the assumption behind each field."""

from collections.abc import Sequence
from typing import Final

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.scenario import Scenario
from lib.cost.assumed_fields import ASSUMED, range_of
from lib.present.cost_names import field_name, field_value
from lib.present.cost_tables import kind_name
from lib.present.text import Words, markdown_safe
from lib.present.workbook.fields import reason_words

COUNTS: Final = frozenset(
    {"gpus", "delivery_months", "order_month", "acceptance_months", "minimum_months", "bridge_gpus"}
)


def bridge_name(word: str, _: Words) -> str:
    """What stands in until service begins.

    Parameters
    ----------
    word : str
        none, rent or old-fleet.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a list.
    """
    return {"none": _("Nothing"), "rent": _("Rented GPUs"), "old-fleet": _("The old fleet")}[word]


def site_name(word: str, _: Words) -> str:
    """Where the servers stand.

    Parameters
    ----------
    word : str
        colocation or own.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a list.
    """
    return {"colocation": _("Colocation"), "own": _("Own site, built for it")}[word]


def grid_name(word: str, _: Words) -> str:
    """Whose electricity is drawn.

    Parameters
    ----------
    word : str
        us, cn or world.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a list.
    """
    return {"us": _("United States"), "cn": _("China"), "world": _("World")}[word]


def assumption_line(field: str, scenario: Scenario, options: Sequence[Costed], catalog: Catalog, _: Words) -> str:
    """Range, kind, date and source of a field, whether the reader changed it, and where it counts for no option, why.

    Parameters
    ----------
    field : str
        A field of Money.
    scenario : Scenario
        The value in use.
    options : sequence of Costed
        The options compared.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One or two sentences; for a field without an assumption, that it is the reader's to choose.
    """
    if field not in ASSUMED:
        return _("No assumption: yours to choose.")
    row = catalog.assumption(ASSUMED[field][0])
    ends = [field_value(field, end, _) for end in range_of(field, catalog.assumptions)]
    value = getattr(scenario.money, field)
    text = _(
        "{low} – {base} – {high}; {kind}, {date}: {source}.",
        low=ends[0],
        base=ends[1],
        high=ends[2],
        kind=kind_name(row.kind, _),
        date=row.as_of or _("undated"),
        source=markdown_safe(catalog.source(row.source_id).title),
    )
    if value is not None and value != range_of(field, catalog.assumptions)[1]:
        text = _("**Changed by you.** {text}", text=text)
    origins = [one.defaults.origins[field] for one in options if one.defaults and field in one.defaults.origins]
    if origins and all(one.kind == "not-applicable" for one in origins):
        why = list(dict.fromkeys(reason_words(one.reason, _) for one in origins))
        return _("{text} It counts for none of these options: {why}", text=text, why=" ".join(why))
    return text


def ranges_line(fields: Sequence[str], catalog: Catalog, _: Words) -> str:
    """The assumptions behind some fields in one line: low, base and high of each that has them.

    Parameters
    ----------
    fields : sequence of str
        Fields of Money.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Their sources stand in the panel of all inputs.
    """
    pieces = []
    for field in fields:
        if field in ASSUMED:
            low, base, high = (field_value(field, end, _) for end in range_of(field, catalog.assumptions))
            pieces.append(
                _("{field} {low} – {base} – {high}", field=field_name(field, _), low=low, base=base, high=high)
            )
    return _("Assumed, low – base – high: {list}. Sources and dates under All inputs.", list="; ".join(pieces))
