"""Scores of how well two sentences translate each other, from their word links."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from xalign_fairseq.aligner.protocol import Alignment
from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.links.pharaoh import check_bounds

COLUMNS = ("score", "src_coverage", "tgt_coverage", "probability", "agreement", "length_ratio")
LEAST_WEIGHT = 0.1  # weight of a one-letter word
# Consecutive pairs are not translations if their mean score is below this, or this share of the highest mean before.
IN_A_ROW, LEAST_MEAN, LEAST_SHARE = 20, 0.38, 0.58


@dataclass(frozen=True)
class PairScore:
    """A pair's score and its parts, each from 0 to 1; all are 0 for a pair without links.

    The score of a linked pair with one word on each side is 1, because links cannot judge it.

    Attributes:
        score: the share of linked letters, the lower of both sides. Each word counts by the probability of its best
            link, times its number of letters minus one, because long words mean more.
        src_coverage: the share of the source words that have a link.
        tgt_coverage: the share of the target words that have a link.
        probability: the mean probability of the links.
        agreement: the share of the links that are the most probable link of both words.
        length_ratio: letters of the shorter side divided by letters of the longer side.

    The score was chosen among 30 on development text of five languages (docs/reference/pair_scores.md).
    """

    score: float
    src_coverage: float
    tgt_coverage: float
    probability: float
    agreement: float
    length_ratio: float

    def line(self) -> str:
        """The numbers separated by tabs, in the order of :data:`COLUMNS`."""
        return "\t".join(f"{each:.4f}" for each in vars(self).values())


def score_pair(pair: Alignment) -> PairScore:
    r"""The score of an aligned pair.

    Example::

        >>> pair = Alignment(["the", "house"], ["das", "Haus"], {(0, 0): 0.9, (1, 1): 0.6})
        >>> print(score_pair(pair).line().replace("\t", " "))
        0.7000 1.0000 1.0000 0.7500 1.0000 0.8750
    """
    check_bounds([pair.links], [(len(pair.src), len(pair.tgt))], where="score_pair")
    best: list[dict[int, float]] = [{}, {}]
    for link, probability in pair.links.items():
        for side, word in zip(best, link, strict=True):
            side[word] = max(side.get(word, 0.0), probability)
    if not pair.links:
        return PairScore(0.0, 0.0, 0.0, 0.0, 0.0, _ratio(pair))
    single = len(pair.src) == len(pair.tgt) == 1
    mutual = sum(p >= best[0][i] and p >= best[1][j] for (i, j), p in pair.links.items())
    return PairScore(
        1.0 if single else min(_certainty(best[0], pair.src), _certainty(best[1], pair.tgt)),
        len(best[0]) / len(pair.src),
        len(best[1]) / len(pair.tgt),
        sum(pair.links.values()) / len(pair.links),
        mutual / len(pair.links),
        _ratio(pair),
    )


class Mismatch:
    """Finds consecutive pairs that are not translations, as after a missing line on one side.

    Pairs that are not aligned, or have a side of one word, do not count. Works for default links of ``scored``,
    whose probabilities are calibrated (measured: scripts/results/shifted_lines.json).
    """

    def __init__(self) -> None:
        self._last: deque[tuple[int, float]] = deque(maxlen=IN_A_ROW)
        self._best = LEAST_MEAN / LEAST_SHARE

    def lines(self, number: int, pair: Alignment) -> tuple[int, int] | None:
        """The first and last line of such consecutive pairs, if this pair is the last of them."""
        if min(len(pair.src), len(pair.tgt)) < 2 or pair.too_long or not pair.finite:
            return None
        self._last.append((number, score_pair(pair).score))
        mean = sum(score for _, score in self._last) / IN_A_ROW
        if len(self._last) < IN_A_ROW:
            return None
        self._best = max(self._best, mean)
        return (self._last[0][0], number) if mean < LEAST_SHARE * self._best else None


def parse_score(line: str, where: object = None) -> tuple[float, str]:
    """Score and links from a line of ``xalign align --format scores``.

    Raises:
        XalignError: the line is malformed.
    """
    cells = line.split("\t")
    try:
        numbers = [float(each) for each in cells[: len(COLUMNS)]]
    except ValueError:
        numbers = []
    if len(cells) != len(COLUMNS) + 1 or not all(0 <= each <= 1 for each in numbers) or not numbers:
        raise XalignError(
            "a line does not have the scores of a pair",
            where=where,
            found=line[:80],
            expected=f"{len(COLUMNS)} numbers from 0 to 1 and links, separated by tabs",
            remedy=("make the file with", Command("align", Parameter("format", "scores"))),
        )
    return numbers[0], cells[-1]


def _certainty(best: dict[int, float], words: Sequence[str]) -> float:
    weights = [max(len(word) - 1, LEAST_WEIGHT) for word in words]
    return min(1.0, sum(weights[word] * probability for word, probability in best.items()) / sum(weights))


def _ratio(pair: Alignment) -> float:
    letters = [sum(map(len, words)) for words in (pair.src, pair.tgt)]
    return min(letters) / max(letters) if max(letters) else 0.0
