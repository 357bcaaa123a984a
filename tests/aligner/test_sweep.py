from types import SimpleNamespace

import pytest

from xalign_fairseq.aligner.sweep import sweep_links
from xalign_fairseq.transport.methods import Transport


class OneLink:
    """In place of an aligner: one link that says which pair and which layer it is of."""

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
