"""Why a model cannot be sized, in the reader's words."""

from typing import Final

from lib.errors import N_, REFUSALS, Refusal
from lib.present.text import Words, markdown_safe

_KINDS: Final = frozenset({N_("a list"), N_("an object"), N_("something else"), N_("a number beyond 10^18")})
"""What a value is called that is not shown itself."""


def clause(refusal: Refusal | str, _: Words) -> str:
    """A refusal as a clause without full stop.

    Parameters
    ----------
    refusal : Refusal or str
        Of a config.json; a text where another error stood in the way.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown with everything that came from outside escaped.
    """
    if isinstance(refusal, str):
        return markdown_safe(refusal)
    texts = {name: str(value) for name, value in refusal.values.items()}
    return _(
        REFUSALS[refusal.code],
        **{name: markdown_safe(_(text) if text in _KINDS else text) for name, text in texts.items()},
    )
