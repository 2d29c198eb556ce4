"""The shell gives the same answers as the pages, and one bad row or word does not stop the rest."""

import csv
import io
import json
from pathlib import Path

import pytest

from lib import catalog
from lib.__main__ import main
from lib.choice import link, presets
from lib.choice.scenario import changed


def test_fit_answers_every_row_and_names_the_wrong_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row with an unknown accelerator is told the nearest names; the others are computed; extra columns pass through."""
    path = tmp_path / "cases.csv"
    path.write_text(
        "my_id,model,accelerator,engine,tensor_parallel_size,weight_format,max_model_len\n"
        "a,llama-3.1-8b,h100-sxm,vllm,1,bf16,8192\n"
        "b,llama-3.1-8b,h900,vllm,1,bf16,8192\n"
        "c,llama-3.1-8b,mi300x,sglang,1,fp9,8192\n"
        "d,llama-3.1-405b,h100-sxm,vllm,1,bf16,8192\n",
        encoding="utf-8",
    )
    assert main(["fit", str(path)]) == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["my_id"] for row in rows] == ["a", "b", "c", "d"]
    assert rows[0]["fits"] == "yes"
    assert float(rows[0]["weights_gib_per_gpu"]) == pytest.approx(16_060_522_496 / 2**30, rel=0.005)
    assert "h800" in rows[1]["error"]
    assert "fp8" in rows[2]["error"]
    assert rows[3]["fits"] == "no"
    assert rows[3]["error"] == ""


def test_a_file_that_is_not_there_is_an_error_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback, exit code 1."""
    assert main(["fit", "nowhere.csv"]) == 1
    assert "nowhere.csv" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["cost", "recommend"])
def test_a_preset_its_token_and_its_link_give_the_same(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Three ways to name a scenario, one answer."""
    token = link.encode(presets.preset(catalog.load(), "buy-or-wait"))
    answers = []
    for text in ("buy-or-wait", token, f"https://ledger.example/cost?s={token}", "/cost?preset=buy-or-wait&lang=zh"):
        assert main([command, text]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert all(answer == answers[0] for answer in answers)


def test_the_recommendation_breaks_no_check(capsys: pytest.CaptureFixture[str]) -> None:
    """With a budget below every option nobody wins; the winner otherwise has the lowest figure of those that may win."""
    scenario = presets.preset(catalog.load(), "serve-70b")
    assert main(["recommend", link.encode(scenario)]) == 0
    answer = json.loads(capsys.readouterr().out)
    costs = {one["accelerator"]: one["figure"] for one in answer["in_order"] if one["feasible"]}
    assert answer["winner"]["accelerator"] == min(costs, key=costs.__getitem__)
    assert answer["flip_points"]
    assert 0 < answer["confidence"]["stays_first"] <= 1
    assert main(["recommend", link.encode(changed(scenario, ("constraints", "budget_usd"), 1000.0))]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["winner"] is None
    assert not any(one["feasible"] for one in answer["in_order"])


@pytest.mark.parametrize("text", ["no-such-preset", "?preset=", "?s=%%%", ""])
def test_nonsense_is_refused_in_words(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 and one line."""
    assert main(["cost", text]) == 1
    assert capsys.readouterr().err.strip()


def test_a_hostile_row_stays_one_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers beyond all sense and paths beyond all length are errors of their own rows; the good row is answered."""
    path = tmp_path / "cases.csv"
    path.write_text(
        "model,accelerator,engine,tensor_parallel_size,max_model_len,max_num_batched_tokens\n"
        "llama-3.1-8b,h100-sxm,vllm,1e300,1e300,1e308\n"
        f"{'x' * 5000}.json,h100-sxm,vllm,1,8192,\n"
        "llama-3.1-8b,h100-sxm,vllm,1,8192,\n",
        encoding="utf-8",
    )
    assert main(["fit", str(path)]) == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [bool(row["error"]) for row in rows] == [True, True, False]


@pytest.mark.parametrize(
    "content", [b"", b"model,engine\n", "model\nllama".encode("utf-16"), b"a\n" + b"x" * 200_000 + b"\n"]
)
def test_a_file_without_readable_rows_is_an_error_in_words(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Empty, headed but empty, in another encoding, or with one endless cell: exit code 1, no traceback."""
    path = tmp_path / "cases.csv"
    path.write_bytes(content)
    assert main(["fit", str(path)]) == 1


def test_an_unknown_preset_is_named_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """A slip in a preset's name is not called a damaged token."""
    assert main(["cost", "?preset=nope"]) == 1
    assert "nope" in capsys.readouterr().err
    assert main(["cost", "?preset=serve%2D70b#top"]) == 0
