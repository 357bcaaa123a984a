import pytest

import xalign_fairseq
from xalign_fairseq.core import installation
from xalign_fairseq.core.errors import XalignError


def test_without_fairseq_the_error_names_the_package(monkeypatch):
    monkeypatch.setattr(
        installation, "missing_for_training", lambda: (["fairseq-fixed"], ["pip install fairseq-fixed"])
    )
    with pytest.raises(XalignError, match=r"no fairseq-fixed\n  next: pip install fairseq-fixed"):
        xalign_fairseq.register()
