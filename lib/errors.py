"""What can go wrong, each said in one sentence that its reader can act on."""

import difflib
from collections.abc import Iterable


class LibError(Exception):
    """Any error that this library raises on purpose."""


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


class ConfigError(LibError, ValueError):
    """A model's config.json cannot be sized: says what is missing or unknown."""
