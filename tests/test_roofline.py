"""What physics allows: kernels against closed forms, footprints against parameter counts, claims against the peak."""

from dataclasses import replace

import numpy as np
import pytest

from lib import catalog
from lib.errors import InputError
from lib.records import Layout
from lib.sizing import closed_loop, footprint, rates, roofline, serving_question, weights
from lib.sizing.architecture import of_model
from lib.sizing.engines import engine_defaults
from lib.sizing.serving_question import Question

DATA = catalog.load()


def asked(model: str, part: str, layout: Layout, tokens: tuple[int, int], concurrency: int = 1) -> Question:
    """A question with native weights, a 16-bit cache and vLLM's defaults."""
    accelerator = DATA.accelerator(part)
    settings = engine_defaults("vllm-v1", accelerator.memory_usable_gib, part, sum(tokens), layout.gpus)
    return Question(of_model(DATA.model(model)), accelerator, layout, settings, "native", "bf16", *tokens, concurrency)


def work_of(*questions: Question) -> closed_loop.Work:
    """Seconds at the roofs."""
    return serving_question.columns(DATA, questions).work


def test_distinct_experts_are_what_counting_gives() -> None:
    """Two of four experts for each of two tokens: 36 equally likely pairs wake 3.0 experts on average."""
    pairs = [{one, other} for one in range(4) for other in range(one)]
    counted = np.mean([len(first | second) for first in pairs for second in pairs])
    assert roofline.distinct_experts(4, 2, 2) == pytest.approx(counted)


def test_one_token_wakes_its_own_experts_and_very_many_wake_all() -> None:
    """Exactly k at one token, E in the limit, nothing where there are none."""
    assert roofline.distinct_experts(256, 8, 1) == pytest.approx(8)
    assert roofline.distinct_experts(256, 8, 100_000) == pytest.approx(256)
    assert roofline.distinct_experts(0, 0, 16) == 0


@pytest.mark.parametrize(("first", "last", "window"), [(0, 1000, 300), (100, 900, 2000), (500, 700, 128), (10, 20, 15)])
def test_mean_reach_is_the_mean_over_the_tokens(first: int, last: int, window: int) -> None:
    """Against the sum over half-token steps, within 0.1 %."""
    at = np.arange(first, last, 0.01) + 0.005
    expected = np.minimum(at, window).mean()
    assert roofline.mean_reach(first, last, window) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("window", [64, 1000, 5000])
def test_causal_pairs_are_the_sum_over_queries(window: int) -> None:
    """Below the sum over all queries by at most half a key each: a lower bound."""
    counted = sum(min(at + 1, window) for at in range(2000))
    found = float(roofline.causal_pairs(2000, window))
    assert counted - 1000 <= found <= counted


def test_an_all_reduce_over_one_gpu_sends_nothing() -> None:
    """And over eight it moves 7 / 4 of the message over the bus."""
    assert roofline.all_reduce_s(1e9, 1, 1e9) == 0
    assert roofline.all_reduce_s(1e9, 8, 1e9) == pytest.approx(1.75)


def test_a_dense_model_reads_all_but_its_embedding() -> None:
    """Llama 3.1 8B: 8,030,261,248 parameters of two bytes without 128,256 x 4,096 that are looked up; 131,072 of cache."""
    model = of_model(DATA.model("llama-3.1-8b"))
    form = DATA.weight_formats["bf16"]
    found = footprint.footprint(model, form, form, "bf16", Layout(1))
    assert found.dense_bytes == 2 * (8_030_261_248 - 128_256 * 4096)
    assert found.cache_bytes.sum() == 131_072
    assert found.plain_flops + found.head_flops == found.dense_bytes


def test_latents_are_read_whole_by_every_rank() -> None:
    """DeepSeek-V3 at eight ranks reads 70,272 bytes of cache per token on each; experts are shared out."""
    model = of_model(DATA.model("deepseek-v3"))
    experts, rest = weights.format_of(model, "native", DATA.weight_formats)
    one, eight = (footprint.footprint(model, experts, rest, "bf16", Layout(size)) for size in (1, 8))
    assert one.cache_bytes.sum() == eight.cache_bytes.sum() == 70_272
    assert eight.expert_bytes == pytest.approx(one.expert_bytes / 8)


def test_layers_with_an_indexer_look_at_the_chosen_tokens_only() -> None:
    """DeepSeek-V3.2 reads 2,048 latents of 61 layers, and every index key."""
    model = of_model(DATA.model("deepseek-v3.2"))
    formats = weights.format_of(model, "native", DATA.weight_formats)
    found = footprint.Footprints([footprint.row(model, *formats, "bf16", Layout(8))])
    read = found.cache_read(np.array([100_000.0]), np.array([2.0]))
    assert read[0] == pytest.approx(61 * (1152 * 2048 + 132 * 100_001))


def test_an_emulated_format_runs_at_the_peak_of_16_bit() -> None:
    """MXFP4 on H100 at 989.4 TFLOPS, on MI355X at its own 10,066; FP8 on A100 at 312; never a sparse peak."""
    peaks = {
        (part, word): rates.peak_flops_per_s(DATA.accelerator(part), word) / 1e12
        for part in ("h100-sxm", "mi355x", "a100-sxm-80g")
        for word in ("mxfp4", "fp8-block128")
    }
    assert peaks["h100-sxm", "mxfp4"] == 989.4
    assert peaks["mi355x", "mxfp4"] == 10_066
    assert peaks["a100-sxm-80g", "fp8-block128"] == 312
    assert peaks["h100-sxm", "fp8-block128"] == 1978.9


def test_the_bus_is_the_best_that_was_measured() -> None:
    """Eight H100: 478.87 GB/s; eight MI355X have no row and leave the bound without a link."""
    measured = rates.bus_bandwidths(DATA)
    assert measured["h100-sxm", 8] == 478.87e9
    assert ("mi355x", 8) not in measured


def test_a_long_prompt_takes_what_its_arithmetic_takes() -> None:
    """Llama 3.1 70B, 131,072 tokens on one MI300X: 4.05e16 FLOP at 1,307.4 TFLOPS are 31 s; an article says 1.85 s."""
    layers, hidden, vocabulary = 80, 8192, 128_256
    matrices = 70_553_706_496 - 2 * vocabulary * hidden
    flops = 2 * matrices * 131_072 + layers * 4 * hidden * 131_072**2 / 2 + 2 * vocabulary * hidden
    found = closed_loop.first_token_bound_s(work_of(asked("llama-3.1-70b", "mi300x", Layout(1), (131_072, 1))))
    assert found[0] == pytest.approx(flops / 1307.4e12, rel=1e-4)
    assert round(float(found[0])) == 31
    assert found[0] > 16 * 1.85


def test_three_h100_do_not_prefill_it_in_the_claimed_time_either() -> None:
    """13.6 s at the peak of three, where an article says 1.62 s."""
    alone = closed_loop.first_token_bound_s(work_of(asked("llama-3.1-70b", "h100-sxm", Layout(1), (131_072, 1))))
    assert alone[0] / 3 == pytest.approx(13.6, rel=0.02)
    assert alone[0] / 3 > 8 * 1.62


def test_a_training_step_of_gpt_3_does_not_take_0_42_s_on_one_h100() -> None:
    """6 x 175e9 x 65,536 FLOP are 83 times what the dense FP8 peak does in that time."""
    peak = rates.peak_flops_per_s(DATA.accelerator("h100-sxm"), "fp8-tensor")
    least = roofline.training_step_s(175e9, 32 * 2048, peak)
    assert least == pytest.approx(6 * 175e9 * 65_536 / 1978.9e12)
    assert least / 0.42 == pytest.approx(83, rel=0.01)


def test_deepseek_does_not_decode_above_the_memory_bandwidth() -> None:
    """DeepSeek-V3, 16 sequences on four MI300X: about 1,220 tokens/s at 21.2 TB/s, where an article says 3,200.

    102 of 256 experts in each of 58 layers and the rest are read; parts that every rank holds four times: 2 % more.
    """
    experts = 58 * 256 * (1 - (1 - 8 / 256) ** 16) * 3 * 7168 * 2048
    rest = 671_026_404_352 - 58 * 256 * 3 * 7168 * 2048 - 129_280 * 7168 * 2
    head = 129_280 * 7168 * 2
    ceiling = 16 * 4 * 5.3e12 / (experts + rest + head)
    found = 16 / closed_loop.token_bound_s(work_of(asked("deepseek-v3", "mi300x", Layout(4), (1, 2), 16)))
    assert ceiling == pytest.approx(1220, rel=0.01)
    assert found[0] == pytest.approx(ceiling, rel=0.03)
    assert found[0] < 3200 / 2


def test_the_bound_grows_with_the_load_until_no_place_is_left() -> None:
    """Never falling, and the same for 4,000 and 8,000 requests where 3,000 find no place."""
    questions = [asked("llama-3.1-70b", "mi300x", Layout(4), (1000, 1000), at) for at in (1, 4, 16, 64, 4000, 8000)]
    bound = closed_loop.rate_bound(work_of(*questions))
    assert np.all(np.diff(bound) >= 0)
    assert bound[-1] == bound[-2]


def test_replicas_share_the_requests() -> None:
    """Two replicas under 32 requests do twice what one does under 16."""
    one = asked("llama-3.1-8b", "h100-sxm", Layout(1), (1000, 1000), 16)
    bound = closed_loop.rate_bound(work_of(one, replace(one, concurrency=32, replicas=2)))
    assert bound[1] == pytest.approx(2 * bound[0])


def test_stages_do_not_shorten_the_step_of_one_sequence() -> None:
    """Two pipeline stages read the same layers one after the other."""
    questions = [asked("llama-3.1-8b", "h100-sxm", Layout(1, stages), (1000, 1000)) for stages in (1, 2)]
    token = closed_loop.token_bound_s(work_of(*questions))
    assert token[1] == pytest.approx(token[0])


def test_a_count_below_one_is_refused() -> None:
    """By name."""
    with pytest.raises(InputError, match="output_tokens"):
        work_of(asked("llama-3.1-8b", "h100-sxm", Layout(1), (1000, 0)))
    with pytest.raises(InputError, match="tokens"):
        roofline.training_step_s(1e9, 0, 1e15)


@pytest.mark.parametrize(
    ("part", "ranks", "gb_per_s"),
    [
        ("h100-sxm", 8, 478.87),  # measured within the server
        ("h100-sxm", 16, 350.0),  # nobody measured it across servers: the lowest of those who did, two MI300X servers
        ("b200-sxm", 16, 381.8),  # its own over four servers, not a point between those and one server
        ("mi300x", 16, 350.0),  # measured at this count
        ("mi325x", 16, 316.82),  # no more over the network than within a server
        ("gb200", 72, 679.61),  # 72 GPUs are joined by links of their own
    ],
)
def test_across_servers_the_network_decides_and_not_the_links_of_a_server(
    part: str, ranks: int, gb_per_s: float
) -> None:
    """The expected bus of a group that leaves its server is that of a measurement across servers."""
    wide = DATA.weight_formats["bf16"]
    found = rates.rates(DATA, DATA.accelerators[part], wide, wide, "bf16", ranks)
    assert found is not None
    assert found.bus_expected == pytest.approx(gb_per_s * 1e9, rel=1e-9)
