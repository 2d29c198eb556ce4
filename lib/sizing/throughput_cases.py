"""A batch of throughput questions, one row each, as the shell takes them: words to questions, estimates to columns."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from lib.catalog import Catalog
from lib.errors import InputError, LibError
from lib.records import Accelerator, Doubt, Layout
from lib.sizing import cases, serving_basis
from lib.sizing.cells import cell_of, count_of, ratio_name, rounded, word_of
from lib.sizing.serving_question import UNSTATED, check, columns, places_of, years
from lib.sizing.throughput import Conditions, Question, ThroughputEstimate, basis_of, sweep

COLUMNS: Final = (
    *cases.COLUMNS, "input_tokens", "output_tokens", "concurrency", "accelerator_count", "date", "speculative",
    "eager", "dp_attention", "disaggregated",
)  # fmt: skip
"""What a row may say; every other column passes through.

The last five are as in serving.csv. Without a date nobody says how old the software is: the interval is wider for it."""

_TRIPLES: Final = ("low", "estimate", "high")
ANSWERS: Final = (
    "bound", "low", "estimate", "high", *(f"ttft_s_{end}" for end in _TRIPLES), *(f"tpot_s_{end}" for end in _TRIPLES),
    "in_service", "waiting", "basis", "doubts",
)  # fmt: skip

_NUMBERS: Final = ANSWERS[:-2]

OBSERVED: Final[Mapping[str, tuple[str, float]]] = {
    "observed_output_tokens_per_s": ("estimate", 1.0),
    "observed_tokens_per_s": ("estimate", 1.0),
    "observed_throughput": ("estimate", 1.0),
    "observed_estimate": ("estimate", 1.0),
    "observed_ttft_s": ("ttft_s_estimate", 1.0),
    "observed_tpot_s": ("tpot_s_estimate", 1.0),
    "observed_ttft_ms": ("ttft_s_estimate", 1000.0),
    "observed_tpot_ms": ("tpot_s_estimate", 1000.0),
}
"""Logged column, the answer it is held against, and what of the logged unit is one of the answer's.

observed_ and the name of an answer, as in observed_ttft_s_low, is held against that answer."""


def evaluate(rows: Iterable[Mapping[str, str]], catalog: Catalog, folder: Path) -> list[dict[str, Any]]:
    """Each row with its estimate's columns added, or with the reason why it has none.

    Parameters
    ----------
    rows : iterable of Mapping[str, str]
        Rows of a CSV file; see COLUMNS.
    catalog : Catalog
        The edition: names, and the measured rows that estimates rest on.
    folder : Path
        Where relative paths of config.json files start.

    Returns
    -------
    list of dict
        In the order of the rows: the row, then ANSWERS, ratio_* of every observed_* column that has an answer, and
        `error`, blank where the row is right.

    Notes
    -----
    A wrong row does not stop the others. Rates are output tokens per second of the deployment. Without a measured
    basis the bound is there and the rest of the numbers is blank; `basis` then says none.
    """
    read = Reader(catalog, folder)
    given = [dict(row) for row in rows]
    asked: list[Question | str] = []
    for row in given:
        try:
            asked.append(read.question(row))
        except (LibError, OSError) as error:
            asked.append(str(error))
    estimates = iter(sweep(catalog, [one for one in asked if isinstance(one, Question)]))
    answered = []
    for row, one in zip(given, asked, strict=True):
        if isinstance(one, Question):
            found, wrong = _answers(next(estimates), read.added_doubts(row, one)), ""
        else:
            found, wrong = dict.fromkeys(ANSWERS, ""), one
        answered.append({**row, **found, **_ratios(row, found), "error": wrong})
    return answered


class Reader:
    """Rows to questions: names looked up once, defaults of the engine where a cell is blank."""

    def __init__(self, catalog: Catalog, folder: Path) -> None:
        self.catalog = catalog
        self._cases = cases.Reader(catalog, folder)
        self._published = {one.question.conditions.engine for one in basis_of(catalog).observed} - {""}

    def question(self, row: Mapping[str, str]) -> Question:
        """The question that a row asks; LibError says which cell is wrong."""
        name = cell_of(row, "accelerator")
        if not name:
            raise InputError("accelerator", "", "an id of the accelerators: a speed needs the part")
        part = self.catalog.accelerator(name)
        layout, count = self._layout(row)
        length = (count_of(row, "input_tokens") or 0) + (count_of(row, "output_tokens") or 0)
        engine, published = self._engine(row)
        case = self._cases.case(
            {
                **row,
                "engine": engine,
                "weight_format": _format_word(row, part),
                "tensor_parallel_size": str(layout.tensor_parallel_size),
                "max_model_len": cell_of(row, "max_model_len") or str(length or ""),
            }
        )
        question = Question(
            architecture=case.architecture,
            accelerator=part,
            layout=layout,
            settings=case.settings,
            weight_format=case.weight_format,
            kv_format=case.kv_format,
            input_tokens=_stated(row, "input_tokens"),
            output_tokens=_stated(row, "output_tokens"),
            concurrency=_stated(row, "concurrency"),
            replicas=count // layout.gpus,
            memory_gib=case.memory_gib,
            conditions=Conditions(
                speculative=_flag(row, "speculative"),
                eager=_flag(row, "eager"),
                disaggregated=_flag(row, "disaggregated"),
                date=cell_of(row, "date") or UNSTATED,
                engine=published,
            ),
        )
        if question.conditions.date != UNSTATED:
            years(question.conditions.date)
        check(question)
        question = _pipelined(self.catalog, row, question)
        if part.memory_bandwidth_tbs is not None:
            # A layout or format that the model cannot have is an error of this row, not of the batch.
            columns(self.catalog, (question,))
        return question

    @staticmethod
    def added_doubts(row: Mapping[str, str], question: Question) -> tuple[Doubt, ...]:
        """What was taken for granted in reading the row."""
        stages = question.layout.pipeline_parallel_size
        if stages > (count_of(row, "pipeline_parallel_size") or 1):
            return (Doubt("taken-as-pipeline", {"n": stages}),)
        return ()

    def _engine(self, row: Mapping[str, str]) -> tuple[str, str]:
        """The engine whose limits hold, and its published name where that is another engine's."""
        family = serving_basis.engine_family(cell_of(row, "engine").lower())
        if family in cases.ENGINE_WORDS or family not in self._published:
            return family, ""
        return serving_basis.settings_of(family, young=False), family

    @staticmethod
    def _layout(row: Mapping[str, str]) -> tuple[Layout, int]:
        """Layout of one replica and all GPUs; with only a count stated, tensor parallelism takes them all."""
        names = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")
        ranks, stages, copies = (count_of(row, name) for name in names)
        count = count_of(row, "accelerator_count")
        if ranks is None:
            ranks = 1 if count is None else max(count // ((stages or 1) * (copies or 1)), 1)
        if _flag(row, "dp_attention") and copies is None:
            ranks, copies = 1, ranks
        expert = word_of(row, "expert_parallel", cases.FLAG_WORDS, "0")
        layout = Layout(ranks, stages or 1, copies or 1, expert)
        count = layout.gpus if count is None else count
        if count % layout.gpus:
            raise InputError("accelerator_count", count, f"a multiple of the {layout.gpus} GPUs of a replica")
        return layout, count


def _pipelined(catalog: Catalog, row: Mapping[str, str], question: Question) -> Question:
    """The question with its replicas as stages of one where a replica alone does not start and no stages are stated."""
    layout = question.layout
    if question.replicas == 1 or count_of(row, "pipeline_parallel_size") or places_of(catalog, question).starts:
        return question
    return replace(question, replicas=1, layout=replace(layout, pipeline_parallel_size=question.replicas))


def _format_word(row: Mapping[str, str], part: Accelerator) -> str:
    """The weight format's word: as stated, else as the published name has it; `fp4` is the part's own of four bits."""
    word = cell_of(row, "weight_format") or serving_basis.named_format(cell_of(row, "model"))
    if word.lower() == "fp4":
        return "nvfp4" if part.vendor == "NVIDIA" else "mxfp4"
    return word


def _stated(row: Mapping[str, str], column: str) -> int:
    value = count_of(row, column)
    if value is None:
        raise InputError(column, "", "a whole number above 0")
    return value


def _flag(row: Mapping[str, str], column: str) -> bool:
    return word_of(row, column, cases.FLAG_WORDS, "0")


def _answers(found: ThroughputEstimate, added: tuple[Doubt, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {
        "bound": found.bound,
        "low": found.low,
        "estimate": found.estimate,
        "high": found.high,
    }
    for name, interval in (("ttft_s", found.ttft_s), ("tpot_s", found.tpot_s)):
        values |= {f"{name}_{end}": getattr(interval, end) if interval else None for end in _TRIPLES}
    values |= {
        "in_service": found.in_service,
        "waiting": found.waiting,
        "basis": found.basis.distance,
        "doubts": ";".join(doubt.code for doubt in (*added, *found.doubts)),
    }
    return {name: "" if value is None else _shown(value) for name, value in values.items()}


def _shown(value: Any) -> Any:
    """A number with six significant digits: times of a step are a thousandth of a second and less."""
    return float(f"{value:.6g}") if isinstance(value, float) else rounded(value)


def _ratios(row: Mapping[str, str], found: Mapping[str, Any]) -> dict[str, Any]:
    """What is estimated over what was logged, for each logged column; blank where either is missing."""
    ratios: dict[str, Any] = {}
    for column in row:
        answer, scale = OBSERVED.get(column, (column.removeprefix("observed_"), 1.0))
        if not column.startswith("observed_") or answer not in _NUMBERS:
            continue
        ratios[ratio_name(column)] = ""
        try:
            logged = float(cell_of(row, column) or "nan") / scale
        except ValueError:
            continue
        if logged and math.isfinite(logged) and found[answer] != "":
            ratios[ratio_name(column)] = rounded(found[answer] / logged)
    return ratios
