import shutil
from dataclasses import replace
from functools import partial

import pytest
import torch

from xalign_fairseq.aligner.gold_sets import read_set
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.training import gold as gold_module
from xalign_fairseq.aligner.training.gold import ScorerRun, gold_pairs, grouped, train_scorer
from xalign_fairseq.aligner.training.scorer_fitting import Fitting
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import SentencePairs
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.scored import load_scorer, save_scorer


@pytest.fixture
def golds(tiny_text, tmp_path):
    """Two sets: the lines of the text, and half of them with swapped sides."""
    folder = tmp_path / "gold"
    folder.mkdir()
    for ending in ("en", "xx", "gold"):
        shutil.copy(tiny_text / f"text.{ending}", folder / f"en-xx.{ending}")
    lines = {ending: (tiny_text / f"text.{ending}").read_text().splitlines()[20:] for ending in ("en", "xx", "gold")}
    for ending, source in (("yy", "xx"), ("en", "en")):
        (folder / f"yy-en.{ending}").write_text("".join(line + "\n" for line in lines[source]))
    turned = [
        " ".join("-".join(reversed(link.replace("p", "-").split("-"))) for link in line.split())
        for line in lines["gold"]
    ]
    (folder / "yy-en.gold").write_text("".join(line + "\n" for line in turned))
    return [folder / "en-xx.gold", folder / "yy-en.gold"]


def test_words_and_gold_of_each_pair_that_has_both_sides(golds, tiny_checkpoint):
    aligner = Aligner.from_pretrained(tiny_checkpoint, linking=Linking("grow"), device="cpu", dtype="float32")
    gold = read_set(golds[0])
    pairs = gold_pairs(aligner, gold, (1, 3))
    kept = [(src, tgt, links) for (src, tgt), links in zip(gold.pairs, gold.golds, strict=True) if src and tgt]
    assert [(pair.shape, pair.gold) for pair in pairs] == [((len(src), len(tgt)), links) for src, tgt, links in kept]
    src, tgt, _ = kept[0]
    [(_, (words, _))] = aligner.states_of_words([(src, tgt)], (1, 3))
    torch.testing.assert_close(pairs[0].words()[0].states, words.states, atol=1e-3, rtol=0)


def test_a_scorer_and_its_record_are_written_and_make_links(golds, tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(gold_module, "Fitting", partial(Fitting, updates=1))
    run = ScorerRun(str(tiny_checkpoint), golds, tmp_path / "scorer", device="cpu")
    lines = []
    record = train_scorer(run, lines.append)
    assert lines[0] == "en-xx, yy-en: 57 pairs"  # they share sentences
    scorer, stored = load_scorer(run.path)
    assert stored == record and record["seed"] == 1 and list(record["sets"]) == ["en-xx", "yy-en"]
    assert record["command"].endswith("--gold en-xx.gold yy-en.gold --seed 1 --out scorer")
    assert scorer.layers == (1, 2) and scorer.dim == 16
    linking = Linking("scored", {"scorer": str(run.path), "threshold": 0.1})
    aligner = Aligner.from_pretrained(tiny_checkpoint, linking=linking, device="cpu")
    gold = read_set(golds[0])
    assert aligner.linking.layers == (1, 2)
    assert any(pair.links for pair in aligner.stream(gold.pairs))
    with pytest.raises(XalignError, match="a link scorer already exists"):
        train_scorer(run, lines.append)
    lines.clear()
    with pytest.raises(XalignError, match="a file is where a folder is needed"):
        train_scorer(replace(run, out=run.path), lines.append)
    assert not lines  # before the work
    moved = golds[1].parent / "other"  # a set of the same name in another folder
    moved.mkdir()
    for ending in ("gold", "en", "xx"):
        shutil.copy(golds[0].with_suffix(f".{ending}"), moved)
    with open(moved / "en-xx.gold", "a") as stream:
        stream.write("\n")
    for ending in ("en", "xx"):
        with open(moved / f"en-xx.{ending}", "a") as stream:
            stream.write("more\n")
    both = [golds[0], moved / "en-xx.gold"]
    record = train_scorer(ScorerRun(str(tiny_checkpoint), both, tmp_path / "both", device="cpu"), lines.append)
    digests = [read_set(path).digest for path in both]
    assert [each["sha256"] for each in record["sets"].values()] == digests and len(set(digests)) == 2


def test_sets_that_share_sentences_are_merged(golds, tmp_path):
    first, second = map(read_set, golds)
    other = tmp_path / "en-zz.gold"
    other.write_text("0-0\n")
    other.with_suffix(".en").write_text("another\n")
    other.with_suffix(".zz").write_text("autre\n")
    found = grouped([first, read_set(other), second])
    assert [[each.name for each in members] for members in found] == [["en-xx", "yy-en"], ["en-zz"]]


def test_a_checkpoint_s_own_scorer_makes_links(tiny_state, tiny_text, tmp_path):
    torch.manual_seed(4)
    scorer = LinkScorer(16, (1, 3), (3,), rank=4, width=8).eval()
    heads = {f"heads.link_scorer.{name}": value for name, value in scorer.state_dict().items()}
    torch.save({**tiny_state, "model": {**tiny_state["model"], **heads}}, tmp_path / "model.pt")
    save_scorer(scorer, tmp_path / "scorer.npz", {})
    options = {"device": "cpu", "dtype": "float32"}
    own = Aligner.from_pretrained(tmp_path / "model.pt", linking=Linking("scored", {"threshold": 0.1}), **options)
    same = Linking("scored", {"threshold": 0.1, "scorer": str(tmp_path / "scorer.npz")})
    file = Aligner.from_pretrained(tmp_path / "model.pt", linking=same, **options)
    assert own.linking.layers == file.linking.layers == (1, 3) and "scorer:own" in own.signature()
    pairs = SentencePairs(tiny_text / "text.en", tiny_text / "text.xx")
    found = [[pair.links for pair in each.stream(pairs)] for each in (own, file)]
    assert any(found[0]) and sum(a.keys() == b.keys() for a, b in zip(*found, strict=True)) >= len(found[0]) - 1
    with pytest.raises(XalignError, match="its own layers"):
        Aligner.from_pretrained(tmp_path / "model.pt", linking=Linking("scored", layers=(2,)), **options)
    assert Aligner.from_pretrained(tmp_path / "model.pt", **options).linking.method != "scored"


def test_one_pair_is_too_few(tmp_path, tiny_checkpoint):
    gold = tmp_path / "en-zz.gold"
    gold.write_text("0-0\n")
    gold.with_suffix(".en").write_text("red\n")
    gold.with_suffix(".zz").write_text("house\n")
    with pytest.raises(XalignError, match="needs pairs of sentences"):
        train_scorer(ScorerRun(str(tiny_checkpoint), [gold], tmp_path / "scorer"), print)
