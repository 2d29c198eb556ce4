"""Whether a stack runs on each platform, and what moving it takes: verdicts by product, formats by part, weeks of work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.format_support import FormatVerdict, format_of, format_support
from lib.choice.page_choices import End, StackChoices
from lib.choice.scenario import CUSTOM_MODEL, Scenario, changed
from lib.choice.sized import SERVING_TASKS
from lib.choice.software import PLATFORMS, Runs, SoftwareVerdict, software_verdict
from lib.choice.view_choices import stack_choices
from lib.cost.draft import WEEKS_PER_YEAR
from lib.errors import ConfigError
from lib.records import Accelerator, Assumption
from lib.sizing import architecture

EffortKind = Literal["none", "measured", "article", "not-measured"]

ENGINE_PRODUCTS: Final[Mapping[str, str]] = {
    "vllm-v1": "vLLM",
    "vllm-v0": "vLLM",
    "sglang": "SGLang",
    "tensorrt-llm": "TensorRT-LLM",
}
"""Engine of a scenario -> its product in the software matrix."""

TRAINING_PRODUCT: Final = "PyTorch"
"""What a training run needs at least."""

MEASURED_WEEKS: Final = "mig-elapsed"
ARTICLE_WEEKS: Final = "mig-article-weeks"
CODE_SHARE: Final = "mig-code-share"
MIGRATION_ROWS: Final = (
    MEASURED_WEEKS, CODE_SHARE, "mig-followup", "mig-build", ARTICLE_WEEKS, "mig-ai-port",
)  # fmt: skip
"""What is known about moving code to ROCm, measured before reported."""

_RUN_BY: Final[Mapping[str, str]] = {"cuda": "CUDA", "rocm": "ROCm", "none": ""}
_ENDS: Final[tuple[End, ...]] = ("low", "base", "high")
_FROM_WORST: Final[tuple[Runs, ...]] = ("does-not-run", "unknown", "runs-with-change", "runs")
_PERCENT: Final = 100.0


@dataclass(frozen=True, slots=True)
class Effort:
    """What a move to one platform takes: weeks of one engineer, and lines of the reader's own kernels."""

    kind: EffortKind
    weeks: Mapping[End, float]
    lines: Mapping[End, float]
    ids: tuple[str, ...]

    def cost_usd(self, end: End, usd_per_year: float) -> float | None:
        """The weeks at a yearly cost of an engineer [USD]; None where nobody measured them."""
        return self.weeks[end] * usd_per_year / WEEKS_PER_YEAR if self.weeks else None


@dataclass(frozen=True, slots=True)
class PlatformStack:
    """One platform with the parts that run it, the verdict of each product, the worst of them, and the move to it."""

    platform: str
    parts: tuple[Accelerator, ...]
    verdict: Runs
    products: tuple[SoftwareVerdict, ...]
    effort: Effort


@dataclass(frozen=True, slots=True)
class PartFormats:
    """The formats of the workload on one part."""

    accelerator: Accelerator
    weights: FormatVerdict
    cache: FormatVerdict


@dataclass(frozen=True, slots=True)
class Porting:
    """The whole answer: what must run, on each platform and part."""

    required: tuple[str, ...]
    is_stated: bool
    """Whether the reader said what must run; else it is what the workload cannot do without."""
    platforms: tuple[PlatformStack, ...]
    formats: tuple[PartFormats, ...]
    """Empty where nothing is served: the table speaks of serving engines."""

    @property
    def conflicts(self) -> int:
        """Claims of articles that documentation contradicts, over all products and platforms."""
        return sum(len(one.conflicting) for stack in self.platforms for one in stack.products)

    def stack_of(self, accelerator: Accelerator) -> PlatformStack:
        """The platform that a part runs."""
        return next(stack for stack in self.platforms if accelerator in stack.parts)


def required_products(scenario: Scenario) -> tuple[str, ...]:
    """What must run: what the reader states, else what the workload in view cannot do without.

    Parameters
    ----------
    scenario : Scenario
        Its constraints and its engine.

    Returns
    -------
    tuple of str
        Names of the software matrix.
    """
    if scenario.constraints.software:
        return scenario.constraints.software
    if scenario.workload.task in SERVING_TASKS:
        return (ENGINE_PRODUCTS[scenario.engine.engine],)
    return (TRAINING_PRODUCT,)


def porting(catalog: Catalog, scenario: Scenario, parts: Sequence[Accelerator]) -> Porting:
    """Whether what must run does run on each platform of the parts compared, and what a move to it takes.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        What must run, the engine, the formats, and what runs today.
    parts : sequence of Accelerator
        The parts compared.

    Returns
    -------
    Porting
        Platforms in the order of their first part.
    """
    required = required_products(scenario)
    choices = stack_choices(scenario)
    by_platform: dict[str, list[Accelerator]] = {}
    for part in parts:
        by_platform.setdefault(PLATFORMS.get(part.vendor, ""), []).append(part)
    stacks = []
    for platform, members in by_platform.items():
        verdicts = tuple(software_verdict(catalog.software, product, platform) for product in required)
        worst = next(word for word in _FROM_WORST if any(one.verdict == word for one in verdicts))
        move = effort(catalog.assumptions, choices, platform)
        stacks.append(PlatformStack(platform, tuple(members), worst, verdicts, move))
    formats: tuple[PartFormats, ...] = ()
    if scenario.workload.task in SERVING_TASKS:
        named = format_of(scenario.workload.weight_format, native_format(catalog, scenario))
        kept = format_of(scenario.workload.kv_format, "")
        formats = tuple(
            PartFormats(
                part,
                format_support(catalog.formats, part, scenario.engine.engine, "weights", named),
                format_support(catalog.formats, part, scenario.engine.engine, "cache", kept),
            )
            for part in parts
        )
    return Porting(required, bool(scenario.constraints.software), tuple(stacks), formats)


def native_format(catalog: Catalog, scenario: Scenario) -> str:
    """The format in which the model in view was published.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Its workload names a model, or holds a config.

    Returns
    -------
    str
        "" where it is not known.
    """
    workload = scenario.workload
    if workload.model != CUSTOM_MODEL:
        known = catalog.models.get(workload.model)
        return known.native_format if known else ""
    try:
        return architecture.from_config(architecture.parse_config(workload.config), CUSTOM_MODEL).native_format
    except ConfigError:
        return ""


def effort(assumptions: Mapping[str, Assumption], choices: StackChoices, platform: str) -> Effort:
    """What moving a stack to a platform takes.

    weeks = libraries x elapsed weeks of a measured port; lines = own lines x share of lines that measured ports touched

    Parameters
    ----------
    assumptions : mapping of str to Assumption
        The edition's assumptions.
    choices : StackChoices
        What runs today, and how much of it is the reader's own kernels.
    platform : str
        Where it is moved.

    Returns
    -------
    Effort
        Low, base and high. Nothing where the stack runs there already or nothing runs today. With own kernel libraries
        the measured ports; without any the article's range. From ROCm, or to another platform, nobody measured a port,
        and there are no weeks.

    Notes
    -----
    The measured ports record elapsed time, not effort: one engineer all the while is assumed, and libraries are ported
    one after the other.

    Examples
    --------
    >>> effort({}, StackChoices(runs_today="rocm"), "ROCm").weeks["high"]
    0.0
    """
    today = _RUN_BY[choices.runs_today]
    nothing: dict[End, float] = dict.fromkeys(_ENDS, 0.0)
    if not today or today == platform:
        return Effort("none", nothing, nothing, ())
    if (today, platform) != ("CUDA", "ROCm"):
        return Effort("not-measured", {}, {}, ())
    lines: dict[End, float] = {}
    ids: tuple[str, ...] = ()
    if choices.kernel_lines is not None and choices.kernel_libraries:
        share = _ends(assumptions[CODE_SHARE])
        lines = {end: choices.kernel_lines * share[end] / _PERCENT for end in _ENDS}
        ids = (CODE_SHARE,)
    if choices.kernel_libraries:
        each = _ends(assumptions[MEASURED_WEEKS])
        weeks = {end: each[end] * choices.kernel_libraries for end in _ENDS}
        return Effort("measured", weeks, lines, (MEASURED_WEEKS, *ids))
    return Effort("article", _ends(assumptions[ARTICLE_WEEKS]), lines, (ARTICLE_WEEKS,))


def with_migration(scenario: Scenario, weeks: float) -> Scenario:
    """The scenario with these weeks as its migration, for the cost.

    Parameters
    ----------
    scenario : Scenario
        Any scenario.
    weeks : float
        Engineer-weeks.

    Returns
    -------
    Scenario
        A new record.

    Raises
    ------
    pydantic.ValidationError
        If the weeks are outside the range of the field.
    """
    return changed(scenario, ("money", "migration_engineer_weeks"), float(weeks))


def _ends(row: Assumption) -> dict[End, float]:
    return {"low": row.low or 0.0, "base": row.base or 0.0, "high": row.high or 0.0}
