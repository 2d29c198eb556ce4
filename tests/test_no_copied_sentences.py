"""Nothing of the articles is copied: no eight words and no sixteen Chinese characters in a row are theirs."""

from pathlib import Path

from tests import article_runs, house_rules

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = (".md", ".csv", ".toml", ".po", ".py", ".txt")
MEASURED = ("serving", "micro", "mlperf_inference", "mlperf_training", "training", "rent_history")
"""Tables of measurements hold no sentence and many megabytes."""


def copied(text: str, hashes: frozenset[str]) -> list[str]:
    """The runs of a text that are among the hashes."""
    return [run for run in article_runs.runs(text) if article_runs.hashed(run) in hashes]


def test_no_sentence_of_an_article_is_copied() -> None:
    """Every text of the project against the hashes of the five articles, line by line and whole."""
    hashes = article_runs.kept()
    found = []
    for path in house_rules.tracked_files(ROOT):
        if path.suffix in WRITTEN and path.stem not in MEASURED:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                found += [f"{path.relative_to(ROOT)}:{number}: {run}" for run in copied(line, hashes)]
    assert not found, "\n" + "\n".join(found[:40])


def test_the_articles_are_covered() -> None:
    """Five articles of some 80,000 bytes give tens of thousands of runs; an empty list would prove nothing."""
    assert len(article_runs.kept()) > 15_000


def test_a_copied_run_is_found() -> None:
    """A sentence taken over whole is found in both scripts, with other punctuation and case; a paraphrase is not."""
    english = "The quick brown fox jumps over the lazy dog every single morning."
    chinese = "这是一句只为测试而写的中文句子，用来检查抄录能否被发现。"
    hashes = frozenset(map(article_runs.hashed, [*article_runs.runs(english), *article_runs.runs(chinese)]))
    assert copied("He wrote: the QUICK brown fox jumps, over the lazy dog!", hashes)
    assert copied("注：只为测试而写的中文句子用来检查抄录", hashes)
    assert not copied("A brown fox that is quick jumps over dogs.", hashes)
    assert not copied("为了检查，写了另外一句话。", hashes)
