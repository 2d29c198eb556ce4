"""The benchmark kit in words: what each step does, what to record, what is wrong with an uploaded file."""

from collections.abc import Sequence

import pandas as pd

from lib.catalog import Catalog
from lib.choice.kit import Kit
from lib.choice.own_rows import MAX_PROBLEMS, CellProblem, OwnRows
from lib.present.measured_words import model_name, short_name
from lib.present.text import Words, markdown_safe


def answer(kit: Kit, model_id: str, catalog: Catalog, _: Words) -> str:
    """What the commands measure, in one sentence.

    Parameters
    ----------
    kit : Kit
        For one part and engine.
    model_id : str
        The workload's model.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    runs = _.listing([f"{one.concurrency:,}" for one in kit.loads])
    return _(
        "These commands serve {model} with {engine} on {part} ({gpus}) and send prompts of {input} tokens with answers of "
        "{output} tokens, {runs} at a time.",
        model=markdown_safe(model_name(catalog, model_id, _)),
        engine=engine_name(kit.engine),
        part=short_name(catalog, kit.accelerator.accelerator_id),
        gpus=_("number of GPUs to be stated") if kit.gpus is None else _.count("{n} GPU", "{n} GPUs", kit.gpus),
        input=f"{kit.input_tokens:,}",
        output=f"{kit.output_tokens:,}",
        runs=runs,
    )


def engine_name(word: str) -> str:
    """An engine's name: the same in every language."""
    return {"vllm": "vLLM", "sglang": "SGLang"}.get(word, word)


def script_name(kit: Kit) -> str:
    """The file name of the script."""
    return f"benchmark-{kit.engine}-{kit.accelerator.accelerator_id}.sh"


def unavailable(part: str, _: Words) -> str:
    """Why there is no kit."""
    return _("No kit for {part}: it measures language models served on parts of AMD and NVIDIA.", part=part)


def notes(kit: Kit, _: Words) -> list[str]:
    """What the reader must state or know before running the commands.

    Parameters
    ----------
    kit : Kit
        For one part and engine.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Sentences.
    """
    words = {
        "custom-model": _("State the repository or folder of the custom model as MODEL."),
        "checkpoint": _(
            "State a checkpoint published in the scenario's weight format as MODEL: it is not the native one."
        ),
        "gpus-unknown": _("State the tensor parallel size as GPUS: no replica of one server is known for this load."),
        "several-servers": _("The replica spans several servers: start the engine on each as its documentation says."),
    }
    return [
        *(words[one] for one in kit.notes),
        _(
            "TAG is the tag of the image: state one, and record it. For pairs at equal GPU counts run both parts at the "
            "larger of the two tensor parallel sizes too."
        ),
    ]


def step_name(step: str, _: Words) -> str:
    """What a step does.

    Parameters
    ----------
    step : str
        A word of `lib.choice.kit.STEPS`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a heading.
    """
    return {
        "container": _("Start the container"),
        "record": _("Record driver, image, packages and power"),
        "serve": _("Serve the model"),
        "ready": _("Wait until it answers"),
        "load": _("Send the load"),
        "stop": _("Stop"),
    }[step]


def what_to_record(_: Words) -> str:
    """What a row of the CSV needs beside its figure, and where the figures stand in the result files."""
    return _(
        "**Record with each run**: driver (driver.txt), image with its digest (image.json), engine version "
        "(packages.txt), every flag and environment variable that was set, mean power of a GPU while the load ran "
        "(power.csv), and who owns the hardware.\n\n"
        "**Where the figures stand**: vLLM writes output_throughput, total_token_throughput, median_ttft_ms, p99_ttft_ms, "
        "median_tpot_ms and p99_tpot_ms; SGLang the same names, total_throughput for the total. Both latencies of a row "
        "come from one run. A run whose completed requests are fewer than sent is not a result.\n\n"
        "**queue_limited**: yes, where the server log shows fewer running requests than were sent at once. "
        "**publisher_interest**: independent, unless a seller of the part ran it or gave the hardware. Run each load three "
        "times with REPEAT=1, 2 and 3."
    )


def privacy(_: Words) -> str:
    """Where own rows live."""
    return _(
        "Own rows stay in this session: nothing is stored on the server, they do not travel in the link, and they are gone "
        "when the page is reloaded. Download them, or save the whole scenario on the page of offers, to keep them."
    )


def taken(own: OwnRows, catalog: Catalog, _: Words) -> str:
    """What was read from an uploaded file.

    Parameters
    ----------
    own : OwnRows
        The rows.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    known = [one for one in own.accelerators if one in catalog.accelerators]
    parts = _.listing([short_name(catalog, one) for one in known]) or _("parts outside the catalogue")
    models = _.listing([markdown_safe(model_name(catalog, one, _)) for one in own.models])
    text = _(
        "{rows} of your own are in the charts and pairs of this page, marked ★: {parts}; {models}.",
        rows=_.count("{n} row", "{n} rows", len(own.frame)),
        parts=parts,
        models=models or _("models outside the catalogue: in the table only"),
    )
    if own.unfilled:
        text += " " + _.count(
            "{n} row without a value was passed over.", "{n} rows without a value were passed over.", own.unfilled
        )
    return text


def refused(problems: Sequence[CellProblem], _: Words) -> str:
    """That a file was not taken, and how many things are wrong with it."""
    more = len(problems) >= MAX_PROBLEMS
    count = _.count("{n} problem", "{n} problems", len(problems))
    return _(
        "The file was refused whole ({count}); the rows taken before stay.",
        count=_("{count} and perhaps more", count=count) if more else count,
    )


def problem_table(problems: Sequence[CellProblem], _: Words) -> pd.DataFrame:
    """What is wrong with a file, by line and column with what is allowed.

    Parameters
    ----------
    problems : sequence of CellProblem
        Of an OwnRowsError.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    lines = [
        (
            str(one.line) if one.line else _("whole file"),
            one.column or "–",
            one.value,
            _problem(one.code, _),
            one.allowed,
        )
        for one in problems
    ]
    return pd.DataFrame(lines, columns=[_("Line"), _("Column"), _("Value"), _("Problem"), _("Allowed")])


def problem_line(problem: CellProblem, _: Words) -> str:
    """One thing that is wrong with own rows, in one line.

    Parameters
    ----------
    problem : CellProblem
        Of an OwnRowsError.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    where = _("line {n}", n=problem.line) if problem.line else _("whole file")
    place = ", ".join(filter(None, (where, markdown_safe(problem.column))))
    said = _problem(problem.code, _)
    value = f" ({markdown_safe(problem.value)})" if problem.value else ""
    limit = "; " + _("allowed: {allowed}", allowed=markdown_safe(problem.allowed)) if problem.allowed else ""
    return f"{place}: {said}{value}{limit}"


def _problem(code: str, _: Words) -> str:
    return {
        "too-large": _("too many bytes"),
        "not-text": _("cannot be read as this kind of text"),
        "no-rows": _("no row with a value"),
        "too-many-rows": _("too many rows"),
        "header": _("wrong number of columns, or a column twice"),
        "unknown-column": _("no such column; the nearest stand under Allowed"),
        "missing-column": _("this column is missing"),
        "required": _("must not be blank"),
        "word": _("not a word of this column"),
        "integer": _("must be a whole number"),
        "number": _("must be a number with a decimal point"),
        "range": _("outside the range"),
        "date": _("not a date"),
        "flag": _("must be yes, no or blank"),
        "text": _("holds characters that cannot be shown"),
        "long": _("too many characters"),
        "unit": _("not a unit of this metric"),
        "basis": _("does not go with this unit"),
    }[code]
