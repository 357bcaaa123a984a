import signal
from functools import partial

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.workers import processes


@pytest.mark.parametrize("number", [1, 2])
def test_results_are_in_order(number):
    with processes(number) as run:
        assert list(run(partial(pow, 2), range(50))) == [2**i for i in range(50)]
        assert list(run(len, ["a", "bc"])) == [1, 2]


@pytest.mark.parametrize("number", [1, 2])
def test_an_error_in_the_function_is_raised_unchanged(number):
    with pytest.raises(ZeroDivisionError), processes(number) as run:
        list(run(partial(divmod, 1), [1, 0, 1]))


def test_a_killed_worker_is_an_error_and_does_not_hang():
    with pytest.raises(XalignError, match="workers"), processes(2) as run:
        list(run(signal.raise_signal, [signal.SIGKILL]))
