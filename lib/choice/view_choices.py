"""Reading and writing what a reader chose on the software and the timing page: what is left at its default is not in the link."""

from typing import Any

from lib.choice.page_choices import StackChoices, TimingChoices
from lib.choice.scenario import Scenario, changed


def stack_choices(scenario: Scenario) -> StackChoices:
    """What the reader chose on the software page.

    Parameters
    ----------
    scenario : Scenario
        Any scenario.

    Returns
    -------
    StackChoices
        As stated, else the defaults.
    """
    return scenario.view.stack or StackChoices()


def timing_choices(scenario: Scenario) -> TimingChoices:
    """What the reader chose on the timing page.

    Parameters
    ----------
    scenario : Scenario
        Any scenario.

    Returns
    -------
    TimingChoices
        As stated, else the defaults.
    """
    return scenario.view.timing or TimingChoices()


def with_stack(scenario: Scenario, field: str, value: Any) -> Scenario:
    """The scenario with one choice of the software page.

    Parameters
    ----------
    scenario : Scenario
        Any scenario.
    field : str
        A field of StackChoices.
    value : Any
        In the type of the field.

    Returns
    -------
    Scenario
        A new record.

    Raises
    ------
    pydantic.ValidationError
        If the value is outside its range.
    """
    chosen = {**stack_choices(scenario).model_dump(), field: value}
    return changed(scenario, ("view", "stack"), None if chosen == StackChoices().model_dump() else chosen)


def with_timing(scenario: Scenario, field: str, value: Any) -> Scenario:
    """The scenario with one choice of the timing page.

    Parameters
    ----------
    scenario : Scenario
        Any scenario.
    field : str
        A field of TimingChoices.
    value : Any
        In the type of the field.

    Returns
    -------
    Scenario
        A new record.

    Raises
    ------
    pydantic.ValidationError
        If the value is outside its range.
    """
    chosen = {**timing_choices(scenario).model_dump(), field: value}
    return changed(scenario, ("view", "timing"), None if chosen == TimingChoices().model_dump() else chosen)
