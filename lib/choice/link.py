"""A scenario as one token of a link, and back: typed, versioned, safe against hostile input."""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Container
from typing import Any, Final

from pydantic import ValidationError

from lib.choice.scenario import CUSTOM_MODEL, VERSION, Scenario, bounds, choices
from lib.errors import InputError, LibError

MAX_TOKEN_CHARACTERS: Final = 6000
MAX_RAW_BYTES: Final = 32_768
_MAX_SHOWN: Final = 40


class LinkError(LibError, ValueError):
    """A link that cannot be read: a code, and for a wrong field its name, the value found and what is allowed."""

    def __init__(self, code: str, field: str = "", value: str = "", allowed: str = "") -> None:
        self.code, self.field, self.value, self.allowed = code, field, value, allowed
        super().__init__(" ".join(part for part in (code, field, value, allowed) if part))


def encode(scenario: Scenario) -> str:
    """The scenario as a token for the address bar: base64url(deflate(JSON with every field)).

    Parameters
    ----------
    scenario : Scenario
        Any valid scenario.

    Returns
    -------
    str
        Letters, digits, minus and underscore; a usual scenario takes some 700 characters.
    """
    raw = json.dumps(scenario.model_dump(mode="json"), separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return base64.urlsafe_b64encode(zlib.compress(raw.encode(), 9)).rstrip(b"=").decode()


def decode(token: str) -> Scenario:
    """The scenario of a token.

    Parameters
    ----------
    token : str
        What stands behind ``?s=`` in a link; anything a stranger may have typed.

    Returns
    -------
    Scenario
        The validated record; its names are not yet held against the catalogue, see `check_names`.

    Raises
    ------
    LinkError
        With a code and, for a wrong field, its name, value and allowed range.
    """
    if len(token) > MAX_TOKEN_CHARACTERS:
        raise LinkError("too-long")
    if not re.fullmatch(r"[A-Za-z0-9_-]*={0,2}", token):
        raise LinkError("not-a-token")
    try:
        packed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except (binascii.Error, ValueError) as error:
        raise LinkError("not-a-token") from error
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(packed, MAX_RAW_BYTES)
    except zlib.error as error:
        raise LinkError("damaged") from error
    if inflater.unconsumed_tail:
        raise LinkError("too-large")
    if not inflater.eof:
        raise LinkError("cut-off")
    return _validated(raw)


def _validated(raw: bytes) -> Scenario:
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise LinkError("damaged") from error
    if not isinstance(data, dict):
        raise LinkError("damaged")
    version = data.get("version")
    if isinstance(version, int) and version > VERSION:
        raise LinkError("newer-version", "version", str(version), str(VERSION))
    try:
        return Scenario.model_validate_json(raw)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] == "json_invalid":  # half a character, which json.loads lets pass
            raise LinkError("damaged") from error
        raise field_error(error) from error


def field_error(error: ValidationError, within: tuple[str | int, ...] = ()) -> LinkError:
    """The first problem of a validation as a LinkError that names field, value and allowed range.

    Parameters
    ----------
    error : pydantic.ValidationError
        What validating a scenario raised, or a part of one.
    within : tuple of str or int
        Where that part stands.

    Returns
    -------
    LinkError
        Code "field" with the allowed range, "unknown-field" or "rule".
    """
    first: Any = error.errors(include_url=False)[0]
    path = within + tuple(
        step for step in first["loc"] if not (isinstance(step, str) and step.startswith(("function-", "tuple[")))
    )
    name = ".".join(str(step) for step in path)[:_MAX_SHOWN]
    shown = json.dumps(first.get("input"), ensure_ascii=True, default=str)[:_MAX_SHOWN]
    if first["type"] == "extra_forbidden":
        return LinkError("unknown-field", name)
    if first["type"] == "value_error":
        return LinkError("rule", name, allowed=str(first["msg"]).removeprefix("Value error, "))
    if first["type"] == "missing":
        return LinkError("missing-field", name)
    return LinkError("field", name, shown, allowed(path) or str(first["msg"]))


def allowed(path: tuple[str | int, ...]) -> str:
    """What a field allows, in numbers and names.

    Parameters
    ----------
    path : tuple of str or int
        Where the value stands.

    Returns
    -------
    str
        "1 – 100,000" or "en, zh"; empty for free text and for what is no field.
    """
    try:
        low, high = bounds(path)
        words = choices(path)
    except InputError:
        return ""
    if words:
        return ", ".join(word for word in words if word)
    if low is not None and high is not None:
        return f"{low:,.10g} – {high:,.10g}"
    return ""


def check_names(scenario: Scenario, accelerators: Container[str], models: Container[str]) -> None:
    """Refuse a scenario that names a part or a model that the catalogue does not have.

    Parameters
    ----------
    scenario : Scenario
        A validated scenario.
    accelerators, models : container of str
        The names that exist.

    Raises
    ------
    LinkError
        Code "unknown-name" with the field and the name.
    """
    for index, candidate in enumerate(scenario.candidates):
        if candidate.accelerator not in accelerators:
            raise LinkError("unknown-name", f"candidates.{index}.accelerator", candidate.accelerator)
    for index, workload in enumerate(scenario.workloads):
        if workload.model != CUSTOM_MODEL and workload.model not in models:
            raise LinkError("unknown-name", f"workloads.{index}.model", workload.model)
