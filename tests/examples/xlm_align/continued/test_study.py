"""The study's settings and weights."""

import numpy as np
import pytest

from tests.examples.xlm_align.continued.made_up import study
from xalign_fairseq.aligner.neural.comparison import Trial


def test_test_sets_are_no_development_sets():
    assert not any("simalign" in name or "/test/" in name for name in study.DEVELOPMENT)
    assert sum(study.DEVELOPMENT.values()) == pytest.approx(4)
    assert len({study.setting_name(each) for each in study.line_settings()}) == len(study.line_settings())


def test_the_mean_is_weighted():
    # 1 - (sure hits + possible hits) / (links + sure): 0.5, and 0
    parts = (np.array([[1, 1, 2, 2]]), np.array([[2, 2, 2, 2]]))
    found = study.scores(Trial(study.line_settings()[0], parts), ["a", "b"], {"a": 3.0, "b": 1.0})
    assert found == {"mean": 37.5, "a": 50.0, "b": 0.0}
