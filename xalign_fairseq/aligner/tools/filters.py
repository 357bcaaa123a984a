"""Which links are kept as training signal: the filters of Wu & Dredze (2020), in their order."""

from collections import Counter
from collections.abc import Iterable, Sequence

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.pharaoh import Link

IDENTICAL, ONE_TO_ONE, EMPTY = "identical", "one-to-one", "empty"
FILTERS = (IDENTICAL, ONE_TO_ONE, EMPTY)
WU_DREDZE = "wu-dredze"


def ordered_filters(names: Iterable[str]) -> tuple[str, ...]:
    """The filters named, each once and in the order of ``FILTERS``, whatever the order given; ``wu-dredze`` is all.

    Example::

        ordered_filters(["one-to-one", "identical"])  # ("identical", "one-to-one")
    """
    wanted = set(names)
    if unknown := wanted - {*FILTERS, WU_DREDZE}:
        raise XalignError(
            "there is no such filter",
            parameter="filters",
            found=", ".join(sorted(unknown)),
            expected=", ".join((*FILTERS, WU_DREDZE)),
        )
    return tuple(name for name in FILTERS if name in wanted or WU_DREDZE in wanted)


def drop_identical(links: Iterable[Link], src: Sequence[str], tgt: Sequence[str]) -> set[Link]:
    """The links whose two words differ as strings; case counts, so that ``Haus`` and ``haus`` differ.

    Example::

        drop_identical({(0, 0), (1, 1)}, ["Paris", "now"], ["Paris", "maintenant"])  # {(1, 1)}
    """
    return {(i, j) for i, j in links if src[i] != tgt[j]}


def keep_one_to_one(links: Iterable[Link]) -> set[Link]:
    """The links whose two words have no other link.

    Example::

        keep_one_to_one({(0, 0), (0, 1), (1, 2)})  # {(1, 2)}
    """
    links = set(links)
    of_src = Counter(i for i, _ in links)
    of_tgt = Counter(j for _, j in links)
    return {(i, j) for i, j in links if of_src[i] == 1 and of_tgt[j] == 1}
