"""Training runs from an encoder of BERT's kind through the real fairseq-train."""

import re

import pytest
from support.text import WORDPIECE_SIZES, train_symbols, write_bert

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.vocabulary import stored_model

pytestmark = pytest.mark.slow
EPS = ("--layer-norm-eps", "1e-12")


@pytest.fixture(scope="module")
def bert(sample, tmp_path_factory):
    """Path of a checkpoint whose pieces are the sample's."""
    path = tmp_path_factory.mktemp("bert") / "bert.pt"
    lines = [line for lang in ("en", "de") for line in (sample / f"en-de/train.{lang}").read_text().splitlines()]
    write_bert(path, train_symbols(lines, size=500))
    return path


@pytest.fixture(scope="module")
def bert_bin(sample, bert, command, tmp_path_factory):
    """The sample's German pair and monolingual text, prepared with the checkpoint's tokenizer."""
    out = tmp_path_factory.mktemp("bert_bin") / "databin"
    here = sample / "en-de"
    command(
        "xalign", "prepare", "--out", out, "--tokenizer", bert, "--pair", "en-de", "--trainpref", here / "train",
        "--validpref", here / "valid", "--links", here / "valid.gold", "--mono", f"en={sample}/mono/train.en",
    )  # fmt: skip
    return out


@pytest.fixture(scope="module")
def trained(train, bert, bert_bin, tmp_path_factory):
    """Four updates of XLM-Align's objectives from the checkpoint."""
    folder = tmp_path_factory.mktemp("run")
    logged, done = train(bert_bin, folder, "--init-checkpoint", bert, *EPS, "--max-update", 4,
                         "--best-checkpoint-metric", "aer")  # fmt: skip
    return logged, done, folder / "checkpoint_best.pt"


def test_training_starts_from_it_and_validates(trained, bert):
    logged, done, path = trained
    assert sorted(logged) == [1, 2, 3, 4] and {"mlm_loss", "tlm_loss", "dwa_loss"} <= set(logged[4])
    assert f"initialised from {bert}" in done.stdout + done.stderr
    assert re.search(r'"valid_aer": "0\.\d+"', done.stdout + done.stderr)
    assert path.is_file()


def test_its_checkpoint_has_tokenizer_and_layer_norms(trained, bert, bert_bin):
    state, start = checkpoint.read(trained[2]), checkpoint.read(bert)
    assert stored_model(state["task_state"]["tokenizer"]) == DataBin(bert_bin).tokenizer_model
    assert state["task_state"]["tokenizer"]["symbols"] == start["task_state"]["tokenizer"]["symbols"]
    encoder, _ = checkpoint.load_encoder(state)
    assert encoder.config.layer_norm_eps == WORDPIECE_SIZES["layer_norm_eps"]
    name = "encoder.sentence_encoder.embed_tokens.weight"
    moved = (state["model"][name] - start["model"][name]).abs().max()
    assert 0 < moved < 0.01  # four steps of Adam at 1e-3


def test_its_checkpoint_aligns(trained, sample):
    aligner = Aligner.from_pretrained(trained[2])
    assert isinstance(aligner.tokenizer, WordPieceTokenizer)
    found = aligner.align(*[(sample / f"en-de/test.{lang}").read_text().splitlines()[:5] for lang in ("en", "de")])
    assert len(found) == 5 and any(each.links for each in found)


def test_another_eps_is_refused(train, bert, bert_bin, tmp_path):
    _, done = train(bert_bin, tmp_path, "--init-checkpoint", bert, "--max-update", 1, check=False)
    assert done.returncode != 0 and "--layer-norm-eps 1e-12" in done.stderr
