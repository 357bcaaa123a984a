import pytest

from tests.examples.align_mlm.made_up import add
from tests.examples.align_mlm.parsers import run_command, write_treebank


@pytest.fixture
def results(tmp_path):
    """ALIGN-MLM has a small gap with inversion, MLM and DICT-MLM a large one, XLM a medium one; wobbles make seeds."""
    for wobble, seed in enumerate((1, 2, 3)):
        add(tmp_path, f"align_mlm.trans_inv-{seed}", 9, 8, 0.9, wobble=wobble)
        add(tmp_path, f"xlm.trans_inv-{seed}", 9, 5, 0.5, wobble=wobble)
        add(tmp_path, f"mlm.trans_inv-{seed}", 9, 2, 0.1, wobble=wobble)
        add(tmp_path, f"dict_mlm.trans_inv-{seed}", 9, 2, 0.2, wobble=wobble)
        add(tmp_path, f"mlm.trans-{seed}", 9, 9, 0.8, wobble=wobble)
        add(tmp_path, f"xlm.trans-{seed}", 9, 8, 0.8, wobble=wobble)
    return tmp_path


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """The folder of a parser of synthetic English, trained by the command, and the command's output."""
    folder = tmp_path_factory.mktemp("parser")
    write_treebank(folder / "train.conllu", 1, 160)
    write_treebank(folder / "test.conllu", 2, 60)
    run_command("train", folder / "model.pt", folder / "train.conllu", "--epochs", 8)
    return folder
