"""What a config.json says of a model: layer groups and parameters, against the catalogue's tables."""

import json
from pathlib import Path

import pytest

from lib import catalog
from lib.errors import ConfigError
from lib.records import Architecture, LayerGroup, Model
from lib.sizing.architecture import from_config, of_model
from lib.sizing.row_checks import DRAFT_HEAD_COPIES, DRAFT_ROUTER_BIAS, VISION_WITHOUT_CONFIG

CONFIGS = Path(__file__).parent / "data" / "configs"
CATALOG = catalog.load()
LANGUAGE_MODELS = [model for model in CATALOG.models.values() if model.architecture != "diffusion"]


def described(model: Model) -> Architecture:
    """The model as its config alone describes it."""
    assert model.config is not None
    return from_config(model.config, model.model_id)


def component(architecture: Architecture, word: str) -> int:
    """Parameters of one component, draft layers left out."""
    return sum(block.parameters for block in architecture.blocks if block.component == word and not block.is_draft)


def as_set(groups: tuple[LayerGroup, ...]) -> set[LayerGroup]:
    """Groups without their order, which means nothing."""
    return set(groups)


def case(name: str) -> Architecture:
    """One of the configs written for tests."""
    return from_config(json.loads((CONFIGS / name).read_text()))


@pytest.fixture(params=LANGUAGE_MODELS, ids=lambda model: model.model_id)
def model(request: pytest.FixtureRequest) -> Model:
    """Each language model of the catalogue in turn."""
    row: Model = request.param
    return row


def test_every_language_model_of_the_catalogue_has_a_config():
    """Only diffusion models are without one, so that nothing is sized from a table alone."""
    assert LANGUAGE_MODELS
    assert all((row.config is None) == (row.architecture == "diffusion") for row in CATALOG.models.values())


def test_layer_groups_follow_from_the_config_alone(model):
    """Layers, bytes per token at both widths, window, state and shards equal layer_groups.csv exactly."""
    assert as_set(described(model).groups) == as_set(model.groups)


def test_parameters_follow_from_the_config_alone(model):
    """Total, active, embedding, head, routed experts, vision and draft layers equal what models.csv states, to the last unit."""
    built = described(model)
    uncounted = VISION_WITHOUT_CONFIG.get(model.model_id, 0)
    assert built.total_parameters == model.total_params - uncounted
    assert model.vision_params in (None, built.vision_parameters + uncounted)
    assert model.active_params in (None, built.active_parameters)
    assert model.embedding_params in (None, component(built, "embedding"))
    assert model.lm_head_params in (None, component(built, "lm_head"))
    assert model.routed_expert_params in (None, component(built, "routed_experts"))
    beside = DRAFT_ROUTER_BIAS.get(model.model_id, 0) + DRAFT_HEAD_COPIES.get(model.model_id, 0)
    assert model.mtp_params in (None, built.mtp_parameters + beside)


def test_blocks_add_up(model):
    """Blocks without draft layers sum to the total, and each layered block to its layers."""
    built = described(model)
    assert sum(block.parameters for block in built.blocks if not block.is_draft) == built.total_parameters
    for block in built.blocks:
        assert not block.by_layer or (len(block.by_layer) == built.layers and sum(block.by_layer) == block.parameters)
        assert block.parameters > 0


def test_draft_layers_are_no_layers_of_the_model(model):
    """What belongs to multi-token prediction is named so and spread over no layer."""
    for block in described(model).blocks:
        assert block.is_draft == block.name.startswith("mtp_")
        assert not (block.is_draft and block.by_layer)


def test_the_catalogue_row_wins_over_its_config(model):
    """Groups, context and the first word of the native format of a catalogue model are those of the tables."""
    built = of_model(model)
    assert built.groups == model.groups
    assert built.max_context == model.max_context
    assert built.native_format.split("+")[0] == model.native_format


def test_a_model_without_cache_is_refused():
    """The diffusion model has no language-model config, and that is said instead of sizing it as something else."""
    with pytest.raises(ConfigError, match="sdxl has no language-model config"):
        of_model(CATALOG.model("sdxl"))


def test_a_sparse_gemma_config_gives_ten_full_layers_and_fifty_two_windows():
    """Without a list of layer types the class default holds: five window layers, then a full one."""
    built = case("gemma3_27b_sparse_config.json")
    assert [(group.layers, group.kind, group.window) for group in built.groups] == [
        (10, "full", None),
        (52, "window", 1024),
    ]
    assert built.tied_embeddings


def test_a_stated_head_dim_wins_over_the_even_share():
    """Qwen3-235B has heads of 128 although 4096 / 64 is 64, and with them the parameters of the catalogue's row."""
    built = case("qwen3_head_dim.json")
    assert built.groups == (LayerGroup(94, "full", 2048, 1024, None, 0, 4),)
    assert built.total_parameters == CATALOG.model("qwen3-235b-a22b").total_params


@pytest.mark.parametrize(
    ("name", "total"),
    [
        # Bytes loaded at 16 bit, halved: fit_cases.csv, cases V001, A014, H011, H007, T003, T001, F010.
        ("qwen2.5-14b", 29_540_067_328 // 2),
        ("qwen2.5-vl-7b", 16_584_333_312 // 2),
        ("mistral-small-3.2", 48_022_722_560 // 2),
        ("qwen3-0.6b", 1_192_099_840 // 2),
        ("llama-2-7b", 13_476_831_232 // 2),
        ("qwen1.5-7b", 15_442_649_088 // 2),
        ("qwen1.5-72b", 144_575_840_256 // 2),
    ],
)
def test_models_beside_the_catalogue_have_the_size_of_their_checkpoint(name, total):
    """Configs that no row of models.csv stands behind give the number of parameters that was loaded, exactly."""
    config = json.loads((catalog.DATA / "configs" / f"{name}.json").read_text())
    assert from_config(config).total_parameters == total


def test_a_mixture_keeps_all_experts_resident():
    """Total parameters, not active ones, are the sum of what is loaded: Qwen3-235B holds 235 billion, uses 22."""
    built = case("qwen3_head_dim.json")
    assert built.active_parameters < built.total_parameters / 10
    assert sum(block.parameters for block in built.blocks) == built.total_parameters


def test_latent_down_projections_norms_and_routers_are_replicated():
    """As vLLM loads DeepSeek-V3: these stand on every rank, embedding, head and up-projections are cut."""
    blocks = [block for block in described(CATALOG.model("deepseek-v3")).blocks if not block.is_draft]
    shardings = {block.name: block.sharding for block in blocks}
    replicated = {name for name, sharding in shardings.items() if sharding == "replicated"}
    assert replicated == {"attention_replicated", "norms", "norms_last", "router"}
    assert shardings["routed_experts"] == "expert"
    assert {shardings[name] for name in ("attention", "attention_latent_up", "embedding", "lm_head")} == {"tensor"}


def test_key_and_value_projections_are_cut_to_one_head_at_most():
    """Eight key heads cannot be shared by more than eight ranks."""
    limits = {block.name: block.max_shards for block in described(CATALOG.model("llama-3.1-405b")).blocks}
    assert limits["attention_kv"] == 8
    assert limits["attention"] is None


@pytest.mark.parametrize(
    ("quantization", "word"),
    [
        ({"quant_method": "fp8"}, "fp8-tensor"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8-block128"),
        ({"quant_method": "fp8", "weight_block_size": [1, 32]}, ""),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "int4-g128"),
        ({"quant_method": "gptq", "bits": 4, "group_size": 32}, "int4-g32"),
        ({"quant_method": "gptq", "bits": 4, "group_size": 64}, ""),
        ({"quant_method": "gptq", "bits": 8, "group_size": 128}, "int8"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quant_method": "compressed-tensors", "format": "mxfp4-pack-quantized"}, "mxfp4"),
        ({"quant_method": "compressed-tensors", "format": "pack-quantized"}, ""),
        ({"quant_method": "something new"}, ""),
    ],
)
def test_the_native_format_is_read_or_left_open(quantization, word):
    """A published quantisation maps to its word; what the config does not say is left open, never guessed."""
    config = {**json.loads((CONFIGS / "qwen3_head_dim.json").read_text()), "quantization_config": quantization}
    assert from_config(config).native_format == word


def test_two_formats_in_one_checkpoint_are_both_named():
    """DeepSeek-V4 keeps routed experts at 4 bit and the rest at 8."""
    assert described(CATALOG.model("deepseek-v4-flash")).native_format == "mxfp4+fp8-block128"
