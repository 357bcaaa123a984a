"""Results that the tests of claims and of the report share."""

import pytest

from tests.examples.align_mlm.made_up import add


@pytest.fixture
def results(tmp_path):
    """ALIGN-MLM has a small gap with inversion, MLM and DICT-MLM a large one, XLM's is between; wobbles make seeds."""
    for wobble, seed in enumerate((1, 2, 3)):
        add(tmp_path, f"align_mlm.trans_inv-{seed}", 9, 8, 0.9, wobble=wobble)
        add(tmp_path, f"xlm.trans_inv-{seed}", 9, 5, 0.5, wobble=wobble)
        add(tmp_path, f"mlm.trans_inv-{seed}", 9, 2, 0.1, wobble=wobble)
        add(tmp_path, f"dict_mlm.trans_inv-{seed}", 9, 2, 0.2, wobble=wobble)
        add(tmp_path, f"mlm.trans-{seed}", 9, 9, 0.8, wobble=wobble)
        add(tmp_path, f"xlm.trans-{seed}", 9, 8, 0.8, wobble=wobble)
    return tmp_path
