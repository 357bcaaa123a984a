"""Figures as they stand in reports."""

from xalign_fairseq.evaluation.statistics import Summary


def percent(summary: Summary | None, digits: int = 1) -> str:
    """``83.1 ± 0.4``; of one run, which has no deviation, ``83.1``; nothing without a run."""
    if summary is None:
        return ""
    spread = "" if summary.deviation is None else f" ± {100 * summary.deviation:.{digits}f}"
    return f"{100 * summary.mean:.{digits}f}{spread}".replace("-", "−")


def signed(number: float, digits: int = 1) -> str:
    """A difference with its sign; what rounds to zero has none."""
    text = f"{number:+.{digits}f}"
    return f"{0:.{digits}f}" if float(text) == 0 else text.replace("-", "−")
