"""What can go wrong, each said in one sentence that its reader can act on."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final


def N_(message: str) -> str:  # noqa: N802 (the mark that gettext's tools know)
    """Mark a message for translation where it is written down; it is translated where it is shown.

    Parameters
    ----------
    message : str
        English text.

    Returns
    -------
    str
        The same text.
    """
    return message


class LibError(Exception):
    """Any error that this library raises on purpose."""

    @property
    def why(self) -> "Refusal | str":
        """The reason as a program may keep it; its text is the English one."""
        return str(self)


class InputError(LibError, ValueError):
    """A value outside its meaning: names the field, the value and the allowed range."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(f"{field} is {value!r}; allowed: {allowed}")


class DataError(LibError, ValueError):
    """A row of data/ is wrong: names file, line, column and value."""

    def __init__(self, file: str, line: int, column: str, value: object, reason: str) -> None:
        self.file, self.line, self.column, self.value, self.reason = file, line, column, value, reason
        super().__init__(f"{file}:{line}: column {column}: {value!r}: {reason}")


class UnknownNameError(LibError, LookupError):
    """No such accelerator, model, format or source: carries the three nearest right names."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name = what, name
        self.nearest = difflib.get_close_matches(name, list(known), n=3, cutoff=0.0)
        super().__init__(f"no {what} is called {name!r}; the nearest are {', '.join(self.nearest) or 'none'}")


REFUSALS: Final[Mapping[str, str]] = {
    # the text that was handed in
    "too-large": N_("the file has {bytes} bytes; a config.json has at most {most}"),
    "too-deep": N_("the file nests deeper than {levels} levels"),
    "not-utf8": N_("the file is not UTF-8 text"),
    "not-json": N_("the file is not JSON; it breaks off in line {line}, column {column}"),
    "too-many-digits": N_("the file holds a number of too many digits"),
    "nan": N_("the file holds NaN, which is not a number"),
    "no-object": N_("a config.json is an object"),
    "key-twice": N_("the key {key} stands twice in one object"),
    "too-long-for-link": N_(
        "the keys that sizing reads take {characters} characters; the link that holds the scenario carries at most {most}"
    ),
    "unprintable-name": N_("the name holds characters that cannot be shown"),
    # one key
    "missing": N_("{key} is missing"),
    "not-whole": N_("{key} is {value}; a whole number from {low} to {high} is needed"),
    "not-number": N_("{key} is {value}; a number from {low} to {high} is needed"),
    "not-flag": N_("{key} is {value}; true or false is needed"),
    "not-short-text": N_("{key} is {value}; a short text is needed"),
    "not-list": N_("{key} is {value}; a list is needed"),
    "not-object": N_("{key} is {value}; an object is needed"),
    "not-objects": N_("{key} must be a list of {length} objects, one for each layer"),
    "wrong-length": N_("{key} has {entries} entries for {layers} layers"),
    "unknown-word": N_("{key} holds {value}; known are {known}"),
    "wrong-letters": N_("{key} must be made of the signs {letters}, one for each layer"),
    "wrong-ratios": N_("{key} must give one of {known} for each of {layers} layers"),
    # keys against each other
    "not-divisor": N_("{key} is {value}, which does not divide {other} ({whole})"),
    "no-head-dim": N_("{key} is missing, and {heads} attention heads do not divide hidden_size {hidden}"),
    "not-less": N_("{key} is {value}, not less than {other} ({limit})"),
    "too-many-chosen": N_("{key} is {value}, more than the {experts} experts"),
    "wrong-pattern-length": N_("{key} is {value}, but the pattern names {layers} layers"),
    "not-each-once": N_("{key} and {other} must name each of {layers} layers once"),
    # the model as a whole
    "unknown-family": N_("model_type {value} is not known; known are {known}"),
    "unknown-kind": N_("{key} is {value}; models of this kind are not known here"),
    "unknown-tower": N_("{key}: this vision tower is not known; without the section the text side can be sized"),
    "no-config": N_("{model} has no language-model config; its memory is not modelled here"),
    "no-format": N_("the config of {model} does not tell its weight format; choose one"),
    "too-few-parameters": N_(
        "{key} is {value}, less than embedding, head and experts together; state the whole language model"
    ),
    "groups-cover": N_(
        "the layer groups cover {covered} of {layers} layers; layers that keep nothing are of kind none"
    ),
    "too-many-groups": N_("{key} has {entries} entries; at most {most} are read"),
}
"""Why a config.json cannot be sized, by code: the English words, which other rooms translate."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a model cannot be sized: a code of REFUSALS and the values of its sentence; its text is English."""

    code: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        return REFUSALS[self.code].format(**self.values)


class ConfigError(LibError, ValueError):
    """A model's config.json cannot be sized: says what is missing or unknown."""

    def __init__(self, code: str, **values: object) -> None:
        self.refusal = Refusal(code, values)
        super().__init__(str(self.refusal))

    @property
    def why(self) -> Refusal:
        """The code with its values."""
        return self.refusal
