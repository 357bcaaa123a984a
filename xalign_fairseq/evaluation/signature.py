"""The signature of a transfer score: one line that says which metric was computed on which data."""

from xalign_fairseq import __version__
from xalign_fairseq.evaluation.metric import Metric


def task_signature(metric: Metric, benchmark: str, data_digest: str, **more: object) -> str:
    """One line of ``key:value`` joined by ``|``, in the manner of sacrebleu; two scores compare if their lines agree.

    Args:
        metric: its name and variant are in the line.
        benchmark: whose rules of reading the test file were used.
        data_digest: of the test file's content, sha256 in hex, shortened.
        more: what else the score depends on, such as ``language="de"``.

    Example::

        task_signature(ACCURACY, "xnli", "0123456789ab", language="de")
        # metric:accuracy|variant:share of ...|benchmark:xnli|language:de|data:sha256-0123456789ab|version:0.1.0
    """
    parts = {"metric": metric.name, "variant": metric.variant, "benchmark": benchmark}
    parts |= {key: str(value) for key, value in more.items()}
    parts |= {"data": f"sha256-{data_digest}", "version": __version__}
    return "|".join(f"{key}:{' '.join(value.split()).replace('|', '/')}" for key, value in parts.items())


def parse_signature(signature: str) -> dict[str, str]:
    """The parts of a signature by their keys."""
    return dict(part.partition(":")[::2] for part in signature.split("|"))
