import numpy as np
import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary, alignment_counts, word_vectors

PAIRS = [("big", "groß"), ("large", "groß"), ("big", "dick"), ("house", "Haus"), ("big", "groß")]


def test_a_dictionary_has_distinct_words_and_their_translations():
    found = BilingualDictionary.collect(PAIRS)
    assert found.src == ["big", "large", "house"] and found.tgt == ["groß", "dick", "Haus"]
    assert found.to_tgt == [{0, 1}, {0}, {2}]
    with pytest.raises(XalignError, match="no word pair"):
        BilingualDictionary.collect([])


def test_counts_are_those_of_loops():
    generator = np.random.default_rng(0)
    queries, candidates = generator.normal(size=(40, 5)), generator.normal(size=(23, 5))
    golds = [set(generator.integers(0, 23, size=generator.integers(0, 9)).tolist()) for _ in range(40)]
    right = 0
    for query, gold in zip(queries, golds, strict=True):
        cosines = [query @ each / np.linalg.norm(query) / np.linalg.norm(each) for each in candidates]
        right += cosines.index(max(cosines)) in gold
    counts = alignment_counts(torch.from_numpy(queries), torch.from_numpy(candidates), golds)
    assert counts.shape == (40, 2) and counts[:, 0].sum() == right and 0 < right < 40


@pytest.mark.parametrize("golds", [[{0}], [{0}, {2}], [{-1}, {0}]])
def test_translations_that_do_not_fit_are_an_error(golds):
    with pytest.raises(XalignError, match="sets for 2 words, 2 candidates"):
        alignment_counts(torch.eye(2), torch.eye(2), golds)


def test_a_word_is_the_mean_of_its_subwords(tmp_path):
    (tmp_path / "text").write_text("a red house in the garden of houses\n" * 30)
    tokenizer = SentencePieceTokenizer(train_sentencepiece([scan(tmp_path / "text")], 25, seed=1))
    embeddings = torch.randn(tokenizer.dictionary.embedding_size, 7, dtype=torch.float64)
    words = ["house", "the", "gardenhouse", ""]
    vectors = word_vectors(embeddings, tokenizer, words)
    sizes = [len(tokenizer.encode(word)) for word in words]
    assert sizes[0] != sizes[2] and max(sizes) > 1 and sizes[3] == 0
    for word, vector in zip(words[:3], vectors, strict=False):
        subwords = [embeddings[i] for i in tokenizer.encode(word)]
        torch.testing.assert_close(vector, sum(subwords) / len(subwords))
    assert vectors[3].tolist() == [0] * 7
