from types import SimpleNamespace

import pytest

from xalign_fairseq.aligner.neural.link_setting import LinkSetting
from xalign_fairseq.aligner.neural.sweep import GoldPairs, sweep_links, try_settings
from xalign_fairseq.links.aer import AlignmentCounts, score
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.transport.methods import Transport


class OneLink:
    """In place of an aligner: one link that says which pair and which layer it is of."""

    passes = ()

    def with_encoding(self, encoding):
        self.passes = (*self.passes, encoding)
        return self

    def sweep(self, pairs, settings, progress=None):
        for src, _ in pairs:
            yield [SimpleNamespace(links=[(int(src), layer)] * 2) for layer, _ in settings]
            if progress:
                progress(1)


SETTINGS = [(layer, Transport()) for layer in (4, 7)]


def test_links_of_all_pairs_by_setting():
    done = []
    found = sweep_links(OneLink(), zip(["0", "1", "2"], "abc", strict=True), SETTINGS, done.append)
    assert found == [[{(0, 4)}, {(1, 4)}, {(2, 4)}], [{(0, 7)}, {(1, 7)}, {(2, 7)}]]
    assert done == [1, 1, 1]


@pytest.mark.parametrize(("pairs", "settings"), [([], SETTINGS), ([("0", "a")], [])])
def test_without_pairs_or_settings_there_are_no_links(pairs, settings):
    assert sweep_links(OneLink(), pairs, settings) == [[] for _ in settings]


def test_every_setting_on_every_set_in_one_pass_for_each_encoding():
    one, other = (Gold(frozenset(links), frozenset(links)) for links in ({(0, 4), (0, 7)}, {(1, 4)}))
    sets = [GoldPairs("a", [(["0"], ["x"]), (["1"], ["y"])], [one, other]), GoldPairs("b", [(["1"], ["z"])], [other])]
    settings = [LinkSetting((4,), Transport(), "joint"), LinkSetting((4,), Transport(), "separate")]
    settings += [LinkSetting((7,), Transport(), "joint")]
    aligner, done = OneLinkOfTheFirst(), []
    trials = try_settings(aligner, sets, settings, done.append)
    assert [trial.setting for trial in trials] == settings
    assert aligner.passes == ("joint", "separate") and sum(done) == 6
    assert trials[0].counts() == trials[1].counts()
    assert trials[0].counts() == [
        [AlignmentCounts(1, 1, 1, 2), AlignmentCounts(1, 1, 1, 1)], [AlignmentCounts(1, 1, 1, 1)]
    ]  # fmt: skip
    links = [[{(0, 7)}, {(1, 7)}], [{(1, 7)}]]
    expected = [score(found, text.golds) for found, text in zip(links, sets, strict=True)]
    assert [total.aer for total in trials[2].totals()] == [each.aer for each in expected]
    assert trials[2].aer == pytest.approx((expected[0].aer + 1) / 2)


class OneLinkOfTheFirst(OneLink):
    """The same for texts that are lists of words, and layers that are several."""

    def sweep(self, pairs, settings, progress=None):
        return super().sweep(
            [(src[0], tgt) for src, tgt in pairs], [(layers[0], how) for layers, how in settings], progress
        )
