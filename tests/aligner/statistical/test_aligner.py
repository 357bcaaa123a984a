import numpy as np
import pytest
from support.text import write_bitext

from xalign_fairseq.aligner.combined import CombinedAligner
from xalign_fairseq.aligner.protocol import Alignment
from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner
from xalign_fairseq.aligner.statistical.folder import learn_models, load
from xalign_fairseq.core.text.pairs import SentencePairs
from xalign_fairseq.core.text.segmentation import find_segmenters


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return write_bitext(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="module")
def folder(text, tmp_path_factory):
    out = tmp_path_factory.mktemp("aligner")
    learn_models(SentencePairs(*text), out, lambda *_: None)
    return out


def test_links_of_raw_words_their_order_and_their_probabilities(folder):
    told = []
    aligner = StatisticalAligner(load(folder))
    found = list(aligner.stream([("Das Buch ist neu.", "The book is new."), ("", "x"), ("Haus", "House")], told.append))
    assert found[0].src == ["Das", "Buch", "ist", "neu."]
    assert set(found[0].links) == {(0, 0), (1, 1), (2, 2), (3, 3)}
    assert all(0 < probability <= 1 for probability in found[0].links.values())
    assert found[1].links == {}
    assert not found[1].too_long
    assert set(found[2].links) == {(0, 0)}
    assert told == [3]
    assert "from bitext alone (" in aligner.describe() and "unigram2000" in aligner.describe()
    guided = StatisticalAligner(aligner.trained._replace(guide="an encoder"))
    assert guided.describe().startswith("from statistics that an encoder guided (")


class Encoder:
    def stream(self, pairs, progress=None, matrices=False):
        for src, tgt in pairs:
            yield Alignment(src, tgt, {}, matrix=np.full((len(src), len(tgt)), 0.5, np.float32))


@pytest.mark.parametrize(
    ("pair", "warned"),
    [
        (("Das Buch ist neu .", "The book is new ."), []),
        (("The book is new .", "Das Buch ist neu ."), ["swapped"]),
        (("Kitabu ni kipya .", "The book is new ."), ["0 % of the words of the source"]),
        (("1 2", "3"), []),
    ],
)
@pytest.mark.parametrize("guided", [False, True])
def test_swapped_sides_and_other_languages_are_noticed_once(folder, caplog, pair, warned, guided):
    trained = load(folder)
    aligner = CombinedAligner(Encoder(), trained) if guided else StatisticalAligner(trained)
    list(aligner.stream([(pair[0].split(), pair[1].split())] * 3000))
    assert len(caplog.messages) == len(warned) and all(each in " ".join(caplog.messages) for each in warned)


def test_raw_text_without_spaces_is_learned_from_and_aligned_by_its_words(tmp_path):
    pytest.importorskip("icu4py", reason="pip install icu4py")
    nouns = {"图书馆": "library", "电视": "television", "朋友": "friend", "老师": "teacher", "苹果": "apple"}
    verbs = {"喜欢": "likes", "看见": "sees", "需要": "needs"}
    text = [
        (f"我们{verb}{noun}。", f"we {does} {thing} .") for verb, does in verbs.items() for noun, thing in nouns.items()
    ]
    for side, name in enumerate(("zh", "en")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in text))
    pairs = SentencePairs(tmp_path / "zh", tmp_path / "en", find_segmenters("auto"))
    [found] = StatisticalAligner(learn_models(pairs, tmp_path, lambda *_: None)).align(
        ["我们看见老师。"], ["we sees teacher ."]
    )
    assert found.src == ["我们", "看见", "老师", "。"] and {(1, 1), (2, 2)} <= set(found.links)


def test_a_higher_probability_threshold_gives_fewer_links(folder):
    pair = (["Das Haus ist alt und schön."], ["The house is old yet dear."])
    [found] = StatisticalAligner(load(folder), 0.3).align(*pair)
    above = {(int(i), int(j)): found.matrix[i, j] for i, j in zip(*(found.matrix >= 0.3).nonzero(), strict=True)}
    assert found.matrix.shape == (6, 6) and found.links == pytest.approx(above)
    links = [set(StatisticalAligner(load(folder), least).align(*pair)[0].links) for least in (0.01, 0.5, 0.99)]
    assert links[0] > links[1] >= links[2]
    usual, asked = (StatisticalAligner(load(folder), least) for least in (None, 0.5))
    assert usual.least[1] < usual.least[0]
    assert asked.least[1] == asked.least[0]
    assert "next to others" in usual.describe()
    assert "next to others" not in asked.describe()
