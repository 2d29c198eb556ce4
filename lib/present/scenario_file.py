"""A scenario as a file, in words: where it is kept, and why a file was refused."""

from collections.abc import Sequence

from lib.choice.link import LinkError
from lib.present import problems
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
    field, value, allowed = (markdown_safe(part) for part in (problem.field, problem.value, problem.allowed))
    match problem.code:
        case "config":
            return _("the model in the field {field} cannot be sized: {reason}", field=field, reason=allowed)
        case "too-large":
            return _("it has {value} bytes; allowed: {allowed}", value=value, allowed=allowed)
        case "not-text":
            return _("it is not text in UTF-8")
        case "not-json":
            return _("it is not JSON, or is cut off")
        case "not-a-scenario":
            return _("it is no scenario file of this tool")
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


def note(_: Words) -> str:
    """Where the scenario is, and that the server does not keep it."""
    return _(
        "The file holds the whole scenario: loads, options, own parts, offers, prices, limits, and the data edition. **Nothing is "
        "stored on the server**: the scenario is in the address of the page and in the file that you keep. Benchmark rows of "
        "your own are not in it; download them on the benchmarks page."
    )
