"""Compiled operators as in a new process."""

import pytest

from xalign_fairseq.transport.sinkhorn import backend, building


@pytest.fixture
def nothing_decided():
    """A function that forgets which operators are built and chosen, as in a new process; also called at the end."""

    def forget():
        for module in (backend, building):
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()

    forget()
    yield forget
    forget()
