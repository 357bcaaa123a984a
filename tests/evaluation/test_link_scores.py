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


def test_intervals_are_computed_on_request(score):
    assert "interval" not in score() and score(bootstrap=5)["bootstrap"] == {"samples": 5, "seed": 1, "level": 0.95}


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
