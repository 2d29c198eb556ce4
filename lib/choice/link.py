"""A scenario as one token of a link, and back: typed, versioned, safe against hostile input."""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Collection, Container, Mapping
from typing import Any, Final, Literal, Self
from urllib.parse import parse_qs, urlsplit

from pydantic import ValidationError

from lib.choice.link_dictionary import DICTIONARIES, DICTIONARY
from lib.choice.scenario import CUSTOM_MODEL, VERSION, Scenario, bounds, choices, excludes_least
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
    """A link that cannot be read: a code, and for a wrong field its name, the value found and what is allowed.

    `allowed` holds numbers and names alone, which are the same in every language. `rule` is the kind of thing that the field
    takes, one of RULES, where `allowed` does not say it all; `limits` are the numbers of that rule.
    """

    def __init__(
        self,
        code: str,
        field: str = "",
        value: str = "",
        allowed: str = "",
        rule: str = "",
        limits: tuple[str, ...] = (),
    ) -> None:
        self.code, self.field, self.value, self.allowed, self.rule, self.limits = (
            code,
            field,
            value,
            allowed,
            rule,
            limits,
        )
        super().__init__(" ".join(part for part in (code, field, value, allowed or rule) if part))

    @property
    def of_edit(self) -> Self:
        """The same of a value that was edited, and is not in use: code "edit", or "edit-rule" for a rule across fields."""
        code = "edit-rule" if self.code == "rule" else "edit"
        return type(self)(code, self.field, self.value, self.allowed, self.rule, self.limits)


RULES: Final[Mapping[str, str]] = {
    "greater_than": "above", "greater_than_equal": "between", "less_than": "between", "less_than_equal": "between",
    "int_type": "whole", "int_parsing": "whole", "int_parsing_size": "whole", "int_from_float": "whole",
    "float_type": "number", "float_parsing": "number", "finite_number": "number",
    "bool_type": "yes-no", "bool_parsing": "yes-no", "literal_error": "one-of", "enum": "one-of",
    "string_type": "text", "string_unicode": "text", "string_pattern_mismatch": "form",
    "string_too_long": "longest", "string_too_short": "shortest", "too_long": "most", "too_short": "fewest",
    "tuple_type": "list", "list_type": "list", "model_type": "fields", "model_attributes_type": "fields",
    "dict_type": "fields",
}  # fmt: skip
"""What validation complains of, as the kind of thing that was expected; "other" for a complaint that is not listed."""

_OF_NUMBERS: Final = frozenset({"above", "between", "whole", "number"})
_LIMIT: Final = {"longest": "max_length", "shortest": "min_length", "most": "max_length", "fewest": "min_length"}


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
    rule, stated = RULES.get(first["type"], "other"), first.get("ctx", {})
    if rule in _OF_NUMBERS:
        low, high = _ends(path)
        low, high = (
            low or _figure(stated.get("gt", stated.get("ge"))),
            high or _figure(stated.get("le", stated.get("lt"))),
        )
        is_above = rule == "above" or _is_above(path)
        rule = "above" if rule == "between" and is_above else rule
        limits = (low, high) if is_above else ()
        return LinkError("field", name, shown, allowed(path) or _range(low, high, is_above), rule, limits)
    if rule == "one-of":
        words = str(stated.get("expected", "")).replace(" or ", ", ").replace("'", "")
        return LinkError("field", name, shown, allowed(path) or words, rule)
    number = stated.get(_LIMIT.get(rule, ""))
    return LinkError("field", name, shown, "", rule, () if number is None else (_figure(number),))


def allowed(path: tuple[str | int, ...]) -> str:
    """What a field allows, in numbers and names.

    Parameters
    ----------
    path : tuple of str or int
        Where the value stands.

    Returns
    -------
    str
        "1 – 100,000", "> 0, ≤ 1" or "en, zh"; empty for free text and for what is no field.
    """
    try:
        words = choices(path)
    except InputError:
        return ""
    if words:
        return ", ".join(word for word in words if word)
    return _range(*_ends(path), _is_above(path))


def _range(low: str, high: str, is_above: bool) -> str:
    if low and high and not is_above:
        return f"{low} – {high}"
    return ", ".join(filter(None, (low and f"{'>' if is_above else '≥'} {low}", high and f"≤ {high}")))


def _ends(path: tuple[str | int, ...]) -> tuple[str, str]:
    """The limits that the record declares for a number; blank where there is none."""
    try:
        low, high = bounds(path)
    except InputError:
        return "", ""
    return _figure(low), _figure(high)


def _is_above(path: tuple[str | int, ...]) -> bool:
    try:
        return excludes_least(path)
    except InputError:
        return False


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.15g}"


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
    for problem in unknown_names(scenario, accelerators, models):
        raise problem


def unknown_names(scenario: Scenario, accelerators: Container[str], models: Container[str]) -> tuple[LinkError, ...]:
    """Every part and model that a scenario computes with and the catalogue does not have.

    Parameters
    ----------
    scenario : Scenario
        A validated scenario.
    accelerators, models : container of str
        The names that exist.

    Returns
    -------
    tuple of LinkError
        Code "unknown-name" with the field and the name.
    """
    named: list[tuple[str, str | None]] = []
    for at, one in enumerate(scenario.candidates):
        named += [(f"candidates.{at}.accelerator", one.accelerator), (f"candidates.{at}.bridge_part", one.bridge_part)]
    named += [(f"quotes.{at}.part", quote.part) for at, quote in enumerate(scenario.quotes)]
    found = [LinkError("unknown-name", field, name) for field, name in named if name and name not in accelerators]
    return tuple(found) + tuple(
        LinkError("unknown-name", f"workloads.{at}.model", workload.model)
        for at, workload in enumerate(scenario.workloads)
        if workload.model != CUSTOM_MODEL and workload.model not in models
    )
