from xalign_fairseq.core.text.segmentation import split_at_spaces
from xalign_fairseq.projection.units import Dropped, Projected, Unit


def test_the_output_of_a_fixed_pair_does_not_depend_on_links():
    lost = Dropped("b", "it has no place")
    unit = Unit.fixed(split_at_spaces("a b"), split_at_spaces("A"), "file, line 1", "A!", lost)
    assert unit.project({}) == unit.project({(0, 0): 1.0}) == Projected("A!", 0, (lost,))
    assert not unit.needs_links
