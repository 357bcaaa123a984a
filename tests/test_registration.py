import pytest

import xalign_fairseq
from xalign_fairseq.core import installation
from xalign_fairseq.core.errors import XalignError


def test_everything_is_registered_once():
    for _ in range(2):
        xalign_fairseq.register()
    from fairseq.criterions import CRITERION_REGISTRY
    from fairseq.models import ARCH_MODEL_REGISTRY
    from fairseq.tasks import TASK_REGISTRY

    assert {"xalign_pretraining", "xalign_tagging"} <= TASK_REGISTRY.keys()
    assert {"xlm_align", "transfer"} <= CRITERION_REGISTRY.keys()
    assert "xalign_tiny" in ARCH_MODEL_REGISTRY


def test_without_fairseq_the_error_names_the_package(monkeypatch):
    monkeypatch.setattr(
        installation, "missing_for_training", lambda: (["fairseq-fixed"], ["pip install fairseq-fixed"])
    )
    with pytest.raises(XalignError, match=r"no fairseq-fixed\n  next: pip install fairseq-fixed"):
        xalign_fairseq.register()
