from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from xalign_fairseq.aligner.neural.sweep import GoldPairs, sweep_links, try_linkings
from xalign_fairseq.links.aer import AlignmentCounts, score
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.transport.linking import Linking


@dataclass
class OneLink:
    """In place of an aligner: one link that says which pair and which layer it is of."""

    linking: Linking = field(default_factory=Linking)
    passes: list = field(default_factory=list)

    def sweep(self, pairs, linkings, progress=None):
        self.passes.append(self.linking.encoding)
        for src, _ in pairs:
            yield [SimpleNamespace(links=[(int(src[0]), each.layer)] * 2) for each in linkings]
            if progress:
                progress(1)


LINKINGS = [Linking("transport", layers=(layer,)) for layer in (4, 7)]


def test_links_of_all_pairs_by_setting():
    done = []
    found = sweep_links(OneLink(), zip(["0", "1", "2"], "abc", strict=True), LINKINGS, done.append)
    assert found == [[{(0, 4)}, {(1, 4)}, {(2, 4)}], [{(0, 7)}, {(1, 7)}, {(2, 7)}]]
    assert done == [1, 1, 1]


def test_every_setting_on_every_set_in_one_pass_for_each_encoding():
    one, other = (Gold(frozenset(links), frozenset(links)) for links in ({(0, 4), (0, 7)}, {(1, 4)}))
    sets = [GoldPairs("a", [(["0"], ["x"]), (["1"], ["y"])], [one, other]), GoldPairs("b", [(["1"], ["z"])], [other])]
    places = ((4, "joint"), (4, "separate"), (7, "joint"))
    linkings = [Linking("transport", layers=(layer,), encoding=encoding) for layer, encoding in places]
    aligner, done = OneLink(), []
    trials = try_linkings(aligner, sets, linkings, done.append)
    assert [trial.linking for trial in trials] == linkings
    assert aligner.passes == ["joint"] * 2 + ["separate"] * 2 and sum(done) == 6
    assert trials[0].counts() == trials[1].counts()
    assert trials[0].counts() == [
        [AlignmentCounts(1, 1, 1, 2), AlignmentCounts(1, 1, 1, 1)],
        [AlignmentCounts(1, 1, 1, 1)],
    ]
    links = [[{(0, 7)}, {(1, 7)}], [{(1, 7)}]]
    expected = [score(found, text.golds) for found, text in zip(links, sets, strict=True)]
    assert [total.aer for total in trials[2].totals()] == [each.aer for each in expected]
    assert trials[2].aer == pytest.approx((expected[0].aer + 1) / 2)
