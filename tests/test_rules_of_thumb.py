"""The two rules of thumb give what their articles state, and refuse what has no meaning."""

import math

import pytest

from lib.errors import InputError
from lib.sizing import rules_of_thumb

GB = 1e9


def test_weights_and_thirty_percent_are_the_need_of_article_a1() -> None:
    """Llama 3.1 405B in 16 bit: 810 GB of weights are a need of 1,053 GB, to the gigabyte."""
    assert round(rules_of_thumb.need_by_reserve_bytes(810 * GB) / GB) == 1053


@pytest.mark.parametrize(("billions", "bits", "need_gb"), [(405, 8, 486), (671, 8, 805), (70, 16, 168)])
def test_gigabytes_a_billion_are_the_needs_of_article_a3(billions: int, bits: int, need_gb: int) -> None:
    """405B and 671B in FP8 and 70B in BF16, to the gigabyte as printed."""
    assert round(rules_of_thumb.need_by_parameters_bytes(billions * GB, bits) / GB) == need_gb


@pytest.mark.parametrize(("label_gb", "gpus"), [(288, 2), (141, 4), (80, 7)])
def test_gpus_of_article_a3_follow_from_the_label(label_gb: int, gpus: int) -> None:
    """486 GB at 92 % of the label: two MI355X or B300, four H200, and seven H100, which the article rounds to eight."""
    assert rules_of_thumb.gpus_for(486 * GB, label_gb * GB, rules_of_thumb.USABLE_FRACTION) == gpus


@pytest.mark.parametrize("wrong", [0, -1, math.nan, math.inf])
def test_what_has_no_meaning_is_refused(wrong: float) -> None:
    """Nothing, less than nothing, not a number and infinity."""
    with pytest.raises(InputError):
        rules_of_thumb.need_by_reserve_bytes(wrong)
    with pytest.raises(InputError):
        rules_of_thumb.need_by_parameters_bytes(wrong)
    with pytest.raises(InputError):
        rules_of_thumb.gpus_for(wrong, GB)
    with pytest.raises(InputError):
        rules_of_thumb.gpus_for(GB, wrong)
