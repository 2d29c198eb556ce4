"""A whole scenario as a file that the buyer keeps: readable JSON with the edition, and back with every error named.

Benchmark rows of the user's own, which no link can carry, stand in it as the lines of their CSV.
"""

import json
from collections.abc import Container, Sequence
from typing import Any, Final

from pydantic import ValidationError

from lib.catalog import Catalog
from lib.choice.link import LinkError, field_errors, migrated, unknown_names
from lib.choice.own_parts import own_id
from lib.choice.own_rows import OwnRows, read_own_rows
from lib.choice.scenario import CUSTOM_MODEL, Scenario
from lib.errors import ConfigError, LibError, Refusal
from lib.sizing.architecture import from_config, parse_config

FORMAT: Final = "accelerator-ledger-scenario"
MAX_BYTES: Final = 1 << 20
"""Room for the largest scenario and the largest CSV of own rows, whose signs JSON may double."""

MAX_PROBLEMS: Final = 20
_OWN_ROWS: Final = "own_benchmark_rows"


class ScenarioFileError(LibError, ValueError):
    """A file that is not taken: every problem found, up to MAX_PROBLEMS.

    Codes beside those of links: too-large, not-text, not-json, not-a-scenario, not-own-rows, config.
    """

    def __init__(self, problems: Sequence[LinkError]) -> None:
        self.problems = tuple(problems)[:MAX_PROBLEMS]
        super().__init__("; ".join(str(one) for one in self.problems))


class UnsizableModelError(LinkError):
    """A model of the file that cannot be sized, with the reason: code config."""

    def __init__(self, field: str, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__("config", field, allowed=str(refusal))


def written(scenario: Scenario, edition: str, own: OwnRows | None = None) -> str:
    """The scenario as the text of a file.

    Parameters
    ----------
    scenario : Scenario
        Any.
    edition : str
        Label of the data edition that it is saved with.
    own : OwnRows, optional
        Benchmark rows of the user's own.

    Returns
    -------
    str
        JSON with every field that a link has, in the order of the record.
    """
    data: dict[str, Any] = {"format": FORMAT, "edition": edition, "scenario": scenario.model_dump(mode="json")}
    if own is not None:
        data[_OWN_ROWS] = own.text.split("\n")
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def read(content: bytes, accelerators: Container[str], models: Container[str]) -> Scenario:
    """The scenario of a file.

    Parameters
    ----------
    content : bytes
        From anybody.
    accelerators, models : container of str
        The names that exist in the catalogue; parts that the file states itself exist too.

    Returns
    -------
    Scenario
        Validated, all its names known and its own models such as can be sized.

    Raises
    ------
    ScenarioFileError
        With every problem found: a file is taken whole or not at all.
    """
    scenario = _validated(_fields(content))
    known = _Known(accelerators, tuple(own_id(at) for at in range(len(scenario.own_parts))))
    if problems := [*unknown_names(scenario, known, models), *_unsizable(scenario)]:
        raise ScenarioFileError(problems)
    return scenario


def read_rows(content: bytes, catalog: Catalog) -> OwnRows | None:
    """The benchmark rows of the user's own that a file of a scenario carries.

    Parameters
    ----------
    content : bytes
        From anybody.
    catalog : Catalog
        The edition, with the parts that the file states itself.

    Returns
    -------
    OwnRows or None
        Held against the vocabulary as an uploaded CSV is; None where the file carries none, as older ones do.

    Raises
    ------
    ScenarioFileError
        If the file is no scenario, or its rows are no lines of text.
    OwnRowsError
        With every problem found in the rows, lines counted from the first row of the CSV.
    """
    lines = _parsed(content).get(_OWN_ROWS)
    if lines is None:
        return None
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise ScenarioFileError([LinkError("not-own-rows", _OWN_ROWS)])
    try:
        return read_own_rows(catalog, "\n".join(lines).encode())
    except UnicodeEncodeError:  # half a character, which json.loads lets pass
        raise ScenarioFileError([LinkError("not-text")]) from None


class _Known:
    """Names of the catalogue and of the parts that a file states."""

    def __init__(self, accelerators: Container[str], own: tuple[str, ...]) -> None:
        self._accelerators, self._own = accelerators, own

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._accelerators


def _parsed(content: bytes) -> dict[str, Any]:
    if len(content) > MAX_BYTES:
        raise ScenarioFileError([LinkError("too-large", "", f"{len(content):,}", f"{MAX_BYTES:,}")])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ScenarioFileError([LinkError("not-text")]) from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ScenarioFileError([LinkError("not-json")]) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("scenario"), dict):
        raise ScenarioFileError([LinkError("not-a-scenario", "format", "", FORMAT)])
    return data


def _fields(content: bytes) -> dict[str, Any]:
    fields: dict[str, Any] = _parsed(content)["scenario"]
    try:
        return migrated(fields)
    except LinkError as error:
        raise ScenarioFileError([error]) from error


def _validated(fields: dict[str, Any]) -> Scenario:
    try:
        return Scenario.model_validate_json(json.dumps(fields))
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] == "json_invalid":  # half a character, which json.loads lets pass
            raise ScenarioFileError([LinkError("not-text")]) from error
        raise ScenarioFileError(field_errors(error)) from error


def _unsizable(scenario: Scenario) -> list[LinkError]:
    """Custom models whose config cannot be read: a link with one opens and says so, a file is taken whole or not at all."""
    found: list[LinkError] = []
    for at, one in enumerate(scenario.workloads):
        if one.model == CUSTOM_MODEL:
            try:
                from_config(parse_config(one.config), CUSTOM_MODEL)
            except ConfigError as error:
                found.append(UnsizableModelError(f"workloads.{at}.config", error.why))
    return found
