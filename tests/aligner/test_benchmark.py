"""Systems on test sets: what does not fit is found before a model aligns."""

import pytest

from xalign_fairseq.aligner.benchmark import BenchmarkRun, run_benchmark
from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def data(tmp_path):
    """A set of one pair, and links of a tool."""
    for name, text in (
        ("de-en.gold", "0-0\n"),
        ("de-en.de", "Haus\n"),
        ("de-en.en", "house\n"),
        ("de-en.links", "0-0\n"),
    ):
        (tmp_path / name).write_text(text)
    return str(tmp_path)


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ({"models": {"tool": "e5-small"}, "links": {"tool": "x"}}, ("model", "links")),
        ({"models": {}, "methods": ("argmax", "argmax")}, ("method",)),
    ],
)
def test_names_and_methods_are_given_once(data, options, parameters):
    with pytest.raises(XalignError) as raised:
        run_benchmark(BenchmarkRun(data, **options))
    assert raised.value.parameters == parameters
