import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.parsing import LAS, LAS_ALL, UAS, UAS_ALL, GoldTree

# "Peter was seen , 5 %": words 1 to 6.
GOLD = GoldTree(
    heads=(3, 3, 0, 3, 3, 5),
    relations=("nsubj:pass", "aux:pass", "root", "punct", "obl", "dep"),
    upos=("PROPN", "AUX", "VERB", "PUNCT", "NUM", "SYM"),
)


@pytest.mark.parametrize(
    "heads, relations, uas, las, uas_all, las_all",
    [
        (GOLD.heads, GOLD.relations, 4 / 4, 4 / 4, 6 / 6, 6 / 6),
        # The subtype of a relation does not count, in either direction.
        (GOLD.heads, ("nsubj", "aux", "root:x", "punct", "obl:tmod", "dep"), 4 / 4, 4 / 4, 6 / 6, 6 / 6),
        # A wrong label on the subject, a wrong head at the comma.
        ((3, 3, 0, 2, 3, 5), ("obj", "aux", "root", "punct", "obl", "dep"), 4 / 4, 3 / 4, 5 / 6, 4 / 6),
        # A correct label on a wrong head is no hit; only CoNLL counts predictions at PUNCT and SYM.
        ((2, 3, 0, 5, 3, 1), GOLD.relations, 3 / 4, 3 / 4, 3 / 6, 3 / 6),
    ],
    ids=["gold", "subtypes", "label-and-comma", "heads"],
)
def test_a_sentence_by_hand(heads, relations, uas, las, uas_all, las_all):
    found = [m.score(m.counts([GOLD], [(heads, relations)], "en")) for m in (UAS, LAS, UAS_ALL, LAS_ALL)]
    assert found == pytest.approx([uas, las, uas_all, las_all])


def random_heads(rng, words):
    """A tree: each word, in random order, depends on an earlier one of that order; the first on the root."""
    order = rng.sample(range(1, words + 1), words)
    heads = [0] * words
    for k in range(1, words):
        heads[order[k] - 1] = rng.choice(order[:k])
    return heads


def conllu(trees):
    """All words are "w", so that the scorer's alignment of them is the identity."""
    blocks = []
    for heads, relations in trees:
        rows = [
            f"{k}\tw\t_\tNOUN\t_\t_\t{head}\t{relation}\t_\t_"
            for k, (head, relation) in enumerate(zip(heads, relations, strict=True), 1)
        ]
        blocks.append("\n".join(rows) + "\n\n")
    return "".join(blocks)


def test_the_conll_scorer_counts_the_same(tmp_path):
    command = shutil.which("udeval", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("needs udeval, the command of the package udtools")
    rng = random.Random(5)
    labels = ["nsubj", "nsubj:pass", "obj", "obl", "obl:tmod", "punct", "dep"]
    golds, predictions = [], []
    for _ in range(40):
        words = rng.randint(1, 9)
        heads = random_heads(rng, words)
        relations = [rng.choice(labels) if head else "root" for head in heads]
        golds.append((heads, relations))
        other = heads if rng.random() < 0.6 else random_heads(rng, words)
        predictions.append((other, [rng.choice([label, rng.choice(labels)]) for label in relations]))
    (tmp_path / "gold.conllu").write_text(conllu(golds), encoding="utf-8")
    (tmp_path / "system.conllu").write_text(conllu(predictions), encoding="utf-8")
    done = subprocess.run(
        [command, "--counts", tmp_path / "gold.conllu", tmp_path / "system.conllu"],
        capture_output=True,
        text=True,
        check=True,
    )
    table = {row.split("|")[0].strip(): row.split("|")[1:] for row in done.stdout.splitlines() if "|" in row}
    golds = [GoldTree(tuple(heads), tuple(relations), ("NOUN",) * len(heads)) for heads, relations in golds]
    for metric, name in ((UAS_ALL, "UAS"), (LAS_ALL, "LAS")):
        correct, words = metric.counts(golds, predictions, "en").sum(0)
        assert [correct, words] == [float(figure) for figure in table[name][:2]] and 0 < correct < words


@pytest.mark.parametrize("prediction", [((0,), ("root",)), (GOLD.heads, ("root",))])
def test_every_word_has_a_prediction(prediction):
    with pytest.raises(XalignError, match=", 1 and 6"):
        LAS.counts([GOLD], [prediction], "en")
