import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.options import TransportOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("iterations", -1),
        ("mu", 0.0),
        ("eps", 0.0),
        ("order", "rows"),
        ("filter", "max"),
        ("rounds", 0),
        ("alpha", 1.5),
    ],
)
def test_invalid_values_are_refused_on_construction(name, value):
    with pytest.raises(XalignError, match=f"{name}[\\s\\S]*found: {value}"):
        TransportOptions(**{name: value})
