"""What the reader changed since the preset, in words."""

from collections.abc import Sequence
from typing import Final

from lib.catalog import Catalog
from lib.choice.cost_view_edits import Change
from lib.choice.scenario import Candidate
from lib.present.cost import candidate_label
from lib.present.cost_names import field_name, field_value
from lib.present.text import Words

MOST_CHANGES: Final = 4


def changes_line(changed: Sequence[Change], catalog: Catalog, _: Words) -> str:
    """What differs from the preset, the first few in one line.

    Parameters
    ----------
    changed : sequence of Change
        As `lib.choice.cost_view_edits.changes` finds them.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Blank where nothing differs.
    """
    if not changed:
        return ""
    shown = [change_text(one, catalog, _) for one in changed[:MOST_CHANGES]]
    rest = len(changed) - len(shown)
    if rest:
        shown.append(_.count("{n} more", "{n} more", rest))
    return _("Changed since the preset: {list}.", list="; ".join(shown))


def change_text(one: Change, catalog: Catalog, _: Words) -> str:
    """One difference from the preset.

    Parameters
    ----------
    one : Change
        The difference.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Utilisation 40 % → 60 %".
    """
    name = candidate_name(one.candidate, catalog, _) if one.candidate is not None else ""
    match one.part:
        case "added":
            return _("{option} added", option=name)
        case "removed":
            return _("{option} taken out", option=name)
    before, after = (field_value(one.field, value, _) for value in (one.before, one.after))
    text = _("{field} {before} → {after}", field=field_name(one.field, _), before=before, after=after)
    return f"{name}: {text}" if name else text


def candidate_name(candidate: Candidate, catalog: Catalog, _: Words) -> str:
    """A candidate that may have no cost yet: its part, the way of having it, whose price, and when it is ordered.

    Parameters
    ----------
    candidate : Candidate
        Any.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "MI300X, buy".
    """
    part = catalog.accelerator(candidate.accelerator).short_name
    return candidate_label(candidate, part, _)
