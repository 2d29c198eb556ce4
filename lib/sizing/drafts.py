"""Speculative decoding with a model's own draft layers: what an engine then loads and caches beside the model."""

from dataclasses import replace
from typing import Final

from lib.records import Architecture, LayerGroup

_ATTENDING: Final = ("mla", "full", "window", "compressed")
"""Kinds of which a draft layer is one: the first that the model has."""

_INPUTS: Final = 2
"""A draft layer joins the hidden state and the embedding of the last token in one projection."""


def has_drafts(architecture: Architecture | None) -> bool:
    """Whether a model comes with draft layers.

    Parameters
    ----------
    architecture : Architecture or None
        Any model; None for one that is not known.

    Returns
    -------
    bool
        False for most dense models.
    """
    return architecture is not None and architecture.mtp_parameters > 0


def with_drafts(architecture: Architecture) -> Architecture:
    """The model as an engine holds it when it drafts with the model's own layers; unchanged where it has none.

    Parameters
    ----------
    architecture : Architecture
        Any model.

    Returns
    -------
    Architecture
        Draft blocks are loaded on the last stage, and each draft layer keeps cache like one layer of the model's own
        attention.

    Notes
    -----
    Copies of embedding and head that a checkpoint holds for its draft layers count; an engine that shares them with the
    model needs so much less.

    References
    ----------
    deepseek-v3-config (num_nextn_predict_layers); vllm-project/vllm, deepseek_mtp.py.
    """
    if not has_drafts(architecture):
        return architecture
    return replace(architecture, drafts_loaded=True, groups=(*architecture.groups, *_draft_groups(architecture)))


def draft_layers(architecture: Architecture) -> int:
    """Draft layers of a model, from the projections that join them to it.

    layers = parameters of the projections / (2 x hidden x hidden)

    Parameters
    ----------
    architecture : Architecture
        Any model.

    Returns
    -------
    int
        At least 1 where there are draft parameters, 0 where there are none.
    """
    if not has_drafts(architecture):
        return 0
    joined = sum(block.parameters for block in architecture.blocks if block.name == "mtp_other_projection")
    return max(1, joined // (_INPUTS * architecture.hidden_size**2))


def _draft_groups(architecture: Architecture) -> tuple[LayerGroup, ...]:
    kinds = {group.kind: group for group in architecture.groups}
    like = next((kinds[kind] for kind in _ATTENDING if kind in kinds), None)
    return () if like is None else (replace(like, layers=draft_layers(architecture), state_bytes_per_sequence=0.0),)
