import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.link_scores import LinkFilesToScore, score_files

GOLD = "0-0 1-1 2-2 1p2 3p3\n0-1 1-0\n\n"
HYP = "0-0 1-1 1-2 4-0\n0-1\n\n"  # 3 of 5 sure, 4 of 5 possible, 5 links


@pytest.fixture
def score(tmp_path):
    """A function that scores two files."""

    def run(hyp=HYP, gold=GOLD, **options):
        for name, text in (("hyp", hyp), ("gold", gold)):
            (tmp_path / name).write_text(text)
        return score_files(LinkFilesToScore(str(tmp_path / "hyp"), str(tmp_path / "gold"), **options))

    return run


def test_figures(score):
    found = score()
    assert (found["links"], found["sure"], found["sentences"]) == (5, 5, 3)
    assert found["aer"] == pytest.approx(0.3) and found["precision"] == pytest.approx(0.8)
    assert "interval" not in found and score(bootstrap=5)["bootstrap"] == {"samples": 5, "seed": 1, "level": 0.95}


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ({"bootstrap": -1}, ("bootstrap", "seed")),
        ({"gold": "1 1 1 S\n2 1 1 S\n3 1 1 S\n", "gold_index_base": 0}, ("gold_index_base",)),
    ],
)
def test_options_without_a_meaning(score, options, parameters):
    with pytest.raises(XalignError) as raised:
        score(**options)
    assert raised.value.parameters == parameters


def test_a_one_based_file_can_be_converted_by_a_parameter(score):
    one = "1-1 2-2 2-3 5-1\n1-2\n\n"
    with pytest.raises(XalignError, match="the file looks 1-based") as raised:
        score(hyp=one)
    assert "hyp_index_base=1 converts it" in str(raised.value)
    assert score(hyp=one, hyp_index_base=1)["aer"] == pytest.approx(0.3)
