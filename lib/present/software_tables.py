"""The software page in tables: verdicts with their rows, formats, articles beside documentation, measured ports, the matrix."""

import pandas as pd

from lib.catalog import Catalog
from lib.choice.format_support import FormatVerdict
from lib.choice.porting import MIGRATION_ROWS, Porting
from lib.choice.software import ARTICLE_CLAIM, products, software_verdict
from lib.present.software import format_label, platform_name, support_name, verdict_name
from lib.present.text import Words
from lib.records import FormatFact

_PLATFORMS = ("CUDA", "ROCm")


def products_table(found: Porting, catalog: Catalog, _: Words) -> pd.DataFrame:
    """Each required product on each platform with the row that decides, and what the articles say beside it.

    Parameters
    ----------
    found : Porting
        The verdicts.
    catalog : Catalog
        For titles of sources.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a deciding statement; one without any where nothing is documented.
    """
    lines = []
    for stack in found.platforms:
        for one in stack.products:
            claims = "; ".join(
                f"{claim.source_id.removeprefix('article-').upper()}: {claim.status}" for claim in one.claims
            )
            base = {
                _("Product"): one.product,
                _("Platform"): platform_name(stack.platform, _),
                _("Verdict"): verdict_name(one.verdict, _),
                _("Conflict with articles"): _("yes") if one.conflicting else _("no"),
            }
            for fact in one.deciding or (None,):
                said = {
                    _("Date"): (fact.date or _("undated")) if fact else "",
                    _("Source"): catalog.source(fact.source_id).title if fact else "",
                    _("Version"): fact.version if fact else "",
                    _("Documentation says"): fact.status if fact else _("nothing found"),
                    _("Articles say"): claims,
                    _("Where"): fact.locator if fact else "",
                }
                lines.append({**base, **said})
    return pd.DataFrame(lines)


def formats_table(found: Porting, catalog: Catalog, _: Words) -> pd.DataFrame:
    """The formats of the workload on each part with every row that speaks of them.

    Parameters
    ----------
    found : Porting
        The verdicts.
    catalog : Catalog
        For titles of sources.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Empty where nothing is served.
    """
    return pd.DataFrame(
        [
            {
                _("Part"): one.accelerator.short_name,
                _("Format"): format_label(use, verdict, _),
                _("Support"): support_name(verdict.support, _),
                **_format_cells(fact, verdict, catalog, _),
            }
            for one in found.formats
            for use, verdict in (("weights", one.weights), ("cache", one.cache))
            for fact in (*verdict.deciding, *verdict.conflicting) or (None,)
        ]
    )


def _format_cells(fact: FormatFact | None, verdict: FormatVerdict, catalog: Catalog, _: Words) -> dict[str, str]:
    """One row that speaks of a format, and whether it decides; blanks where none does."""
    if fact is None:
        blank = dict.fromkeys(
            (_("Basis"), _("Decides"), _("Version"), _("Date"), _("Source"), _("Where"), _("Note")), ""
        )
        return {_("Row says"): _("nothing found"), **blank}
    return {
        _("Row says"): support_name(fact.support, _),
        _("Basis"): basis_name(fact.basis, _),
        _("Decides"): _("yes") if fact in verdict.deciding else _("no"),
        _("Version"): fact.version,
        _("Date"): fact.date or _("undated"),
        _("Source"): catalog.source(fact.source_id).title,
        _("Where"): fact.locator,
        _("Note"): fact.note,
    }


def basis_name(basis: str, _: Words) -> str:
    """What a statement on a format rests on.

    Parameters
    ----------
    basis : str
        "code", "documentation" or "report".
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table.
    """
    return {"code": _("code"), "documentation": _("documentation"), "report": _("issue report")}[basis]


def matrix_table(catalog: Catalog, _: Words) -> pd.DataFrame:
    """Every product of the matrix on both platforms, with the number of contradicted article statements.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a product.
    """
    lines = []
    for product in products(catalog.software):
        verdicts = [software_verdict(catalog.software, product, platform) for platform in _PLATFORMS]
        dates = [fact.date for one in verdicts for fact in one.deciding if fact.date]
        versions = [f"{one.platform}: {fact.version}" for one in verdicts for fact in one.deciding if fact.version]
        sources = [catalog.source(fact.source_id).title for one in verdicts for fact in one.deciding]
        lines.append(
            {
                _("Product"): product,
                **{one.platform: verdict_name(one.verdict, _) for one in verdicts},
                _("Version"): "; ".join(dict.fromkeys(versions)),
                _("Newest date"): max(dates, default=_("undated")),
                _("Contradicted statements"): sum(len(one.conflicting) for one in verdicts),
                _("Sources"): "; ".join(dict.fromkeys(sources)),
            }
        )
    return pd.DataFrame(lines)


def claims_table(catalog: Catalog, _: Words) -> pd.DataFrame:
    """Every statement of an article about software, beside the verdict of documentation.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Conflicts first.
    """
    lines = []
    for fact in catalog.software:
        if fact.kind != ARTICLE_CLAIM:
            continue
        verdicts = [software_verdict(catalog.software, product, fact.platform) for product in products([fact])]
        differs = any(fact in one.conflicting for one in verdicts)
        lines.append(
            {
                _("Software"): fact.framework,
                _("Platform"): fact.platform,
                _("Article"): fact.source_id.removeprefix("article-").upper(),
                _("The article says, in short"): fact.status,
                _("We read it as"): verdict_name(fact.verdict, _),
                _("Documentation"): ", ".join(dict.fromkeys(verdict_name(one.verdict, _) for one in verdicts)),
                _("Conflict"): _("yes") if differs else _("no"),
                _("Version"): fact.version,
                _("Date"): fact.date or _("undated"),
                _("Note"): fact.note,
            }
        )
    lines.sort(key=lambda line: line[_("Conflict")] != _("yes"))
    return pd.DataFrame(lines)


def effort_table(catalog: Catalog, _: Words) -> pd.DataFrame:
    """What is known about moving code to ROCm: measured ports, then what is reported.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row an assumption.
    """
    rows = [catalog.assumptions[name] for name in MIGRATION_ROWS if name in catalog.assumptions]
    return pd.DataFrame(
        [
            {
                _("Quantity"): _.pick(row.name_en, row.name_zh),
                _("Low"): row.low,
                _("Base"): row.base,
                _("High"): row.high,
                _("Unit"): row.unit,
                _("Kind"): {"measured": _("measured"), "reported": _("reported")}.get(row.kind, row.kind),
                _("Date"): row.as_of or _("undated"),
                _("Source"): catalog.source(row.source_id).title,
                _("Where"): row.locator,
                _("Note"): row.note,
            }
            for row in rows
        ]
    )


def details_table(key: str, found: Porting, catalog: Catalog, _: Words) -> pd.DataFrame:
    """The table of one of the sections that are opened on demand.

    Parameters
    ----------
    key : str
        "software.formats", "software.ports", "software.claims" or "software.matrix".
    found : Porting
        The verdicts.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a fact.
    """
    match key:
        case "software.formats":
            return formats_table(found, catalog, _)
        case "software.ports":
            return effort_table(catalog, _)
        case "software.claims":
            return claims_table(catalog, _)
        case _other:
            return matrix_table(catalog, _)
