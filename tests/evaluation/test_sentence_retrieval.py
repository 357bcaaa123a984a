from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.sentence_vectors import sentence_vectors
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation import retrieval, sentence_retrieval
from xalign_fairseq.evaluation.sentence_retrieval import RetrievalOptions, translation_accuracy

SRC = ["the red house", "Ann sees the cat", "the king likes bread", "Bob finds a stone", "the old ship", "Rome"]
TGT = ["red house the", "the cat sees Ann", "bread", "Bob finds", "the old song", "Oslo"]


@pytest.mark.parametrize(
    ("options", "layer", "pooling"),
    [({}, 1, "mean"), ({"layer": 2}, 2, "mean"), ({"pooling": "cls"}, 2, "cls"), ({"layer": -2}, 1, "mean")],
)
def test_the_figures_are_those_of_the_searches(transfer_encoder, options, layer, pooling, monkeypatch):
    done = []

    @contextmanager
    def bar(total, **_):
        yield SimpleNamespace(update=done.append)
        assert sum(done) == total

    monkeypatch.setattr(sentence_retrieval, "progress", bar)
    result = translation_accuracy(transfer_encoder, SRC, TGT, RetrievalOptions(bootstrap=20, **options))
    state = checkpoint.read(transfer_encoder)
    encoder, _ = checkpoint.load_encoder(state)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size)
    src, tgt = (sentence_vectors(encoder, tokenizer, side, layer, pooling=pooling) for side in (SRC, TGT))
    lines, expected = torch.arange(len(SRC)), {}
    for by, search in (("cosine", retrieval.by_cosine), ("margin", retrieval.by_margin)):
        expected["src to tgt", by] = (search(src, tgt) == lines).float().mean().item()
        expected["tgt to src", by] = (search(tgt, src) == lines).float().mean().item()
    assert {(row["direction"], row["by"]): pytest.approx(row["accuracy"]) for row in result["scores"]} == expected
    assert all(row["interval"][0] <= row["accuracy"] <= row["interval"][1] for row in result["scores"])
    assert (result["layer"], result["pooling"], result["maps"], result["sentences"]) == (layer, pooling, "none", 6)


def test_linear_maps_are_used_on_request(transfer_encoder, tmp_path, caplog):
    state = checkpoint.read(transfer_encoder)
    maps = LanguageMaps(["de"], "en", 2, 32)
    torch.manual_seed(0)
    with torch.no_grad():
        maps.of("de").normal_()
    heads = {f"heads.linear_mapping.{key}": value for key, value in maps.state_dict().items()}
    torch.save({**state, "model": {**state["model"], **heads}}, tmp_path / "mapped.pt")
    options = RetrievalOptions(bootstrap=20, languages=("de", "en"), maps=True)
    found = translation_accuracy(tmp_path / "mapped.pt", SRC, SRC, options)
    assert found["maps"] == "de-en" and min(row["accuracy"] for row in found["scores"]) < 1 and not caplog.records
    plain = translation_accuracy(tmp_path / "mapped.pt", SRC, SRC, RetrievalOptions(bootstrap=20))
    assert all(row["accuracy"] == 1 for row in plain["scores"]) and "linear maps, which are not used" in caplog.text
    with pytest.raises(XalignError, match="no linear map of a language"):
        translation_accuracy(tmp_path / "mapped.pt", SRC, SRC, RetrievalOptions(languages=("fr", "en"), maps=True))


def test_bad_options(transfer_encoder):
    for options, message in (
        ({"bootstrap": 0}, "bootstrap"),
        ({"layer": 9}, "no such layer"),
        ({"maps": True}, "maps"),
    ):
        with pytest.raises(XalignError, match=message):
            translation_accuracy(transfer_encoder, SRC, TGT, RetrievalOptions(**options))
