import re

import numpy as np
import pytest
import torch
from support.links import DIM, SIZES, draw

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.methods import make_method, method_of_state
from xalign_fairseq.transport.pair_features import word_states
from xalign_fairseq.transport.scored import PACKAGED, RECORD, Scored, load_scorer, save_scorer


@pytest.fixture
def scorer():
    """A scorer of two layers with random parameters."""
    torch.manual_seed(2)
    return LinkScorer(DIM // 2, (1, 3), (1,), rank=4, width=8).eval()


def test_words_are_scored_by_the_network(scorer):
    _, hidden, spans = draw(1)
    hidden = hidden.float()
    src_words = torch.arange(7).div(2, rounding_mode="floor").expand(len(SIZES), -1)
    tgt_words = torch.arange(6).expand(len(SIZES), -1)
    method = Scored(threshold=0.45, measure=scorer)
    sides = [word_states(hidden, spans, side, words, 2) for side, words in enumerate((src_words, tgt_words))]
    expected = scorer.probabilities(*sides)
    found, _ = method.links(hidden, spans, src_words, tgt_words)
    assert any(found)
    for links, scores in zip(found, expected, strict=True):
        assert set(links) == {tuple(each) for each in (scores >= 0.45).nonzero().tolist()}
        assert all(links[i, j] == pytest.approx(scores[i, j].item()) for i, j in links)
    for scores, expected in (([[0.1, 0.0]], {(0, 0): 0.1}), ([[0.1, 0.2]], {}), ([[0.0]], {})):  # padded one word, ...
        assert method.choose(np.array(scores)) == expected


def test_states_of_another_encoder(scorer):
    _, hidden, spans = draw(1)
    with pytest.raises(XalignError, match="another encoder"):
        Scored(measure=scorer)(hidden[..., :4], spans)


def test_a_file_keeps_the_scorer_and_its_record(scorer, tmp_path):
    _, hidden, spans = draw(1)
    with torch.no_grad():
        for parameter in scorer.parameters():
            parameter.copy_(parameter.half())
    save_scorer(scorer, tmp_path / "scorer.npz", {"sets": ["en-cs"]})
    loaded, record = load_scorer(tmp_path / "scorer.npz")
    assert record == {"sets": ["en-cs"]} and loaded.layers == (1, 3) and not loaded.training
    words = torch.arange(7).expand(len(SIZES), -1), torch.arange(6).expand(len(SIZES), -1)
    method = make_method("scored", scorer=str(tmp_path / "scorer.npz"))
    assert torch.equal(method.scores(hidden, spans, *words), Scored(measure=scorer).scores(hidden, spans, *words))
    assert method_of_state(method.state()) == method
    named = method.describe()["scorer"]
    assert re.fullmatch("scorer-[0-9a-f]{8}", named) and make_method("scored").describe()["scorer"] != named


def test_files_without_a_scorer(scorer, tmp_path):
    with pytest.raises(XalignError, match="does not exist"):
        load_scorer(tmp_path / "scorer.npz")
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "other.npz", a=np.zeros(1))
    save_scorer(scorer, tmp_path / "scorer.npz", {})
    with np.load(tmp_path / "scorer.npz") as stored:
        np.savez(tmp_path / "part.npz", **{name: stored[name] for name in stored.files if name != "mean"})
    (tmp_path / "short.npz").write_bytes((tmp_path / "scorer.npz").read_bytes()[:900])
    for name in ("text.npz", "other.npz", "part.npz", "short.npz"):
        with pytest.raises(XalignError, match=r"(holds no link scorer|is damaged)"):
            load_scorer(tmp_path / name)
    assert RECORD in np.load(tmp_path / "scorer.npz").files


def test_the_packaged_scorer_is_small_and_records_its_training_data():
    scorer, record = load_scorer(PACKAGED)
    assert PACKAGED.stat().st_size < 100_000 and scorer.dim == 384 and scorer.layers == (4, 6, 7, 9)
    assert record["command"].startswith("xalign train-aligner --model e5-small --gold en-cs.gold")
    assert record["sets"].keys() == {"en-cs", "ja-en", "en-es", "en-pt"}  # redistributable, and no test language
    assert not {"de", "fr", "hi", "ro"} & {language for name in record["sets"] for language in name.split("-")}
