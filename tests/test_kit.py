"""The benchmark kit: commands that a shell accepts, flags that are documented, a template that can be read back."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.kit import ENGINES, STEPS, Kit, KitEngine, flags, kit, loads, template
from lib.choice.own_rows import OwnRowsError, read_own_rows
from lib.choice.scenario import EngineChoice, Workload, changed
from lib.choice.sized import sized

FACTS = catalog.load()
SERVED = Workload(model="llama-3.3-70b", weight_format="bf16", input_tokens=4096, output_tokens=512, concurrency=64)


def made(
    part: str = "mi300x", engine: KitEngine = "vllm", workload: Workload = SERVED, choice: EngineChoice | None = None
) -> Kit:
    """The kit of a workload on a part."""
    found = kit(FACTS, workload, choice or EngineChoice(), FACTS.accelerator(part), engine)
    assert found is not None
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("part", ["mi300x", "h100-sxm"])
def test_the_script_is_a_shell_script_with_documented_flags(part: str, engine: KitEngine) -> None:
    """A shell accepts it, and every long flag of server and load is one that the table names with its source."""
    found = made(part, engine)
    checked = subprocess.run(
        [str(shutil.which("bash")), "-n"], input=found.script, text=True, capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    for command in ("serve", "load"):
        used = set(re.findall(r"(--[a-z][a-z-]+)", found.steps[command]))
        assert used <= set(flags(FACTS, engine, command).values())
    assert list(found.steps) == list(STEPS)


def test_both_platforms_have_their_image_and_devices() -> None:
    """AMD's devices and ROCm image, NVIDIA's GPUs and image; no tag is proposed, and without one the script stops."""
    amd, nvidia = made("mi300x").steps["container"], made("h100-sxm").steps["container"]
    assert "vllm/vllm-openai-rocm:$TAG" in amd
    assert "--device /dev/kfd" in amd
    assert '"vllm/vllm-openai:$TAG"' in nvidia
    assert "--gpus all" in nvidia
    for script in (made("mi300x", "sglang").script, made("h100-sxm", "sglang").script):
        assert "lmsysorg/sglang:$TAG" in script
        stopped = subprocess.run(
            [str(shutil.which("bash"))], input=script, text=True, capture_output=True, check=False, env={}
        )
        assert stopped.returncode != 0
        assert "state the image tag" in stopped.stderr


def test_the_flags_are_those_of_the_scenario() -> None:
    """What the reader states is set under each engine's own name; what he leaves is not."""
    choice = EngineChoice(gpu_memory_utilization=0.85, max_num_seqs=128, max_num_batched_tokens=16384)
    workload = SERVED.model_copy(update={"kv_format": "fp8", "max_model_len": 32768})
    gpus = sized(FACTS, workload, choice, FACTS.accelerator("h100-sxm")).gpus
    vllm = made("h100-sxm", "vllm", workload, choice).steps["serve"]
    sglang = made("h100-sxm", "sglang", workload, choice).steps["serve"]
    for flag, text in (
        (f"--tensor-parallel-size {gpus}", vllm), ("--max-model-len 32768", vllm), ("--dtype bfloat16", vllm),
        ("--kv-cache-dtype fp8", vllm), ("--gpu-memory-utilization 0.85", vllm), ("--max-num-seqs 128", vllm),
        ("--max-num-batched-tokens 16384", vllm), ("--no-enable-prefix-caching", vllm),
        (f"--tp-size {gpus}", sglang), ("--context-length 32768", sglang), ("--dtype bfloat16", sglang),
        ("--kv-cache-dtype fp8_e4m3", sglang), ("--mem-fraction-static 0.85", sglang),
        ("--max-running-requests 128", sglang), ("--chunked-prefill-size 16384", sglang),
        ("--disable-radix-cache", sglang),
    ):  # fmt: skip
        assert flag in text
    plain = made("h100-sxm").steps["serve"]
    for flag in ("--gpu-memory-utilization", "--max-num-seqs", "--max-num-batched-tokens", "--kv-cache-dtype"):
        assert flag not in plain


def test_lengths_are_exact_in_both_engines_and_seeds_differ() -> None:
    """Range 0 of vLLM and range 1 of SGLang both mean the stated length; each load has another seed."""
    vllm, sglang = made().steps["load"], made(engine="sglang").steps["load"]
    assert "--random-range-ratio 0 " in vllm
    assert "--random-range-ratio 1 " in sglang
    for text in (vllm, sglang):
        assert text.count("--random-input-len 4096") == text.count("--random-output-len 512") == 4
        assert re.findall(r"--max-concurrency (\d+)", text) == ["1", "4", "16", "64"]
        assert len(set(re.findall(r"--seed (\S+ \S+ \S+ \S+ \d+)", text))) == 4


def test_loads_grow_by_four_up_to_the_workload() -> None:
    """A hundred requests are measured at 1, 4, 16, 64 and 100, each with ten waves and twenty requests at least."""
    assert [(one.concurrency, one.prompts) for one in loads(100)] == [
        (1, 20),
        (4, 40),
        (16, 160),
        (64, 640),
        (100, 1000),
    ]
    assert [one.concurrency for one in loads(1)] == [1]


def test_what_cannot_be_known_is_asked_for() -> None:
    """A format that no flag makes, a custom model and an unsized load are stated by the reader; training has no kit."""
    fp4 = made(workload=SERVED.model_copy(update={"weight_format": "nvfp4"}))
    assert fp4.notes == ("checkpoint",)
    assert "state the checkpoint" in fp4.script
    fp8 = made(workload=SERVED.model_copy(update={"weight_format": "fp8-tensor"}))
    assert fp8.notes == ()
    assert "--quantization fp8" in fp8.script
    native = made("h200-sxm", workload=SERVED.model_copy(update={"model": "deepseek-r1", "weight_format": "native"}))
    assert "checkpoint" not in native.notes
    assert "--dtype" not in native.steps["serve"]
    training = SERVED.model_copy(update={"task": "train"})
    assert kit(FACTS, training, EngineChoice(), FACTS.accelerator("mi300x"), "vllm") is None
    other = next(part for part in FACTS.accelerators.values() if part.vendor not in ("AMD", "NVIDIA"))
    assert kit(FACTS, SERVED, EngineChoice(), other, "vllm") is None


def test_the_template_is_read_back_when_it_is_filled_in() -> None:
    """Blank it holds no row; with values every row is taken, and both parts' runs are there."""
    found = template(FACTS, [made("mi300x"), made("h100-sxm")], SERVED.model)
    with pytest.raises(OwnRowsError):
        read_own_rows(FACTS, found.to_csv(index=False).encode())
    own = read_own_rows(FACTS, found.assign(value="12.5").to_csv(index=False).encode())
    assert len(own.frame) == len(found) == 2 * 4 * 6
    assert own.accelerators == ("h100-sxm", "mi300x")
    assert own.models == ("llama-3.3-70b",)


def test_every_serving_preset_has_a_kit_on_both_platforms() -> None:
    """Each serving preset's workload, on MI300X and H100, with both engines."""
    for name in FACTS.presets:
        scenario = changed(presets.preset(FACTS, name), ("view", "kit_engine"), "sglang")
        for part in ("mi300x", "h100-sxm"):
            for engine in ENGINES:
                found = kit(FACTS, scenario.workload, scenario.engine, FACTS.accelerator(part), engine)
                assert (found is not None) == (scenario.workload.task in ("serve", "token-price"))


def test_every_flag_names_a_source_and_a_day() -> None:
    """The table is the citation: source, place and day of each flag."""
    table = FACTS.tables["benchmark_flags"]
    assert set(table["source_id"]) <= set(FACTS.sources)
    assert table["locator"].astype(str).str.len().min() > 0
    assert table["seen"].astype(str).str.fullmatch(r"\d{4}-\d{2}-\d{2}").all()
    assert Path(catalog.DATA / "benchmark_flags.csv").is_file()
