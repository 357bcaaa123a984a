import pytest

from xalign_fairseq.transport.layers import at_depth, layer_range


@pytest.mark.parametrize(
    ("layers", "words"), [((7,), "7"), ((6, 7, 8), "6-8"), ((5, 7), "5,7"), ((8, 7), "8,7"), ((0, 1), "0-1")]
)
def test_layers_as_text(layers, words):
    assert layer_range(layers) == words


def test_layers_keep_their_relative_depth():
    assert [at_depth(depth, 4, 6, 7, 9) for depth in (1, 6, 12, 24)] == [(1,), (2, 3, 4), (4, 6, 7, 9), (8, 12, 14, 18)]
