import random
from pathlib import Path

import pytest

from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece


def make_sentences(count: int, alphabet: str, seed: int) -> list[str]:
    rng = random.Random(seed)
    words = ["".join(rng.choices(alphabet, k=rng.randint(1, 8))) for _ in range(300)]
    return [" ".join(rng.choices(words, k=rng.randint(1, 12))) + rng.choice([".", "!", " ?"]) for _ in range(count)]


@pytest.fixture(scope="session")
def bitext(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with train.en, train.el (1200 lines), valid.en, valid.el (60 lines)."""
    folder = tmp_path_factory.mktemp("bitext")
    for lang, alphabet, seed in (("en", "abcdefghikl", 1), ("el", "αβγδεζηθικλ", 2)):
        lines = make_sentences(1260, alphabet, seed)
        (folder / f"train.{lang}").write_text("".join(f"{line}\n" for line in lines[:1200]), encoding="utf-8")
        (folder / f"valid.{lang}").write_text("".join(f"{line}\n" for line in lines[1200:]), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def spm(bitext: Path) -> Path:
    """A sentencepiece model of the bitext, 120 pieces."""
    path = bitext / "spm.model"
    path.write_bytes(train_sentencepiece([scan(bitext / f"train.{lang}") for lang in ("en", "el")], 120, seed=1))
    return path
