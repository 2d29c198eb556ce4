"""Speculative decoding with a model's own layers: their weights and their cache come on top, and nothing else moves."""

import pytest

from lib import catalog
from lib.records import Layout
from lib.sizing import weights
from lib.sizing.architecture import of_model
from lib.sizing.drafts import draft_layers, has_drafts, with_drafts
from lib.sizing.kv_cache import bytes_per_sequence

CATALOG = catalog.load()
FORMATS = CATALOG.weight_formats
DEEPSEEK = of_model(CATALOG.model("deepseek-v3"))


def test_deepseek_drafts_with_one_more_layer_of_latent_cache() -> None:
    """num_nextn_predict_layers is 1: one more layer of 576 values of 16 bit, 1,152 bytes a token."""
    assert draft_layers(DEEPSEEK) == 1
    alone, drafting = (bytes_per_sequence(one.groups, 1600, "bf16", 8) for one in (DEEPSEEK, with_drafts(DEEPSEEK)))
    assert drafting - alone == 1152 * 1600


def test_draft_weights_are_the_checkpoints_beyond_the_model() -> None:
    """On one GPU the draft layers add what the checkpoint has beyond the model, but for the engine's own copies."""
    whole = weights.checkpoint_bytes(DEEPSEEK, "bf16", FORMATS)
    model = weights.checkpoint_bytes(DEEPSEEK, "bf16", FORMATS, draft_layers=False)
    one = Layout(1)
    added = weights.bytes_per_gpu(with_drafts(DEEPSEEK), "bf16", one, FORMATS) - weights.bytes_per_gpu(
        DEEPSEEK, "bf16", one, FORMATS
    )
    assert added == pytest.approx(whole - model, rel=1e-3)


def test_a_model_without_draft_layers_stays_as_it_is() -> None:
    """Llama 3.3 has none."""
    llama = of_model(CATALOG.model("llama-3.3-70b"))
    assert not has_drafts(llama)
    assert draft_layers(llama) == 0
    assert with_drafts(llama) is llama


@pytest.mark.parametrize("model_id", [name for name in CATALOG.models if name != "sdxl"])
def test_every_model_counts_its_draft_layers(model_id: str) -> None:
    """As many as its config states, where it states a number."""
    config = CATALOG.model(model_id).config or {}
    text = config.get("text_config") or config
    stated = text.get("num_nextn_predict_layers") or text.get("mtp_num_hidden_layers") or 0
    architecture = of_model(CATALOG.model(model_id))
    if has_drafts(architecture) and stated:
        assert draft_layers(architecture) == stated
