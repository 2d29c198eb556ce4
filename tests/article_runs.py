"""Hashes of the articles' runs of words, so that a copied sentence is found without keeping the articles.

A run is eight Latin words in a row, or sixteen characters in a row of which at least ten are Chinese; punctuation and
spaces do not count. `python -m tests.article_runs FOLDER` writes the hashes of all texts of a folder.
"""

import gzip
import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

WORDS: Final = 8
CHARACTERS: Final = 16
CHINESE_AT_LEAST: Final = 10
HASH_BYTES: Final = 6
HASHES: Final = Path(__file__).resolve().parent / "data" / "article_ngrams.txt.gz"

_WORD: Final = re.compile(r"[a-z][a-z0-9'-]*")
_CHARACTER: Final = re.compile(r"[0-9a-z\u4e00-\u9fff]")
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")


def runs(text: str) -> Iterator[str]:
    """Every run of a text, in lower case."""
    lower = text.lower()
    words = _WORD.findall(lower)
    for start in range(len(words) - WORDS + 1):
        yield " ".join(words[start : start + WORDS])
    if not _CHINESE.search(lower):
        return
    characters = "".join(_CHARACTER.findall(lower))
    chinese = [0]
    for one in characters:
        chinese.append(chinese[-1] + bool(_CHINESE.match(one)))
    for start in range(len(characters) - CHARACTERS + 1):
        if chinese[start + CHARACTERS] - chinese[start] >= CHINESE_AT_LEAST:
            yield characters[start : start + CHARACTERS]


def hashed(run: str) -> str:
    """The hash under which a run is kept."""
    return hashlib.blake2b(run.encode(), digest_size=HASH_BYTES).hexdigest()


def kept() -> frozenset[str]:
    """The hashes of the articles' runs."""
    return frozenset(gzip.decompress(HASHES.read_bytes()).decode().split())


def write(folder: Path) -> int:
    """Write the hashes of every run of a folder's texts, and say how many there are."""
    found = {hashed(run) for path in sorted(folder.glob("*.txt")) for run in runs(path.read_text(encoding="utf-8"))}
    HASHES.write_bytes(gzip.compress("\n".join(sorted(found)).encode(), mtime=0))
    return len(found)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
