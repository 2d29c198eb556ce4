"""A scenario as a file, in words: where it is kept, and why a file was refused."""

from collections.abc import Sequence

from lib.choice.link import LinkError
from lib.choice.own_rows import CellProblem, OwnRows
from lib.choice.scenario_file import UnsizableModelError
from lib.present import kit, problems, refusals
from lib.present.text import Words, markdown_safe


def problem_of(problem: LinkError, _: Words) -> str:
    """One thing that is wrong with a scenario file.

    Parameters
    ----------
    problem : LinkError
        Of `lib.choice.scenario_file`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    if isinstance(problem, UnsizableModelError):
        return _(
            "the model in the field {field} cannot be sized: {reason}",
            field=markdown_safe(problem.field),
            reason=refusals.clause(problem.refusal, _),
        )
    value, allowed = (markdown_safe(part) for part in (problem.value, problem.allowed))
    match problem.code:
        case "too-large":
            return _("it has {value} bytes; allowed: {allowed}", value=value, allowed=allowed)
        case "not-text":
            return _("it is not text in UTF-8")
        case "not-json":
            return _("it is not JSON, or is cut off")
        case "not-a-scenario":
            return _("it is no scenario file of this tool")
        case "not-own-rows":
            return _("its benchmark rows are not the lines of a CSV file")
    return problems.reason(problem, _)


def refused(found: Sequence[LinkError], _: Words) -> str:
    """Why a scenario file was refused, every reason on its own line.

    Parameters
    ----------
    found : sequence of LinkError
        Of `lib.choice.scenario_file`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    head = _("The file was refused whole, and the scenario is as it was:")
    return "\n".join([head, "", *(f"- {problem_of(one, _)}" for one in found)])


def rows_refused(found: Sequence[CellProblem], _: Words) -> str:
    """Why a scenario file was refused for its benchmark rows, every reason on its own line.

    Parameters
    ----------
    found : sequence of CellProblem
        Of `lib.choice.own_rows`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    head = _("The file was refused whole, and the scenario is as it was. Its own benchmark rows do not hold:")
    return "\n".join([head, "", *(f"- {kit.problem_line(one, _)}" for one in found)])


def taken(own: OwnRows | None, held: bool, _: Words) -> str:
    """That a file is open.

    Parameters
    ----------
    own : OwnRows or None
        Benchmark rows that it brought.
    held : bool
        Whether the session already had such rows.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    text = _("The scenario of the file is open: every page shows it.")
    if own is not None:
        return f"{text} " + _.count(
            "{n} benchmark row of your own came with it.",
            "{n} benchmark rows of your own came with it.",
            len(own.frame),
        )
    if held:
        text += " " + _("It brings no benchmark rows; those that you uploaded before stay.")
    return text


def note(_: Words) -> str:
    """Where the scenario is, and that the server does not keep it."""
    return _(
        "The file holds the whole scenario: loads, options, own parts, offers, prices, limits, benchmark rows of your own, and "
        "the data edition. **Nothing is stored on the server**: the scenario is in the address of the page and in the file that "
        "you keep; your own benchmark rows are in the file alone."
    )
