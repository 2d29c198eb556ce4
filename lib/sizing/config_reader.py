"""A model's config.json, read with suspicion: each value checked when it is asked for, and each key remembered."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from lib.errors import ConfigError

MAX_LAYERS: Final = 1_000
MAX_WIDTH: Final = 1 << 20
MAX_COUNT: Final = 1 << 16
MAX_VOCAB: Final = 1 << 24
MAX_CONTEXT: Final = 1 << 31

Path = tuple[str | int, ...]

_COUNT_KEYS: Final = ("num_experts", "num_local_experts", "n_routed_experts")
"""Names for the number of routed experts that saved configs use for one another."""


class ConfigReader:
    """One section of a config.json that hands out checked values and notes the path of each key that it read."""

    def __init__(self, section: Mapping[str, Any], path: Path = (), parent: "ConfigReader | None" = None) -> None:
        self._section = section
        self._path = path
        self.parent = parent
        self.read: set[Path] = set() if parent is None else parent.read

    def has(self, key: str) -> bool:
        """Whether the key stands there with any value but null."""
        return self._get(key) is not None

    def states(self, key: str) -> bool:
        """Whether the key stands there at all; null says "none", which is not the same as silence."""
        self._get(key)
        return key in self._section

    def integer(self, key: str, default: int | None = None, *, low: int = 1, high: int = MAX_WIDTH) -> int:
        """The whole number under the key, or the default where it is missing or null; without one, ConfigError."""
        value = self._get(key)
        if value is None:
            if default is None:
                raise ConfigError("missing", key=self.where(key))
            return default
        return self._whole(value, self.where(key), low, high)

    def stated_integer(self, key: str, *, high: int = MAX_WIDTH) -> int:
        """The whole number under the key, where null means 0; ConfigError where the key is not there at all."""
        if not self.states(key):
            raise ConfigError("missing", key=self.where(key))
        return self.integer(key, 0, low=0, high=high)

    def number(self, key: str, *, low: float, high: float) -> float:
        """The number under the key between two bounds, or ConfigError."""
        value = self._get(key)
        if value is None:
            raise ConfigError("missing", key=self.where(key))
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ConfigError("not-number", key=self.where(key), value=shown(value), low=f"{low:g}", high=f"{high:g}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """True or false under the key, or the default where it is missing or null."""
        value = self._get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ConfigError("not-flag", key=self.where(key), value=shown(value))
        return value

    def text(self, key: str, default: str | None = None, *, longest: int = 200) -> str:
        """The text under the key, or the default where it is missing or null; without a default, ConfigError."""
        value = self._get(key)
        if value is None:
            if default is None:
                raise ConfigError("missing", key=self.where(key))
            return default
        if not isinstance(value, str) or len(value) > longest:
            raise ConfigError("not-short-text", key=self.where(key), value=shown(value))
        return value

    def integers(self, key: str, *, length: int | None = None, low: int = 0, high: int = MAX_WIDTH) -> list[int]:
        """The list of whole numbers under the key, of a given length where one is stated."""
        return [self._whole(value, self.where(key), low, high) for value in self._list(key, length)]

    def words(self, key: str, allowed: Sequence[str], *, length: int) -> list[str]:
        """The list of words under the key, one for each layer, each one of those allowed."""
        values = self._list(key, length)
        for value in values:
            if not isinstance(value, str) or value not in allowed:
                raise self.unknown_word(key, value, allowed)
        return values

    def listed(self, key: str) -> int:
        """Entries of the list under the key."""
        return len(self._list(key, None))

    def section(self, key: str) -> "ConfigReader | None":
        """The object under the key as a reader of its own, or None where it is missing or null."""
        value = self._section.get(key)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise ConfigError("not-object", key=self.where(key), value=shown(value))
        return ConfigReader(value, (*self._path, key), self)

    def sections(self, key: str, *, length: int) -> "list[ConfigReader]":
        """The list of objects under the key, each as a reader of its own."""
        values = self._section.get(key)
        if values is None:
            raise ConfigError("missing", key=self.where(key))
        if (
            not isinstance(values, list | tuple)
            or len(values) != length
            or not all(isinstance(one, Mapping) for one in values)
        ):
            raise ConfigError("not-objects", key=self.where(key), length=length)
        return [ConfigReader(one, (*self._path, key, index), self) for index, one in enumerate(values)]

    def context(self, default: int | None = None) -> int:
        """Longest context that the section states, or the default of the family's configuration class."""
        return self.integer("max_position_embeddings", default, high=MAX_CONTEXT)

    def head_dim(self, hidden_size: int, heads: int) -> int:
        """Width of one attention head; where none is stated, an even share of the hidden size."""
        if self.has("head_dim"):
            return self.integer("head_dim", high=MAX_COUNT)
        if hidden_size % heads:
            raise ConfigError("no-head-dim", key=self.where("head_dim"), heads=heads, hidden=hidden_size)
        return hidden_size // heads

    def layer_types(self, layers: int, known: Mapping[str, str]) -> list[str] | None:
        """The list layer_types in the words that its known words stand for, or None where there is none."""
        if not self.has("layer_types"):
            return None
        return [known[word] for word in self.words("layer_types", tuple(known), length=layers)]

    def expert_counts(
        self, count_key: str, top_k_key: str = "num_experts_per_tok", *, top_k: int | None = None
    ) -> tuple[int, int]:
        """Number of routed experts and how many of them a token takes, which cannot be more."""
        count_key = next((key for key in (count_key, *_COUNT_KEYS) if self.has(key)), count_key)
        count = self.integer(count_key, high=MAX_COUNT)
        chosen = self.integer(top_k_key, top_k, high=MAX_COUNT)
        if chosen > count:
            raise ConfigError("too-many-chosen", key=self.where(top_k_key), value=chosen, experts=count)
        return count, chosen

    def where(self, key: str) -> str:
        """The key with its path, as messages name it."""
        return ".".join(str(part) for part in (*self._path, key))

    def check_divides(self, key: str, value: int, other: str, whole: int) -> None:
        """ConfigError unless the value of a key divides that of another."""
        if whole % value:
            raise ConfigError("not-divisor", key=self.where(key), value=value, other=other, whole=whole)

    def unknown_word(self, key: str, value: object, known: Iterable[str]) -> ConfigError:
        """What to raise for a word that is none of those known."""
        return ConfigError("unknown-word", key=self.where(key), value=shown(value), known=", ".join(known))

    def _get(self, key: str) -> Any:
        if key in self._section:
            self.read.add((*self._path, key))
        return self._section.get(key)

    def _list(self, key: str, length: int | None) -> list[Any]:
        value = self._get(key)
        if value is None:
            raise ConfigError("missing", key=self.where(key))
        if not isinstance(value, list | tuple) or len(value) > MAX_LAYERS:
            raise ConfigError("not-list", key=self.where(key), value=shown(value))
        if length is not None and len(value) != length:
            raise ConfigError("wrong-length", key=self.where(key), entries=len(value), layers=length)
        return list(value)

    @staticmethod
    def _whole(value: object, where: str, low: int, high: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ConfigError("not-whole", key=where, value=shown(value), low=f"{low:,}", high=f"{high:,}")
        return value


def shown(value: object) -> str:
    """The value as a message may show it: short, whatever it is.

    Parameters
    ----------
    value : object
        Anything that a config may hold.

    Returns
    -------
    str
        At most some fifty characters.

    Examples
    --------
    >>> shown(10**30), shown({"a": 1}), shown("long " * 20)[-6:]
    ('a number beyond 10^18', 'an object', "g ...'")
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else "a number beyond 10^18"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "...")
    if isinstance(value, list | tuple):
        return "a list"
    return "an object" if isinstance(value, Mapping) else "something else"
