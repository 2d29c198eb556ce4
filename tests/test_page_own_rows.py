"""The reader's own measurements on the benchmarks page: in, marked, refused where wrong, out, and nobody else's."""

from tests.benchmark_page import (
    captions,
    charts,
    chosen,
    opened,
    points,
    seen,
)


def own_file(factor: float) -> bytes:
    """Runs of Llama 3.3 70B by a reader on MI300X and H100, eight GPUs each: the first is `factor` times as fast."""
    head = (
        "publisher,publisher_interest,date,accelerator_id,accelerator_count,tensor_parallel,model,model_id,weight_format,"
        "engine,engine_version,input_tokens,output_tokens,concurrency,metric,stat,value,unit,unit_basis"
    )
    lines = [
        f"us,independent,2026-11-20,{part},8,8,Llama 3.3 70B,llama-3.3-70b,bf16,vllm,0.31.0,4096,512,{load},{metric},{stat},"
        f"{value},{unit},deployment"
        for part, speed in (("mi300x", factor), ("h100-sxm", 1.0))
        for load in (4, 64)
        for metric, stat, value, unit in (
            ("output_tokens_per_s", "", 1000 * speed, "tokens/s"), ("ttft_ms", "median", 200, "ms"),
            ("tpot_ms", "median", 20, "ms"),
        )
    ]  # fmt: skip
    return "\n".join([head, *lines]).encode()


def test_own_rows_enter_the_charts_and_the_answer_and_leave_again() -> None:
    """A reader's file with 1.5 times the throughput makes the nearest pair his own, marked by a star, until he takes it out."""
    at = opened(seen("serve-70b", section="kit"))
    before = at.markdown[0].value
    at.file_uploader(key="benchmarks.own.file").set_value(("mine.csv", own_file(1.5), "text/csv")).run()
    assert not at.exception
    assert "**1.50×** of H100 SXM at 4 and **1.50×** at 64 requests" in at.markdown[0].value
    assert "marked ★" in captions(at)
    chosen(at, "Show").set_value("load").run()
    chosen(at, "Prompt and answer length").set_value("4096x512").run()
    figure = next(one for title, one in charts(at).items() if title.startswith("Highest measured"))
    mine = [(y, found, words) for _x, y, found, words in points(figure) if found[0] == "own-measurement"]
    assert sorted(y for y, _found, _words in mine) == [125.0, 125.0, 187.5, 187.5]
    assert all("your own measurement" in words and "line " in words for _y, _found, words in mine)
    chosen(at, "Show").set_value("kit").run()
    at.button(key="benchmarks.own.out").click().run()
    assert at.markdown[0].value == before


def test_a_wrong_own_file_is_refused_by_line_and_column() -> None:
    """The table names line, column, value and the allowed words; the answer stays as it was."""
    at = opened(seen("serve-70b", section="kit"))
    before = at.markdown[0].value
    wrong = own_file(1.5).replace(b",vllm,", b",vlm,", 1).replace(b"tokens/s,deployment", b"tokens/s,cluster", 1)
    at.file_uploader(key="benchmarks.own.file").set_value(("mine.csv", wrong, "text/csv")).run()
    assert not at.exception
    assert "refused whole (2 problems)" in at.error[0].value
    problems = next(frame.value for frame in at.dataframe if "Problem" in frame.value.columns)
    assert problems[["Line", "Column", "Value"]].to_numpy().tolist() == [
        ["2", "engine", "vlm"],
        ["2", "unit_basis", "cluster"],
    ]
    assert "vllm" in problems["Allowed"][0]
    assert problems["Allowed"][1] == "deployment, gpu"
    assert at.markdown[0].value == before


def test_own_rows_of_one_visitor_are_not_seen_by_another() -> None:
    """Another session opens the page without them."""
    at = opened(seen("serve-70b", section="kit"))
    at.file_uploader(key="benchmarks.own.file").set_value(("mine.csv", own_file(9.0), "text/csv")).run()
    assert "9.00×" in at.markdown[0].value
    assert "9.00×" not in opened(seen("serve-70b")).markdown[0].value
