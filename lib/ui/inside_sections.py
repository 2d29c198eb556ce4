"""The views of the page on the chips: each is computed and drawn only when it is chosen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lib.choice import chip, chip_fabric, chip_roofline
from lib.choice.chip import Datum
from lib.present import inside, inside_limits
from lib.present import inside_numbers as numbers
from lib.present.figures import inside as drawings
from lib.present.figures import inside_charts as charts
from lib.present.figures import inside_roofline
from lib.records import Accelerator
from lib.ui import cached, show, state


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with its finding in words."""

    figure: dict[str, Any]
    alt: str
    key: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What one view shows: metrics, a figure of its own width, figures in two columns, and the values behind them."""

    metrics: Sequence[numbers.Metric]
    wide: Picture | None
    pairs: Sequence[Picture]
    data: Sequence[Datum]


def seen(view: str, parts: tuple[Accelerator, ...], found: Sequence[chip_roofline.Roof]) -> Seen:
    """The view of these parts."""
    return {"chiplets": _chiplets, "memory": _memory, "compute": _compute, "fabric": _fabric}.get(
        view, _Roofline(found)
    )(parts)


def draw(one: Seen) -> None:
    """The figures; two columns stand under each other on a narrow screen."""
    if one.wide is not None:
        show.chart(one.wide.figure, alt=one.wide.alt, key=one.wide.key)
    for row in _rows(one.pairs):
        for column, picture in zip(st.columns(2, gap="medium"), row, strict=False):
            with column:
                show.chart(picture.figure, alt=picture.alt, key=picture.key)


def _rows(pairs: Sequence[Picture]) -> Iterator[Sequence[Picture]]:
    for start in range(0, len(pairs), 2):
        yield pairs[start : start + 2]


def _chiplets(parts: tuple[Accelerator, ...]) -> Seen:
    _ = state.text()
    facts, looks, dark = cached.facts(), cached.looks(show.dark()), show.dark()
    built = [chip.package(facts, part) for part in parts]
    pictures = [
        Picture(
            drawings.package_chart(one, looks[one.part.accelerator_id], _, dark=dark),
            inside.package_in_words(one, _),
            f"inside.package.{place}",
        )
        for place, one in enumerate(built)
    ]
    data = [one.data[name] for name in chip.PACKAGE for one in built]
    return Seen(numbers.package_metrics(built, _), None, pictures, data)


def _memory(parts: tuple[Accelerator, ...]) -> Seen:
    _ = state.text()
    found = chip.memory_systems(cached.facts(), parts)
    figure = charts.memory_chart(found, cached.looks(show.dark()), _, dark=show.dark())
    picture = Picture(figure, inside.memory_in_words(found, _), "inside.memory")
    data = [one.data[name] for name in chip.MEMORY for one in found] + [row for one in found for row in one.rows]
    return Seen(numbers.memory_metrics(found, _), picture, (), data)


def _compute(parts: tuple[Accelerator, ...]) -> Seen:
    _ = state.text()
    found = {named: [chip.format_rate(cached.facts(), part, named) for part in parts] for named in chip.FORMATS}
    figure = charts.compute_chart(found, cached.looks(show.dark()), _, dark=show.dark())
    picture = Picture(figure, inside.compute_in_words(found, _), "inside.compute")
    return Seen(numbers.compute_metrics(found["fp8"], _), picture, (), numbers.compute_data(found))


def _fabric(parts: tuple[Accelerator, ...]) -> Seen:
    _ = state.text()
    dark, looks = show.dark(), cached.looks(show.dark())
    found = chip_fabric.fabrics(cached.facts(), parts)
    picture = Picture(
        charts.fabric_chart(found, looks, _, dark=dark), inside.fabric_in_words(found, _), "inside.fabric"
    )
    joined = [
        Picture(
            drawings.topology_chart(one, looks[one.part.accelerator_id], _, dark=dark),
            inside.topology_in_words(one, _),
            f"inside.topology.{place}",
        )
        for place, one in enumerate(chip_fabric.shapes(found))
    ]
    data = [one.data[name] for name in chip_fabric.FABRIC for one in found] + [row for one in found for row in one.rows]
    return Seen(numbers.fabric_metrics(found, _), picture, joined, data)


@dataclass(frozen=True, slots=True)
class _Roofline:
    found: Sequence[chip_roofline.Roof]

    def __call__(self, parts: tuple[Accelerator, ...]) -> Seen:
        _ = state.text()
        facts = cached.facts()
        memory = chip.memory_systems(facts, parts)
        figure = inside_roofline.roofline_chart(self.found, memory, cached.looks(show.dark()), _, dark=show.dark())
        picture = Picture(figure, inside_limits.roofline_in_words(self.found, _), "inside.roofline")
        data = [one for roof in self.found for one in chip_roofline.roof_data(facts, roof)]
        data += [one.reading for one in memory]
        return Seen(numbers.roofline_metrics(self.found, _), picture, (), data)
