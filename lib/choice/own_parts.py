"""A part that the buyer states: beside the catalogue's, wherever parts are looked up, and marked as the buyer's own."""

import functools
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from lib.catalog import Catalog
from lib.choice.scenario import Candidate, OwnPart, Scenario
from lib.errors import InputError
from lib.records import Accelerator

PREFIX: Final = "own-"
"""How the ids of such parts begin."""


def own_id(index: int) -> str:
    """The id of the n-th own part.

    Parameters
    ----------
    index : int
        From 0.

    Returns
    -------
    str
        "own-1" for the first.
    """
    return f"{PREFIX}{index + 1}"


def is_own(accelerator_id: str) -> bool:
    """Whether a part is one that the buyer states.

    Parameters
    ----------
    accelerator_id : str
        Any id.

    Returns
    -------
    bool
        No part of the catalogue has such an id.
    """
    return accelerator_id.startswith(PREFIX)


@functools.lru_cache(maxsize=32)
def with_own_parts(catalog: Catalog, own: tuple[OwnPart, ...]) -> Catalog:
    """The catalogue with the buyer's parts after its own.

    Parameters
    ----------
    catalog : Catalog
        As data/ has it.
    own : tuple of OwnPart
        What the scenario states; none gives the catalogue itself.

    Returns
    -------
    Catalog
        One object for each statement, so that it keys caches.
    """
    if not own:
        return catalog
    added = {own_id(index): _accelerator(own_id(index), part) for index, part in enumerate(own)}
    everything = MappingProxyType({**catalog.accelerators, **added})
    stated = {own_id(at): part.server_power_kw for at, part in enumerate(own) if part.server_power_kw is not None}
    return replace(
        catalog, accelerators=everything, edition_facts=catalog.published, stated_server_kw=MappingProxyType(stated)
    )


def named_alike(yours: Scenario, other: Scenario) -> tuple[Scenario, Scenario]:
    """Two scenarios in which an own part's id means one part: ids are places in a list, which each scenario has its own of.

    Parameters
    ----------
    yours, other : Scenario
        Each with its own parts.

    Returns
    -------
    tuple of Scenario
        Both with the parts of either: yours first, under their ids, then those of the other that yours does not state, under
        the ids that follow. Not validated again: together they may be more than one scenario may have.
    """
    if not yours.own_parts and not other.own_parts:
        return yours, other
    every, free, ids = list(yours.own_parts), list(range(len(yours.own_parts))), dict[str, str]()
    for at, part in enumerate(other.own_parts):
        same = next((place for place in free if yours.own_parts[place] == part), None)
        if same is None:
            every.append(part)
        else:
            free.remove(same)  # parts stated alike twice are two parts
        ids[own_id(at)] = own_id(len(every) - 1 if same is None else same)

    def called(name: str | None) -> str | None:
        return None if name is None else ids.get(name, name)

    renamed = other.model_copy(
        update={
            "own_parts": tuple(every),
            "candidates": tuple(
                one.model_copy(update={"accelerator": called(one.accelerator), "bridge_part": called(one.bridge_part)})
                for one in other.candidates
            ),
            "quotes": tuple(one.model_copy(update={"part": called(one.part)}) for one in other.quotes),
            "view": other.view.model_copy(update={"base": called(other.view.base)}),
        }
    )
    return yours.model_copy(update={"own_parts": tuple(every)}), renamed


def _accelerator(accelerator_id: str, part: OwnPart) -> Accelerator:
    return Accelerator(
        accelerator_id=accelerator_id,
        vendor="" if part.vendor == "other" else part.vendor,
        name=part.name,
        short_name=part.name,
        architecture="",
        form_factor="",
        launch="",
        status="",
        memory_gb=None,
        memory_unit_note="",
        memory_driver_gib=None,
        memory_runtime_gib=part.memory_gib,
        memory_type="",
        memory_bandwidth_tbs=part.memory_bandwidth_tbs,
        fp64_tflops=None,
        fp64_matrix_tflops=None,
        fp32_tflops=None,
        tf32_dense_tflops=None,
        fp16_bf16_dense_tflops=part.fp16_bf16_dense_tflops,
        fp16_bf16_sparse_tflops=None,
        fp8_dense_tflops=part.fp8_dense_tflops,
        fp8_sparse_tflops=None,
        fp6_dense_tflops=None,
        fp4_dense_tflops=part.fp4_dense_tflops,
        int8_dense_tops=None,
        interconnect_name="",
        interconnect_gbs=part.interconnect_gbs,
        pcie="",
        tdp_w=part.tdp_w,
        gpus_per_node=part.gpus_per_node,
        max_scale_up_gpus=part.gpus_per_node,
        compute_units="",
        chiplets="",
        process_nm=None,
        transistors_b=None,
        notes="",
    )


def add_part(scenario: Scenario, part: OwnPart, price_usd: float | None = None) -> Scenario:
    """The scenario with one more own part, compared with the others.

    Parameters
    ----------
    scenario : Scenario
        What it is added to.
    part : OwnPart
        What the buyer states.
    price_usd : float or None
        Of one part [USD]; None where it is not known.

    Returns
    -------
    Scenario
        The part is the last candidate, had in the way of the first one.

    Raises
    ------
    InputError
        There is room for no more of them.
    """
    if len(scenario.own_parts) >= _most(Scenario, "own_parts"):
        raise InputError("own_parts", part.name, f"at most {_most(Scenario, 'own_parts')} own parts; remove one first")
    if len(scenario.candidates) >= _most(Scenario, "candidates"):
        raise InputError("candidates", part.name, f"at most {_most(Scenario, 'candidates')} options; remove one first")
    way = scenario.candidates[0]
    candidate = Candidate(
        accelerator=own_id(len(scenario.own_parts)),
        acquisition=way.acquisition,
        gpus=way.gpus,
        gpu_price_usd=price_usd if way.acquisition == "buy" else None,
        price_source="own" if price_usd is not None else "catalogue",
    )
    return scenario.model_copy(
        update={"own_parts": (*scenario.own_parts, part), "candidates": (*scenario.candidates, candidate)}
    )


def without_parts(scenario: Scenario) -> Scenario:
    """The scenario without own parts.

    Parameters
    ----------
    scenario : Scenario
        What they are taken from.

    Returns
    -------
    Scenario
        Other candidates stay; where none is left, the scenario stays as it is.
    """
    kept = tuple(one for one in scenario.candidates if not is_own(one.accelerator))
    quotes = tuple(one for one in scenario.quotes if not is_own(one.part))
    return scenario.model_copy(update={"own_parts": (), "candidates": kept, "quotes": quotes}) if kept else scenario


def _most(record: type[Scenario], field: str) -> int:
    """The longest that a list of the record may be, as it declares it."""
    limits = (getattr(mark, "max_length", None) for mark in record.model_fields[field].metadata)
    return next(int(limit) for limit in limits if limit)
