"""Each part is drawn so that it is told from every other one, on a light and on a dark ground."""

from itertools import combinations

import pytest

from lib import catalog
from lib.present.figures.points import titled
from lib.present.figures.style import ground, looks

FACTS = catalog.load()
GROUNDS = {False: "#FFFFFF", True: "#030406"}
"""The page's ground in both themes, from .streamlit/config.toml."""

COMPARED = ("mi300x", "mi325x", "mi355x", "mi350x", "h100-sxm", "h200-sxm", "b200-sxm", "b300-sxm", "gb200")


def channels(colour: str) -> list[float]:
    """Linear light of red, green and blue, as WCAG 2.2 defines it."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, as WCAG 2.2 defines it."""
    light = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in (channels(one), channels(other))
    )
    return (light[1] + 0.05) / (light[0] + 0.05)


def lab(colour: str) -> tuple[float, float, float]:
    """CIE L*a*b* of a colour under D65."""
    red, green, blue = channels(colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (one ** (1 / 3) if one > 0.008856 else 7.787 * one + 16 / 116 for one in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("dark", [False, True])
def test_every_colour_stands_out_from_its_ground(dark: bool) -> None:
    """At least 3 : 1, which WCAG 2.2 asks of graphical objects (1.4.11)."""
    colours = {look.colour for look in looks(FACTS.accelerators, dark=dark).values()}
    assert all(contrast(colour, GROUNDS[dark]) >= 3 for colour in colours)


@pytest.mark.parametrize("dark", [False, True])
def test_parts_that_are_compared_differ_in_colour_and_no_two_look_the_same(dark: bool) -> None:
    """At least 20 apart in L*a*b*, ten times what an eye just sees; of all parts of a vendor no two share colour and marker."""
    found = looks(FACTS.accelerators, dark=dark)
    assert len({(one.colour, one.marker) for one in found.values()}) == len(found)
    for one, other in combinations(COMPARED, 2):
        apart = sum((a - b) ** 2 for a, b in zip(lab(found[one].colour), lab(found[other].colour), strict=True)) ** 0.5
        assert apart >= 20, (one, other, apart)


@pytest.mark.parametrize("dark", [False, True])
def test_parts_of_two_vendors_never_share_a_marker(dark: bool) -> None:
    """Who sees no hues still tells AMD from NVIDIA."""
    found = looks(FACTS.accelerators, dark=dark)
    of = {
        vendor: {found[name].marker for name, part in FACTS.accelerators.items() if part.vendor == vendor}
        for vendor in ("AMD", "NVIDIA")
    }
    assert not of["AMD"] & of["NVIDIA"]


@pytest.mark.parametrize("text", ["价格不变时租用成本最低但并非每种走势都如此" * 3, "H100 rents down, " * 12])
def test_a_head_is_broken_into_lines_that_a_telephone_shows(text: str) -> None:
    """A Chinese character is as wide as its size: 23 of 15 px in a title and 29 of 12 px below it fill 358 px."""
    made = titled([], ground(dark=False), text, [text], height=100, left=8)
    head = made["layout"]["title"]
    for lines, wide, narrow in ((head["text"], 23, 48), (head["subtitle"]["text"], 29, 70)):
        for line in lines.split("<br>"):
            assert len(line) <= (wide if ord(line[0]) > 0x2E7F else narrow)
    assert made["layout"]["margin"]["t"] > 20 * head["text"].count("<br>") + 16 * head["subtitle"]["text"].count("<br>")
