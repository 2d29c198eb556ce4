"""Words and numbers as people read them, and nothing from outside read as markup."""

import pytest

from lib.present.text import markdown_safe, words


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (2.424, "2.42"), (1234.5, "1,234"), (0.00123, "0.00123"), (191.98, "192"), (None, "not published")],
)
def test_numbers_have_three_significant_figures(value: float | None, shown: str) -> None:
    """Thousands are grouped, zeros at the end fall away, what is unknown says so."""
    assert words("en").number(value) == shown


def test_plural_forms_follow_the_language() -> None:
    """English has two, Chinese one."""
    assert words("en").count("{n} GPU", "{n} GPUs", 1) == "1 GPU"
    assert words("en").count("{n} GPU", "{n} GPUs", 8) == "8 GPUs"
    assert words("zh").count("{n} GPU", "{n} GPUs", 1) == words("zh").count("{n} GPU", "{n} GPUs", 8).replace("8", "1")


@pytest.mark.parametrize(
    "text", ["http://e.example", "https://e.example/x", "www.e.example", "a@e.example", "[a](http://e.example)"]
)
def test_an_address_in_a_name_is_no_link(text: str) -> None:
    """Markdown makes links of bare addresses: none survives whole."""
    safe = markdown_safe(text)
    assert "http:" not in safe
    assert "https:" not in safe
    assert "www." not in safe
    assert "a@e" not in safe
    assert "](" not in safe
