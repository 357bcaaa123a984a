from contextlib import contextmanager

import pytest

from xalign_fairseq.aligner.neural import aligner


@contextmanager
def stopped_after_16_pairs():
    """Alignment in this block fails after writing 16 pairs."""
    real = aligner.chunks

    def fails_later(pairs, most):
        for number, chunk in enumerate(real(pairs, 8)):
            if number == 2:
                raise ArithmeticError
            yield chunk

    with pytest.MonkeyPatch.context() as patch, pytest.raises(ArithmeticError):
        patch.setattr(aligner, "chunks", fails_later)
        yield
