"""Compiled operators as in a new process."""

import pytest

from xalign_fairseq.transport.sinkhorn import backend, building


@pytest.fixture
def nothing_decided():
    """The function that forgets which operators were built and chosen, as a new process has; forgotten afterwards."""

    def forget():
        for module in (backend, building):
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()

    forget()
    yield forget
    forget()
