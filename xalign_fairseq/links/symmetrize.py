"""Combine two directional sets of links: intersection, union, grow-diag-final-and."""

from collections.abc import Callable, Iterable

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.pharaoh import Link

# Horizontal and vertical neighbours before diagonal ones, as in Moses.
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(forward: Iterable[Link], backward: Iterable[Link]) -> set[Link]:
    """Links in both directions."""
    return set(forward) & set(backward)


def union(forward: Iterable[Link], backward: Iterable[Link]) -> set[Link]:
    """Links in either direction."""
    return set(forward) | set(backward)


def grow_diag_final_and(forward: Iterable[Link], backward: Iterable[Link]) -> set[Link]:
    """The links of grow-diag-final-and (Koehn et al., 2005).

    Grow from the intersection: visit all links, also new ones, in ascending (i, j), until nothing changes; add each of
    the eight neighbours that is in the union and has a token without a link. Then final-and: add the remaining forward
    links, then backward links, in ascending order, if neither token has a link.
    """
    forward, backward = set(forward), set(backward)
    either = forward | backward
    links = forward & backward
    src_linked = {i for i, _ in links}
    tgt_linked = {j for _, j in links}

    def add(i: int, j: int) -> None:
        links.add((i, j))
        src_linked.add(i)
        tgt_linked.add(j)

    candidates = sorted(either)
    changed = True
    while changed:
        changed = False
        # Links added ahead of the scan are visited in this pass, links behind it in the next pass.
        for i, j in candidates:
            if (i, j) not in links:
                continue
            for down, right in NEIGHBOURS:
                new = (i + down, j + right)
                if new in either and new not in links and (new[0] not in src_linked or new[1] not in tgt_linked):
                    add(*new)
                    changed = True
    for direction in (forward, backward):
        for i, j in sorted(direction):
            if i not in src_linked and j not in tgt_linked:
                add(i, j)
    return links


SYMMETRISATIONS: dict[str, Callable[[Iterable[Link], Iterable[Link]], set[Link]]] = {
    "grow-diag-final-and": grow_diag_final_and,
    "intersection": intersection,
    "union": union,
}


def symmetrize(forward: Iterable[Link], backward: Iterable[Link], method: str = "grow-diag-final-and") -> set[Link]:
    """Combine two directional sets of links of one sentence pair, both written as (source, target).

    ``method`` is ``grow-diag-final-and``, ``intersection`` or ``union``.

    Example::

        symmetrize({(0, 0), (1, 1)}, {(0, 0), (0, 1)})  # {(0, 0), (0, 1), (1, 1)}
    """
    if method not in SYMMETRISATIONS:
        raise XalignError("unknown symmetrisation", found=method, expected=" or ".join(SYMMETRISATIONS))
    return SYMMETRISATIONS[method](forward, backward)
