"""Presets: whole scenarios kept as readable TOML in data/presets, completed with the edition's assumptions."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from lib.catalog import Catalog
from lib.choice.link import LinkError, check_names, field_error
from lib.choice.scenario import Language, Money, Scenario
from lib.cost.assumed_fields import ASSUMED, range_of
from lib.errors import DataError, UnknownNameError
from lib.records import Assumption

DEFAULT_PRESET: Final = "serve-70b"

MONEY_CONSTANTS: Final[Mapping[str, float | int]] = {
    "horizon_years": 3,
    "residual_scale": 1.0,
    "rent_change_per_year": 0.0,
    "licence_usd_per_gpu_year": 0.0,
}
"""Choices rather than facts: three years is the articles' horizon, no drift of rents is assumed, no licence is needed."""


def money_defaults(assumptions: Mapping[str, Assumption]) -> dict[str, float | int]:
    """The fields of Money at their base values.

    Parameters
    ----------
    assumptions : mapping of str to Assumption
        The edition's assumptions.

    Returns
    -------
    dict
        Field name to value, in the field's unit.

    Raises
    ------
    UnknownNameError
        If an assumption has gone or is a gap.
    """
    values: dict[str, float | int] = dict(MONEY_CONSTANTS)
    for field in ASSUMED:
        if field in Money.model_fields:
            _, values[field], _ = range_of(field, assumptions)
    return values


def preset(catalog: Catalog, preset_id: str, language: Language = "en") -> Scenario:
    """The scenario of a preset.

    Parameters
    ----------
    catalog : Catalog
        The edition in use.
    preset_id : str
        The file's name in data/presets without its ending.
    language : {"en", "zh"}
        The language of the pages.

    Returns
    -------
    Scenario
        Whole, with money filled from the assumptions.

    Raises
    ------
    UnknownNameError
        If there is no such preset.
    DataError
        If the preset's file breaks the record.
    """
    if preset_id not in catalog.presets:
        raise UnknownNameError("preset", preset_id, catalog.presets)
    raw: dict[str, Any] = dict(catalog.presets[preset_id]["scenario"])
    file = f"data/presets/{preset_id}.toml"
    data = {
        **raw,
        "version": 1,
        "edition": catalog.edition.label,
        "preset": preset_id,
        "language": language,
        "money": {**money_defaults(catalog.assumptions), **raw.get("money", {})},
    }
    try:
        scenario = Scenario.model_validate(_frozen(data))
        check_names(scenario, catalog.accelerators, catalog.models)
    except ValidationError as error:
        problem = field_error(error)
        raise DataError(file, 0, problem.field, problem.value, problem.allowed or problem.rule) from error
    except LinkError as error:
        raise DataError(file, 0, error.field, error.value, error.code) from error
    return scenario


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return value
