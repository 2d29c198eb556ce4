"""The shared scenario in the sidebar, in the order a buyer thinks: what I run, how much, on what, for what money."""

import functools
from collections.abc import Sequence

import streamlit as st

from lib.choice.presets import DEFAULT_PRESET
from lib.choice.scenario import CUSTOM_MODEL, Candidate, Path, Scenario, at, changed, choices
from lib.present import names
from lib.present.text import LANGUAGES, markdown_safe
from lib.sizing.drafts import has_drafts
from lib.ui import cached, show, state

_MAX_PARTS = 8


def sidebar(page: str) -> None:
    """The controls that every page shares; pages without a scenario keep only the language."""
    with st.sidebar:
        if page != "sources":
            _origin()
            _what_and_how_much()
            _on_what()
            _more()
        state.bound(
            state.one_of,
            state.text()("Language"),
            ("language",),
            options=list(LANGUAGES),
            format_func=LANGUAGES.__getitem__,
        )


def _origin() -> None:
    """Which preset the scenario comes from, and whether it has been changed."""
    _ = state.text()
    scenario = state.scenario()
    preset = cached.facts().presets.get(scenario.preset)
    if preset is None:
        st.caption(_("Own scenario"))
        return
    title = _.pick(preset["title_en"], preset["title_zh"])
    if scenario == cached.preset(scenario.preset, scenario.language):
        st.caption(_("Preset: {title}", title=title))
    else:
        st.caption(_("Preset: {title} (changed)", title=title))
        st.button(_("Reset to the preset"), on_click=reset, icon=":material/undo:", width="stretch")


def reset() -> None:
    """Back to the preset that the scenario came from, in the language in use."""
    scenario = state.scenario()
    state.replace(cached.preset(scenario.preset or DEFAULT_PRESET, scenario.language))


def _what_and_how_much() -> None:
    _ = state.text()
    scenario = state.scenario()
    facts = cached.facts()
    if len(scenario.workloads) > 1:
        state.bound(
            state.one_of,
            _("Workload in view"),
            ("view", "workload"),
            options=list(range(len(scenario.workloads))),
            format_func=lambda index: _workload_name(scenario, index),
            help=_("The scenario has several workloads; the pages show the one chosen here."),
        )
    here = ("workloads", scenario.workload_index)
    models = list(facts.models)
    if scenario.workload.model == CUSTOM_MODEL:
        models = [CUSTOM_MODEL, *models]
    state.bound(
        st.selectbox,
        _("Model"),
        (*here, "model"),
        options=models,
        format_func=lambda name: _("Custom model (config.json)") if name == CUSTOM_MODEL else facts.models[name].name,
        help=_(
            "Architecture that decides weights and cache. A custom model comes from its config.json on the memory page."
        ),
    )
    state.bound(
        st.selectbox,
        _("Weight format"),
        (*here, "weight_format"),
        options=list(choices((*here, "weight_format"))),
        format_func=lambda word: names.weight_format(word, _),
        help=_("How the weights are stored. Native is the format in which the model was published."),
    )
    integers: Sequence[tuple[str, str, str, int]] = (
        (
            "input_tokens",
            _("Input tokens"),
            _("Tokens of a prompt: they fill the cache and decide the time to first token."),
            256,
        ),
        (
            "output_tokens",
            _("Output tokens"),
            _("Tokens of an answer: input and output together are held in the cache at the end."),
            64,
        ),
        ("concurrency", _("Concurrent sequences"), _("Requests in flight at once: each holds its own cache."), 8),
    )
    for field, label, explanation, step in integers:
        _whole_number(label, (*here, field), explanation, step)


def _whole_number(label: str, path: Path, explanation: str, step: int) -> None:
    low, high = state.limits(path)
    state.bound(st.number_input, label, path, min_value=int(low), max_value=int(high), step=step, help=explanation)


def task_choice() -> None:
    """Whether the model is served, trained or fine-tuned, for a page that answers all of them."""
    _ = state.text()
    here = ("workloads", state.scenario().workload_index, "task")
    current = state.scenario().workload.task
    state.bound(
        state.one_of,
        _("The model is to"),
        here,
        options=[word for word in choices(here) if word in ("serve", "train", "finetune", current)],
        format_func=lambda word: names.task(word, _),
    )


def load_sliders() -> None:
    """The load in view on two sliders, for a page whose answer turns on it; the sidebar has the typed fields."""
    _ = state.text()
    here = ("workloads", state.scenario().workload_index)
    columns = st.columns(2)
    sliders: Sequence[tuple[str, str, int, int]] = (
        ("concurrency", _("Sequences at once"), 512, 1),
        ("input_tokens", _("Tokens of a prompt"), 131_072, 256),
    )
    for column, (field, label, most, step) in zip(columns, sliders, strict=True):
        path = (*here, field)
        current = int(at(state.scenario(), path))
        with column:
            state.bound_to(
                st.slider,
                label,
                "slider." + ".".join(map(str, path)),
                functools.partial(at, path=path),
                functools.partial(_with_value, path),
                min_value=1,
                max_value=max(most, current),
                step=step,
            )


def _with_value(path: Path, scenario: Scenario, value: int) -> Scenario:
    return changed(scenario, path, value)


def _workload_name(scenario: Scenario, index: int) -> str:
    one = scenario.workloads[index]
    return markdown_safe(one.name or one.model)


def _on_what() -> None:
    _ = state.text()
    facts = cached.facts()
    state.bound_to(
        st.multiselect,
        _("Parts compared"),
        "parts",
        lambda scenario: tuple(dict.fromkeys(one.accelerator for one in scenario.candidates)),
        with_parts,
        options=list(facts.accelerators),
        format_func=lambda name: facts.accelerators[name].short_name,
        max_selections=_MAX_PARTS,
        help=_("The accelerators that every page compares."),
    )
    acquisitions = list(names.ACQUISITIONS)
    state.bound_to(
        st.selectbox,
        _("How to have them"),
        "acquisition",
        _common_way,
        with_acquisition,
        options=acquisitions,
        placeholder=_("Differs by part"),
        format_func=lambda word: names.acquisition(word, _),
        help=_("Buying is in whole servers; renting is by the GPU-hour."),
    )


def with_parts(scenario: Scenario, parts: Sequence[str]) -> Scenario:
    """The scenario with these parts: kept candidates keep their prices, new ones follow the first one's way."""
    kept = [one for one in scenario.candidates if one.accelerator in parts]
    known = {one.accelerator for one in kept}
    way = scenario.candidates[0]
    added = [
        Candidate(accelerator=part, acquisition=way.acquisition, gpus=way.gpus) for part in parts if part not in known
    ]
    chosen = tuple([*kept, *added][:_MAX_PARTS]) or scenario.candidates
    return scenario.model_copy(update={"candidates": chosen})


def _common_way(scenario: Scenario) -> str | None:
    """The way in which all candidates are had; None where they differ."""
    ways = {one.acquisition for one in scenario.candidates}
    return ways.pop() if len(ways) == 1 else None


def with_acquisition(scenario: Scenario, acquisition: str | None) -> Scenario:
    """The scenario with every candidate had in this way; doubles that this makes fall away. None leaves each as it is."""
    if acquisition is None:
        return scenario
    renamed = [one.model_copy(update={"acquisition": acquisition}) for one in scenario.candidates]
    single = {(one.accelerator, one.price_source): one for one in reversed(renamed)}
    kept = tuple(one for one in renamed if single[one.accelerator, one.price_source] is one)
    return scenario.model_copy(update={"candidates": kept})


def _more() -> None:
    """What fewer people change: engine, cache format, limits."""
    _ = state.text()
    scenario = state.scenario()
    here = ("workloads", scenario.workload_index)
    box = show.details(_("Engine and limits"), key="sidebar.more")
    if box.open:
        with box:
            _limits(here)


def _limits(here: tuple[str, int]) -> None:
    _ = state.text()
    state.bound(
        st.selectbox,
        _("Engine"),
        ("engine", "engine"),
        options=list(choices(("engine", "engine"))),
        format_func=names.engine,
        help=_("Each engine has its own rule for the memory it takes beside weights and cache."),
    )
    state.bound(
        st.selectbox,
        _("Cache format"),
        (*here, "kv_format"),
        options=list(choices((*here, "kv_format"))),
        help=_("Width of the KV cache: its own choice, independent of the weights."),
    )
    state.bound(
        st.checkbox,
        _("Quantised while loading"),
        ("engine", "online_quantization"),
        help=_(
            "The checkpoint is 16-bit and the engine narrows it at load: its full size must find room at that moment."
        ),
    )
    if has_drafts(cached.model_memory(state.scenario()).architecture):
        state.bound(
            st.checkbox,
            _("Drafts with the model's own layers"),
            (*here, "draft_layers"),
            help=_("Speculative decoding with the multi-token-prediction layers: their weights and cache come on top."),
        )
    whole: Sequence[tuple[Path, str, str, int]] = (
        (
            (*here, "shared_prefix_tokens"),
            _("Shared prefix, tokens"),
            _("Tokens that all prompts begin with, such as a system prompt: the prefix cache keeps them once."),
            64,
        ),
        (
            ("engine", "decode_context_parallel_size"),
            _("Decode context parallel size"),
            _("Ranks of the tensor parallel group that share the tokens of one sequence instead of keeping copies."),
            1,
        ),
    )
    for path, label, explanation, whole_step in whole:
        _whole_number(label, path, explanation, whole_step)
    optional = (
        (
            ("engine", "gpu_memory_utilization"),
            _("GPU memory utilization"),
            _("Fraction of the memory that the engine may use; blank is the engine's default."),
            0.01,
        ),
        (
            ("engine", "max_num_seqs"),
            _("Max number of sequences"),
            _("Scheduler limit; blank is the engine's default."),
            1,
        ),
        (
            ("engine", "max_num_batched_tokens"),
            _("Max batched tokens"),
            _("Scheduler limit; it sizes the workspace. Blank is the engine's default."),
            256,
        ),
        (
            (*here, "tpot_limit_ms"),
            _("TPOT limit, ms"),
            _("Longest allowed time per output token; blank is no limit."),
            5.0,
        ),
        (
            (*here, "ttft_limit_ms"),
            _("TTFT limit, ms"),
            _("Longest allowed time to first token; blank is no limit."),
            50.0,
        ),
        (
            ("constraints", "power_kw"),
            _("Power cap, kW"),
            _("Power that the fleet may draw at the wall; blank is no cap."),
            10.0,
        ),
        (
            ("constraints", "budget_usd"),
            _("Budget cap, USD"),
            _("Net present value that may not be exceeded; blank is no cap."),
            50_000.0,
        ),
    )
    for path, label, explanation, step in optional:
        low, high = state.limits(path)
        kind = type(step)
        state.bound(
            st.number_input,
            label,
            path,
            min_value=kind(low),
            max_value=kind(high),
            step=step,
            help=explanation,
            placeholder="–",
        )
