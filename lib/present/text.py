"""Words and numbers as people read them, in English and Simplified Chinese.

The message catalogue is read from its .po file at start, so that what is under version control is what is shown:
there is no compiled copy that could be stale.
"""

import functools
import gettext
import io
import math
import re
from pathlib import Path
from typing import Any, Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from lib.errors import N_ as N_

LOCALES: Final = Path(__file__).resolve().parents[2] / "data" / "locales"
LANGUAGES: Final = {"en": "English", "zh": "简体中文"}


UNKNOWN: Final = N_("not published")
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>$~:&])")
_STARS: Final = re.compile(r"(?<!\\)\*+")


class Words:
    """Translates the messages of one language and writes its numbers.

    English and Chinese group thousands and mark decimals alike, so plain formatting serves both; a third language
    would bring Babel's number patterns here.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._translations = _translations(language)

    def __call__(self, message: str, /, **values: Any) -> str:
        """The message in this language, with its placeholders filled."""
        text = self._translations.gettext(message)
        return text.format(**values) if values else text

    def count(self, singular: str, plural: str, number: int, /, **values: Any) -> str:
        """The message for that number of things; {n} is the number."""
        return self._translations.ngettext(singular, plural, number).format(n=f"{number:,}", **values)

    def pick(self, english: str, chinese: str) -> str:
        """The text of a fact that carries both languages itself."""
        return chinese if self.language == "zh" and chinese else english

    def number(self, value: float | None, digits: int = 3) -> str:
        """The value with that many significant figures, thousands grouped; "not published" for None."""
        if value is None or math.isnan(value):
            return self(UNKNOWN)
        if value == 0:
            return "0"
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{decimals}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text

    def gib(self, value: float | None) -> str:
        """A number of GiB, two decimals below ten."""
        if value is None:
            return self(UNKNOWN)
        return f"{value:,.2f} GiB" if abs(value) < 10 else f"{value:,.1f} GiB"

    def usd(self, value: float | None, decimals: int = 0) -> str:
        """An amount of US dollars; contractual money keeps every figure."""
        return self(UNKNOWN) if value is None else f"{value:,.{decimals}f} USD"

    def percent(self, fraction: float | None, decimals: int = 0) -> str:
        """A fraction as a percentage."""
        return self(UNKNOWN) if fraction is None else f"{100 * fraction:.{decimals}f} %"

    def span(self, low: float | None, high: float | None, digits: int = 3) -> str:
        """A range with an en dash, or the one value where both ends read the same."""
        ends = self.number(low, digits), self.number(high, digits)
        return ends[0] if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"

    def ratio(self, value: float | None) -> str:
        """A ratio with two decimals."""
        return self(UNKNOWN) if value is None else f"{value:.2f}×"

    def listing(self, items: list[str]) -> str:
        """Items in one phrase: "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        if self.language == "zh":
            return "、".join(items[:-1]) + "和" + items[-1]
        return ", ".join(items[:-1]) + " and " + items[-1]


@functools.lru_cache(maxsize=len(LANGUAGES))
def words(language: str) -> Words:
    """The words of a language, one object a process.

    Parameters
    ----------
    language : str
        "en" or "zh".

    Returns
    -------
    Words
        Callable on messages.
    """
    return Words(language)


def _translations(language: str) -> gettext.NullTranslations:
    path = LOCALES / language / "LC_MESSAGES" / "messages.po"
    if language == "en" or not path.is_file():
        return gettext.NullTranslations()
    with path.open("rb") as file:
        messages = read_po(file, locale="zh_Hans_CN", abort_invalid=True)
    compiled = io.BytesIO()
    write_mo(compiled, messages)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def plain(markdown: str) -> str:
    r"""Markdown of this project's sentences as text, for files, figures and cells that read none.

    Parameters
    ----------
    markdown : str
        Bold, slanted and escaped words.

    Returns
    -------
    str
        The words.

    Examples
    --------
    >>> plain(r"**Llama 3\.3** at 5 USD")
    'Llama 3.3 at 5 USD'
    """
    return _ESCAPED.sub(r"\1", _STARS.sub("", markdown.replace("\u2060", "")))


def markdown_safe(text: str) -> str:
    """Text from a file or a link with every character that Markdown reads specially escaped.

    Parameters
    ----------
    text : str
        Anything.

    Returns
    -------
    str
        Text that Streamlit shows as it stands.
    """
    # bare addresses become links whatever is escaped around them: a word joiner keeps them words
    text = re.sub(r"(?i)(https?|ftp|mailto|www|xmpp)(?=[:.])", "\\1\u2060", text).replace("@", "@\u2060")
    return "".join(f"\\{character}" if character in r"\`*_{}[]()#+-.!|<>$~:&" else character for character in text)
