"""The software page in words: what runs where, in which formats, and what moving costs."""

from typing import Final

from lib.catalog import Catalog
from lib.choice.format_support import FormatVerdict, Support
from lib.choice.porting import Effort, PlatformStack, Porting
from lib.choice.scenario import Scenario
from lib.choice.software import Runs
from lib.present import names
from lib.present.text import Words, markdown_safe

_RUNNING: Final = ("native", "weight-only", "emulated")
_FROM_WORST: Final[tuple[Runs, ...]] = ("does-not-run", "unknown", "runs-with-change", "runs")


def verdict_name(verdict: str, _: Words) -> str:
    """Whether a product runs, in the reader's words.

    Parameters
    ----------
    verdict : str
        As `lib.choice.software` gives it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table or a metric.
    """
    return {
        "runs": _("can run"),
        "runs-with-change": _("runs with change"),
        "does-not-run": _("does not run"),
        "unknown": _("unknown"),
    }[verdict]


def support_name(support: str, _: Words) -> str:
    """How a format runs, in the reader's words.

    Parameters
    ----------
    support : str
        As `lib.choice.format_support` gives it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table.
    """
    return {
        "native": _("native"),
        "weight-only": _("weight-only"),
        "emulated": _("emulated"),
        "none": _("not supported"),
        "unknown": _("unknown"),
    }[support]


def platform_name(platform: str, _: Words) -> str:
    """A platform as the field calls it.

    Parameters
    ----------
    platform : str
        "CUDA", "ROCm" or "".
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a sentence.
    """
    return platform or _("other platforms")


def parts_of(stack: PlatformStack, _: Words) -> str:
    """The parts of a platform in one clause.

    Parameters
    ----------
    stack : PlatformStack
        The platform.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "MI300X and MI325X".
    """
    return _.listing([markdown_safe(part.short_name) for part in stack.parts])


def answer(found: Porting, scenario: Scenario, _: Words) -> str:
    """What runs on each platform, in which format, and what the move takes.

    Parameters
    ----------
    found : Porting
        The verdicts.
    scenario : Scenario
        Engine, formats, and the cost of an engineer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    pieces = [_platform_sentence(stack, _) for stack in found.platforms]
    if not found.is_stated:
        pieces.insert(0, _("Nothing is ticked: judged by {product}.", product=_.listing(list(found.required))))
    pieces.append(formats_sentence(found, _))
    pieces += [effort_sentence(stack, scenario, _) for stack in found.platforms if stack.effort.kind != "none"]
    return " ".join(filter(None, pieces))


def _platform_sentence(stack: PlatformStack, _: Words) -> str:
    """One platform: all runs, or what does not."""
    where = {"platform": platform_name(stack.platform, _), "parts": parts_of(stack, _)}
    by_verdict: dict[Runs, list[str]] = {}
    for one in stack.products:
        by_verdict.setdefault(one.verdict, []).append(markdown_safe(one.product))
    if set(by_verdict) == {"runs"}:
        return _.count(
            "**{platform}** ({parts}): the one required product runs.",
            "**{platform}** ({parts}): all {n} required products run.",
            len(stack.products),
            **where,
        )
    clauses = [
        f"{_.listing(by_verdict[verdict])} {verdict_name(verdict, _)}"
        for verdict in _FROM_WORST
        if verdict in by_verdict
    ]
    return _("**{platform}** ({parts}): {clauses}.", clauses="; ".join(clauses), **where)


def formats_sentence(found: Porting, _: Words) -> str:
    """In which parts the weights are not computed in their own format.

    Parameters
    ----------
    found : Porting
        The verdicts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Empty where nothing is served.
    """
    if not found.formats:
        return ""
    named = found.formats[0].weights.format or _("the model's own format")
    groups: dict[Support, list[str]] = {}
    for one in found.formats:
        groups.setdefault(one.weights.support, []).append(markdown_safe(one.accelerator.short_name))
    if set(groups) == {"native"}:
        return _("{format} weights run natively on all of them.", format=named)
    listed = [
        f"{support_name(support, _)}: {_.listing(groups[support])}"
        for support in ("native", "weight-only", "emulated", "none", "unknown")
        if support in groups
    ]
    return _("{format} weights are {groups}.", format=named, groups="; ".join(listed))


def effort_sentence(stack: PlatformStack, scenario: Scenario, _: Words) -> str:
    """What moving to a platform takes, in weeks and in money.

    Parameters
    ----------
    stack : PlatformStack
        With its effort.
    scenario : Scenario
        For what an engineer costs, and what is looked at.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence; empty where nothing is moved.
    """
    effort = stack.effort
    platform = platform_name(stack.platform, _)
    if effort.kind == "none":
        return ""
    if effort.kind == "not-measured":
        return _("What moving to {platform} takes was not measured by anybody found.", platform=platform)
    values = {
        "platform": platform,
        "base": _.number(effort.weeks["base"]),
        "span": _.span(effort.weeks["low"], effort.weeks["high"]),
        "usd": _.usd(round(effort.cost_usd("base", scenario.money.staff_usd_per_fte_year) or 0.0, -2)),
    }
    sentence = (
        _(
            "Moving from CUDA to {platform} is estimated at {base} engineer-weeks ({span}), {usd}, from measured ports of kernel libraries.",
            **values,
        )
        if effort.kind == "measured"
        else _(
            "Moving from CUDA to {platform} is put at {base} engineer-weeks ({span}), {usd}, by article A0 alone.",
            **values,
        )
    )
    missing = [markdown_safe(one.product) for one in stack.products if one.verdict == "does-not-run"]
    if missing:
        sentence += " " + _("{products} must be replaced first: that is not in the weeks.", products=_.listing(missing))
    return sentence


def metrics(found: Porting, _: Words) -> list[tuple[str, str, str]]:
    """Two to four numbers beside the answer: label, value, help.

    Parameters
    ----------
    found : Porting
        The verdicts.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Products that run by platform, the weeks, and the conflicts.
    """
    rows = []
    for stack in found.platforms[:2]:
        running = sum(one.verdict in ("runs", "runs-with-change") for one in stack.products)
        rows.append(
            (
                _("Required products on {platform}", platform=platform_name(stack.platform, _)),
                _("{n} of {all} run", n=running, all=len(stack.products)),
                _("With or without a change, by documentation."),
            )
        )
    moved = next(
        (stack.effort for stack in found.platforms if stack.effort.weeks and stack.effort.kind != "none"), None
    )
    if moved is not None:
        rows.append(
            (
                _("Migration, engineer-weeks"),
                _.span(moved.weeks["low"], moved.weeks["high"]),
                _("Low to high; the base is {base}.", base=_.number(moved.weeks["base"])),
            )
        )
    rows.append(
        (
            _("Article statements contradicted"),
            f"{found.conflicts:,}",
            _("Statements about the required products that documentation contradicts."),
        )
    )
    return rows


def lines_sentence(effort: Effort, _: Words) -> str:
    """Lines of the reader's own kernels that a port like the measured ones would touch.

    Parameters
    ----------
    effort : Effort
        With its lines.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Empty where no lines are stated.
    """
    if not effort.lines:
        return ""
    return _(
        "Of your kernel lines the measured ports would have touched {base} ({span}).",
        base=_.number(effort.lines["base"]),
        span=_.span(effort.lines["low"], effort.lines["high"]),
    )


def matrix_title(found: Porting, _: Words) -> str:
    """The finding of the picture: parts on which everything runs.

    Parameters
    ----------
    found : Porting
        The verdicts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a title.
    """
    whole = parts_that_run(found)
    parts = sum(len(stack.parts) for stack in found.platforms)
    return _("Everything required is documented to run on {n} of {all} parts", n=len(whole), all=parts)


def parts_that_run(found: Porting) -> tuple[str, ...]:
    """Short names of the parts on which products and formats are all documented to run.

    Parameters
    ----------
    found : Porting
        The verdicts.

    Returns
    -------
    tuple of str
        A format that is emulated runs; one that is unknown does not count.
    """
    formats = {one.accelerator.accelerator_id: one for one in found.formats}
    names = []
    for stack in found.platforms:
        if stack.verdict not in ("runs", "runs-with-change"):
            continue
        for part in stack.parts:
            one = formats.get(part.accelerator_id)
            if one is None or all(verdict.support in _RUNNING for verdict in (one.weights, one.cache)):
                names.append(part.short_name)
    return tuple(names)


def matrix_in_words(found: Porting, _: Words) -> str:
    """The picture for those who cannot see it.

    Parameters
    ----------
    found : Porting
        The verdicts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Each platform with its products, each part with its formats.
    """
    lines = [
        f"{platform_name(stack.platform, _)}: "
        + ", ".join(f"{one.product} {verdict_name(one.verdict, _)}" for one in stack.products)
        for stack in found.platforms
    ]
    lines += [
        f"{one.accelerator.short_name}: {format_label('weights', one.weights, _)} {support_name(one.weights.support, _)}, "
        f"{format_label('cache', one.cache, _)} {support_name(one.cache.support, _)}"
        for one in found.formats
    ]
    return "; ".join(lines)


def format_label(use: str, verdict: FormatVerdict, _: Words) -> str:
    """A row of the picture that stands for a format.

    Parameters
    ----------
    use : str
        "weights" or "cache".
    verdict : FormatVerdict
        With the format's name.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Weights: fp8-tensor".
    """
    named = verdict.format or _("unknown")
    return _("Weights: {format}", format=named) if use == "weights" else _("Cache: {format}", format=named)


def caption(found: Porting, scenario: Scenario, catalog: Catalog, _: Words) -> str:
    """What the picture rests on.

    Parameters
    ----------
    found : Porting
        The verdicts.
    scenario : Scenario
        For the engine.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One line.
    """
    rows = [fact for stack in found.platforms for one in stack.products for fact in one.deciding]
    of_formats = [fact for one in found.formats for verdict in (one.weights, one.cache) for fact in verdict.deciding]
    return _(
        "{n} statements of documentation on products and {m} on formats under {engine}, each with version, date and source below. Data edition {edition}.",
        n=len(rows),
        m=len(of_formats),
        engine=names.engine(scenario.engine.engine),
        edition=catalog.edition.label,
    )


def method(_: Words) -> str:
    """How the page decides.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    return "\n\n".join(
        (
            _(
                "**Products.** Documentation of the project or the vendor decides; without it a third party. Where rows of that rank disagree the worst counts. What articles alone claim is unknown, and their statements stand beside what documentation says. A product that does not run on a platform rules its parts out on the recommendation page too."
            ),
            _(
                "**Formats.** The engine's code decides, then its documentation, then a report in an issue tracker; rows that say otherwise are marked as a conflict. Native computes in the format; weight-only keeps the weights in it and computes at 16 bit; emulated simulates it on parts without the units. A format that no row speaks of is unknown and is not taken as running."
            ),
            _(
                "**Migration.** With own kernel libraries: their number × the elapsed weeks of measured ports to ROCm, one engineer all the while, since effort was recorded nowhere. Without any: the range of article A0. Lines touched: own lines × the share that the ports touched. For products that run with a change nobody recorded the effort; it is not in the weeks. The cost model counts migration for AMD parts only."
            ),
        )
    )
