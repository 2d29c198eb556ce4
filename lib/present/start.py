"""The first page in words: what the tool decides, and the presets as the questions people come with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.presets import preset as whole_preset
from lib.choice.scenario import Language, Scenario
from lib.present.text import Words, markdown_safe

_GROUPS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "serve",
        ("serve-70b", "chat-low-latency", "knowledge-base", "long-context", "multimodal", "image-generation"),
    ),
    ("large", ("llama-405b", "deepseek-v3", "deepseek-v4")),
    ("train", ("pretrain-256", "train-128", "train-long-sequence", "finetune-64")),
    ("money", ("buy-or-wait", "mi355x-rent", "token-price", "one-megawatt", "research-lab")),
)
"""What people come to decide, the most frequent question of each group first."""

_LAST_GROUP: Final = "money"
"""Where a preset goes that no group names."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One preset as the first page offers it."""

    preset_id: str
    page: str
    title: str
    question: str
    advice: str


@dataclass(frozen=True, slots=True)
class Group:
    """Presets that belong together, under a heading."""

    name: str
    entries: tuple[Entry, ...]


def promise(_: Words) -> str:
    """What the tool decides and what to do first, in one sentence.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    return _(
        "This ledger decides **which AI accelerators to buy or rent** for your model, your load and your budget: "
        "choose the question nearest to yours, read its answer, then change any number in it."
    )


def guarantees(_: Words) -> str:
    """What a reader can rely on, in one short line.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For small type.
    """
    return _(
        "Every number has its source and date; every estimate its error against what was measured; every "
        "recommendation the points at which it flips."
    )


def sharing(_: Words) -> str:
    """How a view is shared.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For small type.
    """
    return _(
        "To share what you see, copy the address of the page: it holds the whole scenario, and a colleague who opens "
        "it sees the same numbers. Nothing is stored on the server."
    )


def groups(catalog: Catalog, _: Words) -> tuple[Group, ...]:
    """Every preset once, under the heading of what people come to decide.

    Parameters
    ----------
    catalog : Catalog
        The edition with its presets.
    _ : Words
        The reader's language.

    Returns
    -------
    tuple of Group
        In the order shown.
    """
    names = {
        "serve": _("Serving a model"),
        "large": _("Sizing a large model"),
        "train": _("Training and fine-tuning"),
        "money": _("Money, power and time"),
    }
    named = {preset_id for _key, members in _GROUPS for preset_id in members}
    unnamed = tuple(preset_id for preset_id in catalog.presets if preset_id not in named)
    result = []
    for key, members in _GROUPS:
        wanted = (*members, *unnamed) if key == _LAST_GROUP else members
        entries = tuple(_entry(one, catalog.presets[one], _) for one in wanted if one in catalog.presets)
        result.append(Group(names[key], entries))
    return tuple(result)


def _entry(preset_id: str, preset: Mapping[str, Any], _: Words) -> Entry:
    advice = _.pick(preset.get("advice_en", ""), preset.get("advice_zh", ""))
    article = str(preset.get("advice_source", "")).removeprefix("article-").upper()
    return Entry(
        preset_id=preset_id,
        page=preset["page"],
        title=markdown_safe(_.pick(preset["title_en"], preset["title_zh"])),
        question=markdown_safe(_.pick(preset["question_en"], preset["question_zh"])),
        advice=_("The article ({article}) says: {advice}", article=article, advice=markdown_safe(advice))
        if advice
        else "",
    )


def page_name(page: str, _: Words) -> str:
    """A page's name as the navigation writes it.

    Parameters
    ----------
    page : str
        The page's file without its ending.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a link.
    """
    return {
        "recommend": _("Recommend"),
        "memory": _("Memory"),
        "benchmarks": _("Benchmarks"),
        "cost": _("Cost"),
        "specs": _("Specs"),
        "software": _("Software"),
        "timing": _("Timing"),
        "inside": _("Chips"),
        "offer": _("Offers"),
        "compare": _("Compare"),
        "claims": _("Claims"),
        "sources": _("Sources"),
    }[page]


def scenario_name(catalog: Catalog, scenario: Scenario, _: Words) -> str:
    """What the scenario in use is called: its own title, or its preset, and whether it was changed.

    Parameters
    ----------
    catalog : Catalog
        The edition with its presets.
    scenario : Scenario
        The reader's.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    known = catalog.presets.get(scenario.preset)
    if scenario.title or known is None:
        return markdown_safe(scenario.title) or _("your own scenario")
    title = markdown_safe(_.pick(known["title_en"], known["title_zh"]))
    language: Language = scenario.language
    unchanged = scenario == whole_preset(catalog, scenario.preset, language)
    return title if unchanged else _("{title} (changed)", title=title)
