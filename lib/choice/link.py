"""A scenario as one token of a link, and back: typed, versioned, safe against hostile input."""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Collection, Container, Mapping
from typing import Any, Final, Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import ValidationError

from lib.choice.link_dictionary import DICTIONARIES, DICTIONARY
from lib.choice.scenario import CUSTOM_MODEL, VERSION, Scenario, bounds, choices
from lib.errors import InputError, LibError

MAX_TOKEN_CHARACTERS: Final = 6000
MAX_RAW_BYTES: Final = 32_768
_MAX_SHOWN: Final = 40
_MAX_LINK: Final = 16_000
_MOST_FIELDS: Final = 20
_NAMES_A_DICTIONARY: Final = 0x20
_ID_OF_DICTIONARY: Final = slice(2, 6)

Migration = Callable[[dict[str, Any]], dict[str, Any]]

MIGRATIONS: Final[Mapping[int, Migration]] = {}
"""What turns the fields of a version into those of the next; none yet, for every link so far is of version 1."""


class LinkError(LibError, ValueError):
    """A link that cannot be read: a code, and for a wrong field its name, the value found and what is allowed."""

    def __init__(self, code: str, field: str = "", value: str = "", allowed: str = "") -> None:
        self.code, self.field, self.value, self.allowed = code, field, value, allowed
        super().__init__(" ".join(part for part in (code, field, value, allowed) if part))


def encode(scenario: Scenario) -> str:
    """The scenario as a token for the address bar: base64url(deflate(JSON with every field, with a known dictionary)).

    Parameters
    ----------
    scenario : Scenario
        Any valid scenario.

    Returns
    -------
    str
        Letters, digits, minus and underscore; a usual scenario takes some 200 characters.
    """
    raw = scenario.model_dump_json()
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY, DICTIONARY)
    return base64.urlsafe_b64encode(packer.compress(raw.encode()) + packer.flush()).rstrip(b"=").decode()


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
    inflater = zlib.decompressobj(zdict=_dictionary(packed))
    try:
        raw = inflater.decompress(packed, MAX_RAW_BYTES)
    except zlib.error as error:
        raise LinkError("damaged") from error
    if inflater.unconsumed_tail:
        raise LinkError("too-large")
    if not inflater.eof:
        raise LinkError("cut-off")
    return _validated(raw)


def _dictionary(packed: bytes) -> bytes:
    """The dictionary that a token names; blank for one of the first links, which were made without."""
    if len(packed) < _ID_OF_DICTIONARY.stop or not packed[1] & _NAMES_A_DICTIONARY:
        return b""
    found = DICTIONARIES.get(int.from_bytes(packed[_ID_OF_DICTIONARY], "big"))
    if found is None:
        raise LinkError("unknown-dictionary")
    return found


def migrated(
    data: dict[str, Any], migrations: Mapping[int, Migration] = MIGRATIONS, to: int = VERSION
) -> dict[str, Any]:
    """The fields of an old link as those of the present version, one version after the other.

    Parameters
    ----------
    data : dict
        As the link has them.
    migrations : mapping of int to Migration
        Version to what turns its fields into those of the next.
    to : int
        The present version.

    Returns
    -------
    dict
        The same object where the link is of the present version, or states none that can be migrated.

    Raises
    ------
    LinkError
        Code "newer-version" where the link is of a later version than this tool knows.
    """
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        return data
    if version > to:
        raise LinkError("newer-version", "version", str(version)[:_MAX_SHOWN], str(to))
    while version in migrations and version < to:
        version += 1
        data = {**migrations[version - 1](data), "version": version}
    return data


def _validated(raw: bytes) -> Scenario:
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise LinkError("damaged") from error
    if not isinstance(data, dict):
        raise LinkError("damaged")
    now = migrated(data)
    try:
        return Scenario.model_validate_json(raw if now is data else json.dumps(now))
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
    return field_errors(error, within)[0]


def field_errors(error: ValidationError, within: tuple[str | int, ...] = ()) -> tuple[LinkError, ...]:
    """Every problem of a validation, each as `field_error` names it.

    Parameters
    ----------
    error : pydantic.ValidationError
        What validating a scenario raised, or a part of one.
    within : tuple of str or int
        Where that part stands.

    Returns
    -------
    tuple of LinkError
        In the order of the fields, at least one.
    """
    return tuple(_named(one, within) for one in error.errors(include_url=False))


def _named(first: Any, within: tuple[str | int, ...]) -> LinkError:
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


def asked_for(text: str, presets: Collection[str]) -> tuple[Literal["preset", "token"], str]:
    """What somebody pasted: a whole link with ``?s=`` or ``?preset=``, a bare token, or a preset's name.

    Parameters
    ----------
    text : str
        Anything.
    presets : collection of str
        The names that exist.

    Returns
    -------
    tuple of str
        "preset" and a name that exists, or "token" and what may be one.

    Raises
    ------
    LinkError
        With a code: too-long, no-scenario for a link without one, unknown-name for what looks like a preset's name.
    """
    text = text.strip()
    if len(text) > _MAX_LINK:
        raise LinkError("too-long")
    name = text
    if "?" in text or "=" in text.rstrip("="):
        try:
            query = urlsplit(text).query if "?" in text else text
            asked = {field: values[-1] for field, values in parse_qs(query, max_num_fields=_MOST_FIELDS).items()}
        except ValueError as error:
            raise LinkError("no-scenario") from error
        if "s" in asked:
            return "token", asked["s"]
        if "preset" not in asked:
            raise LinkError("no-scenario")
        name = asked["preset"]
    elif "://" in text or text.startswith("/"):
        raise LinkError("no-scenario")
    if name in presets:
        return "preset", name
    if name is not text or re.fullmatch(r"[a-z0-9-]{1,40}", name):
        raise LinkError("unknown-name", "preset", name[:_MAX_SHOWN], ", ".join(presets))
    return "token", name


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
    for index, quote in enumerate(scenario.quotes):
        if quote.part not in accelerators:
            raise LinkError("unknown-name", f"quotes.{index}.part", quote.part)
    for index, workload in enumerate(scenario.workloads):
        if workload.model != CUSTOM_MODEL and workload.model not in models:
            raise LinkError("unknown-name", f"workloads.{index}.model", workload.model)
